"""Means and scatter of continuous variables. Readable, not fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from veridag import _core
from veridag.data import Data, MomentData

from .family import Floats, check_family

#: A residual variance below this share of a variable's own is zero: the variable is a linear function of others.
SINGULAR = 1e-10


@dataclass(frozen=True, eq=False)
class FamilyMoments:
    r"""The moments of a family of continuous variables: its mean and $S_n = \sum (x - \bar x)(x - \bar x)^T$.

    Attributes:
        child: The variable.
        parents: Its parents.
        n: The number of observations.
        mean: The means, parents first.
        scatter: The matrix $S_n$, parents first.
        nvariables: The number of variables in the data.

    See also:
        `criteria.scores.base.Score`, docs/adding.md
    """

    child: str
    parents: tuple[str, ...]
    n: int
    mean: Floats
    scatter: Floats
    nvariables: int

    @cached_property
    def residual_variance(self) -> float:
        """The residual variance of the regression on the parents, divided by n (maximum likelihood).

        Parents that are linear functions of other parents add nothing. It is zero if the variable itself is a linear
        function of its parents (see `SINGULAR`).
        """
        return pivots(self.scatter)[-1] / self.n

    @cached_property
    def log_likelihood(self) -> float:
        """The maximised log-likelihood; infinite if the variable is a linear function of its parents."""
        variance = self.residual_variance
        return np.inf if variance == 0 else -0.5 * self.n * (np.log(2 * np.pi * variance) + 1)


def family_moments(data: Data, child: str, parents: Sequence[str], nvariables: int | None = None) -> FamilyMoments:
    """Means and scatter of a family, the parents in column order; a row of weight w counts w times.

    `nvariables` is the size of the network where the data is only a part of it.
    """
    ordered = check_family(data, child, parents, "continuous")
    mean, scatter = _mean_and_scatter(data, (*ordered, child))
    return FamilyMoments(child, ordered, data.n, mean, scatter, len(data.names) if nvariables is None else nvariables)


def mean_vector(data: Data) -> Floats:
    """The means of all variables."""
    if isinstance(data, MomentData):
        return data.mean_and_scatter(data.names)[0]
    return _centred(data, data.names)[0]


def scatter_matrix(data: Data) -> Floats:
    """The scatter S_n of all variables, of which a family's is a submatrix."""
    return _mean_and_scatter(data, data.names)[1]


def _mean_and_scatter(data: Data, names: Sequence[str]) -> tuple[Floats, Floats]:
    if isinstance(data, MomentData):
        return data.mean_and_scatter(names)
    mean, x, w = _centred(data, names)
    return mean, _core.scatter(x, w)


def _centred(data: Data, names: Sequence[str]) -> tuple[Floats, Floats, Floats | None]:
    """The means, a row of values less their mean for each variable, and the weights of the columns of these rows."""
    data.check_scales(names)
    rows, w = data.row_order, None
    if data.weights is not None:
        rows = rows[data.weights[rows] > 0]
        w = data.weights[rows].astype(float)
    x, mean = np.empty((len(names), len(rows))), np.empty(len(names))
    for i, name in enumerate(names):
        x[i], mean[i] = centred(data.column(name).take(rows), w, data.n)
    return mean, x, w


def centred(values: Floats, w: Floats | None, n: int) -> tuple[Floats, float]:
    """Values less their mean, and the mean; `w` are the weights, n their sum.

    Values less the first are summed, so that a constant becomes exactly zero. The mean of what is left is taken away a
    second time: if the mean is large compared with the deviations, the first one is too inaccurate.
    """
    mean = float(values[0])
    values = values - mean
    for _ in range(2):
        left = float(values.sum() if w is None else (w * values).sum()) / n
        values -= left
        mean += left
    return values, mean


def pivots(scatter: Floats) -> list[float]:
    """The squared diagonal of the Cholesky factor: what each variable varies around its regression on those before it.

    A pivot below `SINGULAR` times the variable's own scatter is zero, and its variable is skipped.
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


def residual_scatter(scatter: Floats, last: int) -> tuple[int, Floats]:
    """The scatter of the last variables around their regression on those before.

    With it comes how many of those before are no linear functions of others; the rest is skipped, as in `pivots`.
    """
    a, first = scatter.copy(), len(scatter) - last
    rank = 0
    for k in range(first):
        if a[k, k] <= SINGULAR * scatter[k, k]:
            continue
        rank += 1
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :]) / a[k, k]
    return rank, a[first:, first:]
