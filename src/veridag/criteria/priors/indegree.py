"""Priors that know the number of parents of every variable: the "utopian" priors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from veridag.checks import Integer, checked
from veridag.errors import InputError, suggest

from .base import Prior, PriorTerms

Indegrees = int | Mapping[str, int] | Iterable[tuple[str, int]]


def _check_indegrees(name: str, d: object) -> int | tuple[tuple[str, int], ...]:
    """One indegree, or a tuple of (variable, indegree) sorted by variable."""
    if isinstance(d, str) or not isinstance(d, Iterable):
        try:
            return Integer(0)(name, d)
        except InputError as error:
            raise InputError(f"{error} for all variables, or a mapping name -> indegree") from None
    items = list(d.items() if isinstance(d, Mapping) else d)
    for item in items:
        if not isinstance(item, tuple | list) or len(item) != 2 or not isinstance(item[0], str):
            raise InputError(f"{name}: {item!r} is not of the form name: indegree")
    checked = tuple(sorted((variable, Integer(0)(f"{name}[{variable!r}]", k)) for variable, k in items))
    for (a, _), (b, _) in pairwise(checked):
        if a == b:
            raise InputError(f"{name}: {a!r} is given more than once: keep one indegree for it")
    return checked


@dataclass(frozen=True)
class IndegreeEquals(Prior):
    """Uniform over the DAGs in which variable i has exactly d_i parents (*Utop*; Eggeling et al. 2019, section 5.2):

    ``P(G) = c if |G_i| = d_i for all i, and 0 otherwise``.

    `d` is a mapping name -> indegree with all the variables, kept as a sorted tuple of (name, indegree), or one number
    for all. A DAG always has a variable without parents, so that number can only be 0. `log` is 0 or minus infinity; it
    is minus infinity for the empty graph as soon as a d_i is not 0, so a search has to start from a DAG that fits.
    """

    d: Indegrees = field(metadata=checked(_check_indegrees))

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.d, int) and self.d > 0:
            raise InputError(
                f"d={self.d}: every DAG has a variable without parents, so they cannot all have {self.d}: give a "
                f"mapping name -> indegree, or use IndegreeAtMost({self.d})"
            )

    def terms(self, names: Sequence[str], rows: int | None = None) -> PriorTerms:
        """0 for d_i parents, minus infinity for any other number."""
        del rows
        d = _bound(self.d, names)
        # Variables in order of their indegree: the i-th can have no more parents than there are before it.
        for before, i in enumerate(np.argsort(d, kind="stable").tolist()):
            if d[i] > before:
                raise InputError(
                    f"d: no DAG has these indegrees: {names[i]!r} has {d[i]}, but in order of indegree only {before} "
                    "variables come before it: lower some, or use IndegreeAtMost"
                )
        s = np.arange(len(names))
        return PriorTerms(np.where(s == d[:, None], 0.0, -np.inf))


@dataclass(frozen=True)
class IndegreeAtMost(Prior):
    """Uniform over the DAGs in which variable i has at most d_i parents (*Utop+*; Eggeling et al. 2019, section 5.2):

    ``P(G) = c if |G_i| <= d_i for all i, and 0 otherwise``.

    `d` is a mapping name -> indegree with all the variables, kept as a sorted tuple of (name, indegree), or one number
    for all. `log` is 0 or minus infinity.
    """

    d: Indegrees = field(metadata=checked(_check_indegrees))

    def terms(self, names: Sequence[str], rows: int | None = None) -> PriorTerms:
        """0 for up to d_i parents, minus infinity for more."""
        del rows
        s = np.arange(len(names))
        return PriorTerms(np.where(s <= _bound(self.d, names)[:, None], 0.0, -np.inf))


def _bound(d: Indegrees, names: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    if isinstance(d, int):
        return np.full(len(names), d)
    of = dict(d)
    for name in of:
        if name not in names:
            raise InputError(f"d: there is no variable {name!r}: {suggest(name, names)}")
    for name in names:
        if name not in of:
            raise InputError(f"d: the indegree of {name!r} is missing: add it; {len(names) - 1} leaves it free")
    return np.array([of[name] for name in names], dtype=np.int64)
