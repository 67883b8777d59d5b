"""Counts of discrete variables: those of a family, and contingency tables. Readable, not fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.errors import InputError

from .family import Counts, check_family

#: The most cells that a dense table may have: 1 GiB of counts.
MAX_CELLS = 2**27


@dataclass(frozen=True, eq=False)
class FamilyCounts:
    """How often each state k of a variable X_i meets each observed configuration j of its parents.

    Only configurations that occur have a row in `n_ijk` and in `configurations` (the parents' states); `q` counts all
    that are possible, whether they occur or not, and `r` the variable's declared states.
    """

    child: str
    parents: tuple[str, ...]
    n_ijk: Counts
    configurations: NDArray[np.intp]
    arities: tuple[int, ...]  # of the parents
    nvariables: int

    @property
    def r(self) -> int:
        """The number of declared states of the variable, r_i."""
        return int(self.n_ijk.shape[1])

    @cached_property
    def q(self) -> int:
        """The number of possible configurations of the parents, q_i; an exact integer, however large."""
        return int(prod(self.arities))

    @property
    def q_observed(self) -> int:
        """The number of configurations that occur, written q with a tilde in the papers."""
        return len(self.n_ijk)

    @cached_property
    def n_ij(self) -> Counts:
        """How often each observed configuration occurs."""
        return np.asarray(self.n_ijk.sum(axis=1))

    @cached_property
    def n(self) -> int:
        """The number of observations."""
        return int(self.n_ijk.sum())


def family_counts(data: Data, child: str, parents: Sequence[str]) -> FamilyCounts:
    """Count a family, the parents in column order; a row of weight w counts w times."""
    return count_parts(data, child, parents, np.zeros(data.nrows, np.intp), 1)[0]


def count_parts(
    data: Data, child: str, parents: Sequence[str], f: NDArray[np.integer], number: int
) -> tuple[FamilyCounts, Counts]:
    """The counts of a family in all rows, and in each of a number of parts, to which the rows belong by `f`."""
    ordered = check_family(data, child, parents, "discrete")
    codes = np.column_stack([np.zeros((data.nrows, 0), np.intp), *(data.column(p).astype(np.intp) for p in ordered)])
    weights = np.ones(data.nrows, np.int64) if data.weights is None else data.weights
    kept = weights > 0
    configurations, j = np.unique(codes[kept], axis=0, return_inverse=True)
    if number * len(configurations) * data.arities[child] > MAX_CELLS:
        raise InputError(
            f"counting {child!r} given {ordered} needs {number * len(configurations)} x {data.arities[child]} cells,"
            f" more than {MAX_CELLS}: give the variables fewer states"
        )
    n_fjk = np.zeros((number, len(configurations), data.arities[child]), np.int64)
    np.add.at(n_fjk, (f[kept], j.reshape(-1), data.column(child)[kept]), weights[kept])
    arities = tuple(data.arities[p] for p in ordered)
    return FamilyCounts(child, ordered, n_fjk.sum(axis=0), configurations, arities, len(data.names)), n_fjk


def contingency_table(data: Data, names: Sequence[str]) -> Counts:
    """How often each joint state of several discrete variables occurs: an array with an axis for each of them.

    A table of more than `MAX_CELLS` cells is refused; scores and tests do not need it, they count only what occurs.
    """
    if not names:
        return np.array(data.n)
    for name in names:
        check_family(data, name, (), "discrete")
    shape = tuple(data.arities[name] for name in names)
    if len(set(names)) < len(names):
        raise InputError(f"names: a variable is given twice: give each once: {tuple(names)}")
    if prod(shape) > MAX_CELLS:
        raise InputError(
            f"names: the table of {', '.join(names)} would have {prod(shape)} cells, more than {MAX_CELLS}: count "
            "fewer variables, or use family counts, which store only the combinations that occur"
        )
    cell = np.ravel_multi_index([data.column(name) for name in names], shape)
    if data.weights is None:
        return np.bincount(cell, minlength=prod(shape)).reshape(shape)
    counts = np.zeros(prod(shape), np.int64)
    np.add.at(counts, cell, data.weights)  # bincount would add weights as floating-point numbers
    return counts.reshape(shape)
