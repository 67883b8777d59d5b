"""What a test of independence looks at: the counts, or the partial correlation, of a pair of variables given others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from veridag.counts import MAX_CELLS, SINGULAR, Counts, Floats
from veridag.data import Data
from veridag.data.columns import Kind
from veridag.errors import InputError, suggest


@dataclass(frozen=True, eq=False)
class PairCounts:
    """The counts $n_{ijk}$ of two discrete variables: state $i$ of X, state $j$ of Y, configuration $k$ of Z.

    Attributes:
        x: The variable X.
        y: The variable Y.
        given: The variables Z.
        n_xyz: The counts, with an axis for $k$, one for $i$ and one for $j$. X and Y have all their declared states,
            $R$ and $C$ of them, but only configurations of Z that occur are included.
        L: The number of possible configurations of Z.

    See also:
        `criteria.independence.Test`, docs/adding.md
    """

    x: str
    y: str
    given: tuple[str, ...]
    n_xyz: Counts
    L: int  # exact, however large

    @cached_property
    def n(self) -> int:
        """The number of observations."""
        return int(self.n_xyz.sum())


def pair_counts(data: Data, x: str, y: str, given: Sequence[str] | str) -> PairCounts:
    """Count a pair of discrete variables given others; a row of weight w counts w times."""
    ordered = check_pair(data, x, y, given)
    _require_kind(data, (x, y, *ordered), "discrete")
    weights = np.ones(data.nrows, np.int64) if data.weights is None else data.weights
    seen = weights > 0
    z = np.column_stack([np.zeros((data.nrows, 0), np.intp), *(data.column(v) for v in ordered)])[seen]
    strata, k = np.unique(z, axis=0, return_inverse=True)
    shape = (len(strata), data.arities[x], data.arities[y])
    if prod(shape) > MAX_CELLS:
        raise InputError(
            f"counting {x!r} and {y!r} given {ordered} needs {shape[0]} tables of {shape[1]} x {shape[2]} cells, more "
            f"than {MAX_CELLS} cells in all: test variables with fewer states, or condition on fewer"
        )
    n_xyz = np.zeros(shape, np.int64)
    np.add.at(n_xyz, (k.reshape(-1), data.column(x)[seen], data.column(y)[seen]), weights[seen])
    return PairCounts(x, y, ordered, n_xyz, prod(data.arities[v] for v in ordered))


@dataclass(frozen=True, eq=False)
class PairMoments:
    r"""The partial correlation $\rho$ of X and Y given Z.

    If X or Y is constant or a linear function of Z, there is nothing left to explain and $\rho$ is 0. The same holds if
    there are too few observations (n <= rank + 2), because the residuals then lie on one line for any data. A variable
    counts as a linear function if its residual variance is below the share `SINGULAR` of its own variance; for
    $|\rho| = 1$, of its variance given Z.

    Attributes:
        x: The variable X.
        y: The variable Y.
        given: The variables Z.
        n: The number of observations.
        rho: The partial correlation, from -1 to 1.
        rank: The number of variables in Z that are not constant and not linear functions of those before them. Only
            these reduce the degrees of freedom.

    See also:
        `criteria.independence.Test`, docs/adding.md
    """

    x: str
    y: str
    given: tuple[str, ...]
    n: int
    rho: float
    rank: int


def pair_moments(data: Data, x: str, y: str, given: Sequence[str] | str) -> PairMoments:
    """The partial correlation of a pair of continuous variables given others; a row of weight w counts w times.

    It is the correlation of the residuals of X and Y after regression on Z. The residuals come from the rows, by
    orthogonal projection, and not from the inverse of a covariance matrix, which would square the condition number.
    """
    ordered = check_pair(data, x, y, given)
    _require_kind(data, (x, y, *ordered), "continuous")
    weights = np.ones(data.nrows) if data.weights is None else data.weights.astype(np.float64)
    seen = weights > 0
    centred = {v: _centred(data.column(v)[seen], weights[seen]) for v in (x, y, *ordered)}
    basis = np.zeros((np.count_nonzero(seen), 0))
    for v in ordered:
        left = _residual(centred[v], basis)
        if left is not None:
            basis = np.column_stack([basis, left])
    rank = basis.shape[1]
    e_x, e_y = _residual(centred[x], basis), _residual(centred[y], basis)
    rho = 0.0 if e_x is None or e_y is None or data.n <= rank + 2 else _correlation(e_x, e_y)
    return PairMoments(x, y, ordered, data.n, rho, rank)


def _centred(values: Floats, weights: Floats) -> Floats:
    """Values without their mean, each times the root of its weight, scaled to a largest entry of 1."""
    if (values == values[0]).all():  # the mean of a constant may differ from it in the last digit
        return np.zeros(len(values))
    values = np.ldexp(values, -np.frexp(np.abs(values).max())[1])  # by a power of two, exactly: no sum overflows
    for _ in range(2):  # twice, since the first mean has a rounding error of its own
        values = values - (weights @ values) / weights.sum()
    values = values * np.sqrt(weights)
    return np.asarray(values / np.abs(values).max())


def _residual(values: Floats, basis: Floats) -> Floats | None:
    """What remains outside the span of an orthonormal basis, with length 1; None if that is nothing (`SINGULAR`)."""
    left = values
    for _ in range(2):  # twice is enough for orthogonality to the last digits
        left = left - basis @ (basis.T @ left)
    if left @ left <= SINGULAR * (values @ values):
        return None
    return np.asarray(left / np.sqrt(left @ left))


def _correlation(e_x: Floats, e_y: Floats) -> float:
    """The inner product of vectors of length 1, exactly -1 or 1 where one is a multiple of the other (`SINGULAR`)."""
    rho = float(e_x @ e_y)
    return float(np.sign(rho)) if (1 - rho) * (1 + rho) <= SINGULAR else rho


def check_pair(data: Data, x: str, y: str, given: Sequence[str] | str) -> tuple[str, ...]:
    """The conditioning variables in column order, if all are columns and different from each other, x and y."""
    if not isinstance(given, str) and not isinstance(given, Iterable):
        raise InputError(f"given={given!r} must be a list of names; [] for none")
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in (x, y, *names):
        if name not in data.names:
            raise InputError(f"the data has no column {name!r}: {suggest(name, data.names)}")
    if x == y:
        raise InputError(f"x and y are both {x!r}: give two different variables")
    for name in (x, y):
        if name in names:
            raise InputError(f"given={names} has {name!r}, which is x or y: leave it out")
    if len(set(names)) < len(names):
        raise InputError(f"given={names} has a variable twice: give each once")
    if data.n == 0:
        raise InputError("the data has no rows")
    return tuple(sorted(names, key=data.names.index))


def _require_kind(data: Data, names: Sequence[str], kind: Kind) -> None:
    for name in names:
        if data.kinds[name] != kind:
            raise InputError(f"column {name!r} is {data.kinds[name]}, but {kind} data is needed here")
