"""The likelihood ratio of the conditional Gaussian distribution: what G2 is on mixed data."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, inf, log, log1p

import numpy as np

from veridag.counts import SINGULAR
from veridag.counts.moments import pivots, residual_scatter

from .strata import Cell, Moments, PairStrata, merged

#: So many rows more than a regression needs show that a variable has no residuals; fewer may be equal by chance, or be
#: one row that was drawn several times.
SURE = 5


def likelihood_ratio(pair: PairStrata) -> tuple[float, int]:
    """G2 and its degrees of freedom by what occurs, summed over the configurations of the discrete variables in Z."""
    if pair.R and pair.C:
        terms = [_both_discrete(cells) for cells in pair.strata]
    elif pair.R or pair.C:
        terms = [_one_of_each(cells) for cells in pair.strata]
    else:
        terms = [_both_continuous(cells[0].moments) for cells in pair.strata]
    return max(fsum(g2 for g2, _ in terms), 0.0), sum(df for _, df in terms)


def plain_df(pair: PairStrata) -> int:
    """f(XYZ) + f(Z) - f(XZ) - f(YZ), with f(S) = q - 1 + q (c + c (c + 1) / 2) of the declared states."""
    if pair.R and pair.C:
        return (pair.R - 1) * (pair.C - 1) * pair.L * (1 + _nparams(pair.c))
    if pair.R or pair.C:
        return (max(pair.R, pair.C) - 1) * pair.L * (pair.c + 2)
    return pair.L


def _nparams(c: int) -> int:
    """Means and covariances of c variables."""
    return c + c * (c + 1) // 2


def _both_continuous(moments: Moments) -> tuple[float, int]:
    """-n log(1 - rho^2) of the partial correlation given the continuous variables in Z."""
    rank, left = residual_scatter(moments.scatter, 2)
    own = moments.scatter.diagonal()[-2:]
    if moments.n <= rank + 2 or (left.diagonal() <= SINGULAR * own).any():
        return 0.0, 0
    rho = float(left[0, 1] / np.sqrt(left[0, 0] * left[1, 1]))
    if (1 - rho) * (1 + rho) <= SINGULAR:
        return (inf, 1) if moments.n > rank + 2 + SURE else (0.0, 0)
    return -moments.n * log1p(-(rho**2)), 1


def _one_of_each(cells: Sequence[Cell]) -> tuple[float, int]:
    """A regression of the continuous variable on those in Z, in all cells together against one in each."""
    tell = [cell.moments for cell in cells if _is_determined(cell.moments)]
    if len(tell) < 2:
        return 0.0, 0
    rank, residual = _regression(merged(tell))
    n = sum(part.n for part in tell)
    if residual == 0:  # nothing is left to explain
        return 0.0, 0
    g2, df = n * log(residual / n), -(rank + 2)
    for part in tell:
        rank, residual = _regression(part)
        g2 = inf if residual == 0 else g2 - part.n * log(residual / part.n)
        df += rank + 2
    return g2, df


def _regression(moments: Moments) -> tuple[int, float]:
    """How many independent variables there are before the last, and its residual sum of squares."""
    *before, last = pivots(moments.scatter)
    return int(np.count_nonzero(before)), last


def _is_determined(moments: Moments) -> bool:
    rank, residual = _regression(moments)
    return moments.n > rank + 1 + (SURE if residual == 0 else 0)


def _both_discrete(cells: Sequence[Cell]) -> tuple[float, int]:
    """The joint distribution of X, Y and the continuous variables in Z, against those without X, without Y, and of Z.

    All counts of the states that have a Gaussian somewhere are used: a cell that is rare or empty is evidence itself.
    """
    independent = np.flatnonzero(pivots(merged([cell.moments for cell in cells]).scatter)).tolist()
    c = len(independent)
    gaussian = {(cell.i, cell.j): part for cell in cells if _has_density(part := cell.moments.of(independent), c)}
    rows, columns = ({at[axis] for at in gaussian} for axis in (0, 1))
    if len(rows) < 2 or len(columns) < 2:
        return 0.0, 0
    n = {(cell.i, cell.j): cell.moments.n for cell in cells if cell.i in rows and cell.j in columns}
    g2 = [2 * _n_log_n(n_ij) for n_ij in n.values()] + [2 * _n_log_n(sum(n.values()))]
    g2 += [-_n_log_det(part) for part in gaussian.values()] + [-_n_log_det(merged(list(gaussian.values())))]
    for axis, states in ((0, rows), (1, columns)):
        for state in states:
            g2.append(-2 * _n_log_n(sum(count for at, count in n.items() if at[axis] == state)))
            g2.append(_n_log_det(merged([part for at, part in gaussian.items() if at[axis] == state])))
    free = max(len(gaussian) - len(rows) - len(columns) + 1, 0)
    return fsum(g2), (len(rows) - 1) * (len(columns) - 1) + free * _nparams(c)


def _has_density(moments: Moments, c: int) -> bool:
    return moments.n > c and 0.0 not in pivots(moments.scatter)


def _n_log_n(n: int) -> float:
    return n * log(n)


def _n_log_det(moments: Moments) -> float:
    return moments.n * fsum(log(pivot / moments.n) for pivot in pivots(moments.scatter))
