"""A user's own score."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import isnan
from typing import Any, ClassVar, NoReturn

from veridag.counts import FamilyCounts, FamilyMoments, check_variables
from veridag.data import Data
from veridag.data.columns import DataKind
from veridag.errors import InputError

from .base import Score, rows_for


@dataclass(frozen=True, repr=False)
class CustomScore(Score):
    """A decomposable score given by a Python function; natural logarithm, higher is better.

    The function is called as ``function(child, parents, data)``, where `parents` is a tuple of names in column order,
    and returns a number. It must be importable, that is defined with ``def`` at the top level of a module, because
    other processes receive it by name. It gets the data, not counts or moments, so a family is scored with `local`. It
    is not assumed to be score-equivalent.

    See also:
        `local_score`, docs/adding.md
    """

    function: Callable[[str, tuple[str, ...], Data], float]
    equivalent: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise InputError(f"function={self.function!r} must be a function of child, parents and data")
        if not _is_importable(self.function):
            raise InputError(
                f"function={self.function!r} cannot be imported by name, so other processes cannot use it: define it "
                "with def at the top level of a module, not as a lambda, a method or inside a function"
            )

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family."""
        data = rows_for(child, data)
        self.check(data)
        ordered = check_variables(data, child, parents)
        value = self.function(child, ordered, data)
        try:
            score = float(value)
        except (TypeError, ValueError):
            score = float("nan")
        if isnan(score):
            raise InputError(f"{self} returned {value!r} for {child!r} given {ordered}: return a number")
        return score

    def discrete(self, family: FamilyCounts) -> NoReturn:
        """The function needs the data: always an error."""
        raise InputError(f"{self} needs the data, not counts: use local({family.child!r}, parents, data)")

    def continuous(self, family: FamilyMoments) -> NoReturn:
        """The function needs the data: always an error."""
        raise InputError(f"{self} needs the data, not moments: use local({family.child!r}, parents, data)")

    @classmethod
    def handles(cls, kind: DataKind) -> bool:
        """Data of every kind is left to the function."""
        del kind
        return True

    def __repr__(self) -> str:
        return f"CustomScore({self.function.__module__}.{self.function.__qualname__})"


def _is_importable(function: Any) -> bool:
    """Whether module and name lead back to the function, as pickle needs it."""
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    try:
        found = reduce(getattr, function.__qualname__.split("."), module)
    except AttributeError:
        return False
    return found is function
