"""What a score is: a formula for one family.

A score is a frozen dataclass: a value without data that can be compared, hashed and pickled. `Score.bind` applies it to
data, in the compiled core if the formula has a C++ version there.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from veridag import _core
from veridag.checks import Checked, Instance
from veridag.counts import FamilyCounts, FamilyMoments, family_counts, family_moments, scatter_matrix
from veridag.data import Data
from veridag.data.columns import Kind
from veridag.errors import InputError


class Score(Checked, ABC):
    """A decomposable network score: natural logarithms, higher is better.

    A subclass is a frozen dataclass with `discrete`, `continuous`, or both. One with a C++ version in the core also has
    `compiled`; others run in Python and are slower.
    """

    #: Whether equivalent DAGs always have the same score.
    equivalent: ClassVar[bool]

    #: Whether a continuous column may be constant; the likelihood of such a column has no bound.
    scores_constants: ClassVar[bool] = False

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

    def bind(self, data: Data) -> _core.Scorer:
        """The score of this data in the core: by its C++ version, or by a callback of the readable formula."""
        self.check(data)
        if self.is_compiled():
            return self.compiled(data)
        names = data.names

        def local(child: int, parents: list[int]) -> float:
            return self.local(names[child], [names[p] for p in parents], data)

        return _core.callback_scorer(local, len(names))

    @classmethod
    def is_compiled(cls) -> bool:
        """Whether this very class has a C++ version.

        It does not inherit one: what a subclass changes in the formula would be passed over.
        """
        return "compiled" in vars(cls)

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version bound to data that `check` has accepted; `compiled_formula` finds it by name."""
        raise NotImplementedError(f"{self} has no C++ version")


#: The check of an argument or a field that is a score.
SCORE = Instance(Score, "a score, such as BIC()")


def compiled_formula(name: str, data: Data, *parameters: float) -> _core.Scorer:
    """The formula that the core knows by this name, with its parameters, bound to data of either kind."""
    if data.require_one_kind() == "discrete":
        return _core.discrete_scorer(data.core_table, name, list(parameters))
    return _core.gaussian_scorer(scatter_matrix(data), float(data.n), name, list(parameters))
