"""Least squares: the regression of a continuous variable on continuous parents, over all rows or in each configuration.

Tables of discrete variables do not belong here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from veridag.counts import SINGULAR
from veridag.data import Data
from veridag.errors import InputError

from .parameters import ConditionalGaussian, Floats, LinearGaussian
from .spread import Fitted, RegressionSpread


@dataclass(frozen=True)
class Regression:
    """What least squares give; `singular` says why there is no density, if there is none.

    `n` observations leave `df` degrees of freedom; `errors` are the standard errors of intercept and coefficients.
    """

    intercept: float
    coefficients: Floats
    sd: float
    singular: str | None
    n: float
    df: float
    errors: Floats

    @property
    def row(self) -> Floats:
        """As a `RegressionSpread` has it."""
        return np.array([self.n, self.df, *self.errors])


def fit_regression(data: Data, child: str, parents: Sequence[str]) -> Fitted[LinearGaussian]:
    """The regression of a variable on continuous parents, over all rows."""
    found = _least_squares(*_columns(data, child, parents))
    if found.singular:
        raise InputError(f"{child!r} is {found.singular}, so its distribution has no density: leave it out")
    cpd = LinearGaussian(tuple(parents), found.intercept, found.coefficients, found.sd)
    return Fitted(cpd, RegressionSpread(found.row[None, :]))


def fit_regressions(
    data: Data, child: str, discrete: Sequence[str], continuous: Sequence[str], *, borrow: bool
) -> Fitted[ConditionalGaussian]:
    """A regression for each configuration of the discrete parents; `fit` says more.

    A configuration with too few rows, or without variance that is left, borrows the regression of all rows or is an
    error that names it.
    """
    shape = [data.arities[v] for v in discrete]
    columns, w = _columns(data, child, continuous)
    number = np.zeros(data.nrows, dtype=np.int64)
    for v, r in zip(discrete, shape, strict=True):
        number = number * r + data.column(v)
    if data.weights is not None:
        number = number[data.weights > 0]
    pooled = fit_regression(data, child, continuous).cpd
    rows = np.tile([pooled.intercept, *pooled.coefficients, pooled.sd], (prod(shape), 1))
    known = np.full((len(rows), len(continuous) + 3), np.nan)
    enough = np.zeros(len(rows), dtype=bool)
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    for these in np.split(order, starts[1:]):
        if w[these].sum() < len(continuous) + 2:
            continue
        found = _least_squares(columns[these], w[these])
        if not found.singular:
            rows[number[these[0]]] = [found.intercept, *found.coefficients, found.sd]
            known[number[these[0]]] = found.row
            enough[number[these[0]]] = True
    if not borrow and not enough.all():
        where = np.unravel_index(int(enough.argmin()), shape)
        given = ", ".join(f"{p} = {data.states[p][k]}" for p, k in zip(discrete, where, strict=True))
        n = w[number == enough.argmin()].sum()
        raise InputError(
            f"unobserved='error': the {n:g} rows with {given} are not enough for a regression of {child!r}, which "
            f"needs {len(continuous) + 2} rows and a residual variance: give it fewer parents, or use the regression "
            "of all rows with unobserved='uniform'"
        )
    return Fitted(ConditionalGaussian.from_rows(discrete, continuous, shape, rows), RegressionSpread(known))


def _columns(data: Data, child: str, parents: Sequence[str]) -> tuple[Floats, Floats]:
    """The parents and then the child, a column each, and the weights; rows of weight 0 are left out."""
    w = np.ones(data.nrows) if data.weights is None else data.weights.astype(np.float64)
    return np.column_stack([data.column(v)[w > 0] for v in (*parents, child)]), w[w > 0]


def _least_squares(columns: Floats, w: Floats) -> Regression:
    """The regression of the last column on the others, a row of weight w counting w times."""
    constant = (columns == columns[0]).all(axis=0)
    mean = np.where(constant, columns[0], w @ columns / w.sum())  # a constant's mean may differ in the last digit
    centred = columns - mean
    sd = np.sqrt(w @ centred**2 / w.sum())
    standard = centred / np.where(sd > 0, sd, 1.0) * np.sqrt(w)[:, None]
    x, y = standard[:, :-1], standard[:, -1]
    # The squares of singular values are variances, which SINGULAR is about.
    slopes = np.linalg.lstsq(x, y, rcond=float(np.sqrt(SINGULAR)))[0] if x.shape[1] else np.zeros(0)
    left = float(((y - x @ slopes) ** 2).sum() / w.sum())
    singular = None
    if sd[-1] == 0:
        singular = "constant"
    elif left <= SINGULAR:
        singular = f"a linear function of its {x.shape[1]} parents in these {w.sum():g} rows"
    coefficients = np.where(sd[:-1] > 0, slopes * sd[-1] / np.where(sd[:-1] > 0, sd[:-1], 1.0), 0.0)
    intercept = float(mean[-1] - coefficients @ mean[:-1])
    df, factors = _error_factors(x, mean[:-1], sd[:-1], float(w.sum()))
    scale = float(sd[-1] * np.sqrt(left * w.sum() / df)) if df > 0 else np.nan
    residual = float(sd[-1] * np.sqrt(left))
    return Regression(intercept, coefficients, residual, singular, float(w.sum()), df, scale * factors)


def _error_factors(x: Floats, mean: Floats, sd: Floats, n: float) -> tuple[float, Floats]:
    """Degrees of freedom, and the roots of the diagonal of (Z'Z)^-1 with Z = (1, parents): intercept, coefficients.

    `x` are the standardised parents. Where parents are linear functions of each other, or constant, the coefficients
    that the rows do not determine have infinite factors.
    """
    values, vectors = np.linalg.eigh(x.T @ x)
    kept = values > SINGULAR * max(values.max(initial=0.0), np.finfo(float).tiny)
    inverse = vectors[:, kept] / np.sqrt(values[kept])
    free = vectors[:, ~kept]
    unit = np.where(sd > 0, sd, 1.0)
    # A row for each of them: how it depends on the standardised slopes.
    directions = np.vstack([mean / unit, np.diag(1 / unit)])
    length = np.linalg.norm(directions, axis=1)
    length[0] = max(length[0], 1.0)  # means that are rounding errors determine nothing
    open_ = np.linalg.norm(directions @ free, axis=1) > np.sqrt(SINGULAR) * length
    squares = ((directions @ inverse) ** 2).sum(axis=1) + np.where(np.arange(len(directions)) == 0, 1 / n, 0.0)
    return n - float(kept.sum()) - 1.0, np.where(open_, np.inf, np.sqrt(squares))
