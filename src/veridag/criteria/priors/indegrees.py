"""The number of parents of every variable, as the "utopian" priors know it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from veridag.checks import Integer
from veridag.errors import InputError, suggest

Indegrees = int | Mapping[str, int] | Iterable[tuple[str, int]]


def check_indegrees(name: str, d: object) -> int | tuple[tuple[str, int], ...]:
    """One indegree, or a tuple of (variable, indegree) sorted by variable."""
    if isinstance(d, str) or not isinstance(d, Iterable):
        try:
            return Integer(0)(name, d)
        except InputError as error:
            raise InputError(f"{error} for all variables, or a dictionary {{name: indegree}}") from None
    items = list(d.items() if isinstance(d, Mapping) else d)
    for item in items:
        if not isinstance(item, tuple | list) or len(item) != 2 or not isinstance(item[0], str):
            raise InputError(f"{name}: {item!r} is not of the form name: indegree")
    checked = tuple(sorted((variable, Integer(0)(f"{name}[{variable!r}]", k)) for variable, k in items))
    for (a, _), (b, _) in pairwise(checked):
        if a == b:
            raise InputError(f"{name}: {a!r} is given more than once: keep one indegree for it")
    return checked


def bind_indegrees(d: Indegrees, names: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The indegree of each variable; all of them must have one."""
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
