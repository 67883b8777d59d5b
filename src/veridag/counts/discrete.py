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
    """The counts $n_{ijk}$ of a discrete variable $X_i$: how often state $k$ occurs in parent configuration $j$.

    Attributes:
        child: The variable.
        parents: Its parents.
        n_ijk: The counts, with a row for each parent configuration that occurs.
        configurations: The states of the parents in each of these rows.
        arities: The number of states of each parent.
        nvariables: The number of variables in the data.

    See also:
        `criteria.scores.base.Score`, docs/adding.md
    """

    child: str
    parents: tuple[str, ...]
    n_ijk: Counts
    configurations: NDArray[np.intp]
    arities: tuple[int, ...]  # of the parents
    nvariables: int

    @property
    def r(self) -> int:
        """The number $r_i$ of declared states of the variable."""
        return int(self.n_ijk.shape[1])

    @cached_property
    def q(self) -> int:
        """The number $q_i$ of possible parent configurations, whether they occur or not; an exact integer."""
        return int(prod(self.arities))

    @property
    def q_observed(self) -> int:
        r"""The number $\tilde q_i$ of parent configurations that occur."""
        return len(self.n_ijk)

    @cached_property
    def n_ij(self) -> Counts:
        """How often each parent configuration in `n_ijk` occurs."""
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
    """Count how often each joint state of several discrete variables occurs.

    Scores and tests do not need this table: they count only the configurations that occur.

    Args:
        data: The data; the variables must be discrete.
        names: The variables.

    Returns:
        An array with an axis for each variable, in the given order.

    Raises:
        InputError: If the table would have more than 2^27 cells.

    See also:
        `JointCounts`, `test`, docs/data.md
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
