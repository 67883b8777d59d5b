"""What a score is: a formula for one family.

A score is a frozen dataclass: a value without data that can be compared, hashed and pickled. `scorer` applies it to
data, in the compiled core if the formula has a C++ version there.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from veridag.counts import FamilyCounts, FamilyMoments, family_counts, family_moments
from veridag.data import Data
from veridag.data.columns import Kind
from veridag.errors import InputError

#: The name of a score's C++ version in the core, and its numbers.
Twin = tuple[str, tuple[float, ...]]


class Score(ABC):
    """A decomposable network score: natural logarithms, higher is better.

    A subclass is a frozen dataclass with `discrete`, `continuous`, or both.
    """

    #: Whether equivalent DAGs always have the same score.
    equivalent: ClassVar[bool]

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family of discrete variables."""
        raise InputError(f"{self} does not score discrete data")

    def continuous(self, family: FamilyMoments) -> float:
        """The local score of a family of continuous variables."""
        raise InputError(f"{self} does not score continuous data")

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family of the data, by the readable formula."""
        if self.check(data) == "discrete":
            return self.discrete(family_counts(data, child, parents))
        return self.continuous(family_moments(data, child, parents))

    def check(self, data: Data) -> Kind:
        """The kind of the data; raises `InputError` if the score cannot be used on it."""
        kind = data.require_one_kind()
        if not self.handles(kind):
            others = {"discrete": "BIC, BDeu, BDs, K2, QNML and others", "continuous": "BIC, AIC, LogLik and BGe"}
            raise InputError(f"{self} does not score {kind} data; these do: {others[kind]}")
        if data.n == 0:
            raise InputError("the data has no rows")
        return kind

    @classmethod
    def handles(cls, kind: Kind) -> bool:
        """Whether the score has a formula for this kind of data."""
        return getattr(cls, kind) is not getattr(Score, kind)

    def twin(self, data: Data) -> Twin | None:
        """The same formula in the core, if it is there: its name and its numbers."""
        del data
        return None
