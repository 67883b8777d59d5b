"""What the two tests on contingency tables share: expected counts, degrees of freedom and the tail of chi-square."""

from __future__ import annotations

from math import fsum, inf
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from veridag.counts import Floats
from veridag.errors import InputError

from .base import PairCounts
from .result import TestResult

DF = Literal["plain", "adjusted"]


def check_df(df: object) -> None:
    """Raise `InputError` if this is no rule for degrees of freedom."""
    if df not in get_args(DF):
        raise InputError(f"df={df!r} must be 'plain' or 'adjusted'")


def expected_counts(counts: PairCounts) -> Floats:
    """m_ijk = n_i+k n_+jk / n_++k, what is expected of independent variables."""
    n_ijk = counts.n_xyz.astype(np.float64)
    return np.asarray(
        n_ijk.sum(axis=2, keepdims=True) * n_ijk.sum(axis=1, keepdims=True) / n_ijk.sum(axis=(1, 2), keepdims=True)
    )


def degrees_of_freedom(counts: PairCounts, df: DF) -> int:
    """(R - 1)(C - 1) L; or adjusted, (r_k - 1)(c_k - 1) summed over strata k with r_k and c_k states observed there."""
    _, R, C = map(int, counts.n_xyz.shape)
    if df == "plain":
        return (R - 1) * (C - 1) * counts.L
    r_k = np.count_nonzero(counts.n_xyz.sum(axis=2), axis=1)
    c_k = np.count_nonzero(counts.n_xyz.sum(axis=1), axis=1)
    return int(((r_k - 1) * (c_k - 1)).sum())


def contingency_test(terms: NDArray[np.float64], counts: PairCounts, df: DF, alpha: float) -> TestResult:
    """The sum of the terms against chi-square; adjusted, only where there are five observations for each cell.

    The sum is correctly rounded, so that it does not depend on the order of cells, rows or columns.
    """
    _, R, C = counts.n_xyz.shape
    degrees = degrees_of_freedom(counts, df)
    if df == "adjusted" and counts.n < 5 * R * C * counts.L:
        return TestResult(0.0, float(degrees), 1.0, True)
    return chi_square(max(fsum(terms.tolist()), 0.0), degrees, alpha)


def chi_square(statistic: float, df: int, alpha: float) -> TestResult:
    """The upper tail of chi-square."""
    from scipy.special import chdtrc

    if df == 0:
        return TestResult(0.0, 0.0, 1.0, True)
    try:
        degrees = float(df)
    except OverflowError:  # beyond any finite statistic
        return TestResult(statistic, inf, 1.0, True)
    p_value = float(chdtrc(degrees, statistic))
    return TestResult(statistic, degrees, p_value, p_value > alpha)
