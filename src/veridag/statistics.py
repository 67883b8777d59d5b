"""Sufficient statistics of a family: counts of discrete variables, moments of continuous ones. Readable, not fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from .data import Data
from .errors import InputError, suggest

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

#: A residual variance below this share of a variable's own is zero: the variable is a linear function of others.
SINGULAR = 1e-10


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
    return _counted(data, child, parents, np.zeros(data.nrows, np.intp), 1)[0]


def _counted(
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


@dataclass(frozen=True, eq=False)
class GroupedCounts:
    """The counts of a family in each of several related data sets: `n_fjk` has an axis for the data sets f, those that
    have observations, then one for the configurations j that occur in any of them, and one for the states k.
    """

    family: FamilyCounts  # of all data sets together
    groups: tuple[str, ...]
    n_fjk: Counts


def grouped_counts(data: Data, child: str, parents: Sequence[str]) -> GroupedCounts:
    """Count a family in each group of the data, the parents in column order; a row of weight w counts w times."""
    assert data.group is not None, "callers check that there are groups"
    groups = data.observed_groups
    number = np.array([groups.index(label) if label in groups else -1 for label in data.groups])
    family, n_fjk = _counted(data, child, parents, number[data.group], len(groups))
    return GroupedCounts(family, groups, n_fjk)


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
        raise InputError(f"names: each variable can be there only once: {tuple(names)}")
    if prod(shape) > MAX_CELLS:
        raise InputError(
            f"names: the table of {', '.join(names)} would have {prod(shape)} cells, more than {MAX_CELLS}:"
            " count fewer variables, or use family counts, which hold only what occurs"
        )
    cell = np.ravel_multi_index([data.column(name) for name in names], shape)
    if data.weights is None:
        return np.bincount(cell, minlength=prod(shape)).reshape(shape)
    table = np.zeros(prod(shape), np.int64)
    np.add.at(table, cell, data.weights)  # bincount would add weights as floating-point numbers
    return table.reshape(shape)


@dataclass(frozen=True, eq=False)
class FamilyMoments:
    """Means and scatter S_n = sum (x - mean)(x - mean)^T of a family of continuous variables, the parents first."""

    child: str
    parents: tuple[str, ...]
    n: int
    mean: Floats
    scatter: Floats
    nvariables: int

    @cached_property
    def residual_variance(self) -> float:
        """The variance of the variable around its regression on the parents, divided by n (maximum likelihood).

        Parents that are linear functions of others add nothing. Zero (see `SINGULAR`) if the variable itself is one.
        """
        return _pivots(self.scatter)[-1] / self.n

    @cached_property
    def log_likelihood(self) -> float:
        """The maximised log-likelihood; infinite where the variable is a linear function of its parents."""
        variance = self.residual_variance
        return np.inf if variance == 0 else -0.5 * self.n * (np.log(2 * np.pi * variance) + 1)


def family_moments(data: Data, child: str, parents: Sequence[str]) -> FamilyMoments:
    """Means and scatter of a family, the parents in column order; a row of weight w counts w times."""
    ordered = check_family(data, child, parents, "continuous")
    mean, scatter = _mean_and_scatter(data, (*ordered, child))
    return FamilyMoments(child, ordered, data.n, mean, scatter, len(data.names))


def mean_vector(data: Data) -> Floats:
    """The means of all variables."""
    return _mean_and_scatter(data, data.names)[0]


def scatter_matrix(data: Data) -> Floats:
    """The scatter S_n of all variables, of which a family's is a submatrix."""
    return _mean_and_scatter(data, data.names)[1]


def _mean_and_scatter(data: Data, names: Sequence[str]) -> tuple[Floats, Floats]:
    x = np.column_stack([data.column(v) for v in names])
    w = np.ones(data.nrows) if data.weights is None else data.weights.astype(float)
    mean = np.asarray(w @ x) / data.n
    centred = (x - mean) * np.sqrt(w)[:, None]
    seen = x[w > 0]
    centred[:, (seen == seen[0]).all(axis=0)] = 0.0  # the mean of a constant may differ from it in the last digit
    return mean, np.ascontiguousarray(centred.T @ centred)


def check_family(data: Data, child: str, parents: Sequence[str], kind: str) -> tuple[str, ...]:
    """The parents in column order, if all are columns of the right kind, different from each other and the child."""
    for name in (child, *parents):
        if name not in data.kinds:
            raise InputError(f"the data has no column {name!r}: {suggest(name, data.names)}")
        if data.kinds[name] != kind:
            raise InputError(f"column {name!r} is {data.kinds[name]}, but {kind} data is needed here")
    if child in parents or len(set(parents)) < len(parents):
        raise InputError(f"the parents of {child!r} must be different from it and from each other: {tuple(parents)}")
    if data.n == 0:
        raise InputError("the data has no rows")
    return tuple(sorted(parents, key=data.names.index))


def _pivots(scatter: Floats) -> list[float]:
    """The squared diagonal of the Cholesky factor: what each variable varies around its regression on those before it.

    A pivot below `SINGULAR` times the variable's own scatter is zero, and its variable is passed over.
    """
    a = scatter.copy()
    own = scatter.diagonal().copy()
    pivots = []
    for k in range(len(a)):
        pivot = float(a[k, k])
        if pivot <= SINGULAR * own[k]:
            pivots.append(0.0)
            continue
        pivots.append(pivot)
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :]) / pivot
    return pivots
