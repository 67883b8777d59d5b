"""What the two tests on contingency tables share: expected counts, degrees of freedom and the tail of chi-square."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import fsum, inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.counts import Floats
from veridag.criteria.packing import Triple, pack_tests
from veridag.data import Data

from .bound import BoundTest
from .pairs import PairCounts
from .result import TestResult, TestResults

DF = Literal["plain", "adjusted", "observed"]


def expected_counts(counts: PairCounts) -> Floats:
    """m_ijk = n_i+k n_+jk / n_++k, what is expected of independent variables."""
    n_ijk = counts.n_xyz.astype(np.float64)
    return np.asarray(
        n_ijk.sum(axis=2, keepdims=True) * n_ijk.sum(axis=1, keepdims=True) / n_ijk.sum(axis=(1, 2), keepdims=True)
    )


def degrees_of_freedom(counts: PairCounts, df: DF) -> int:
    """(R - 1)(C - 1) L if plain; otherwise (r_k - 1)(c_k - 1) summed over strata k, with r_k and c_k states there."""
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
    result = chi_square(max(fsum(terms.tolist()), 0.0), degrees, alpha)
    return replace(result, reliable=min(R, C) == 1 or df != "observed" or counts.n >= R * C * counts.L)


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


def chi_squares(statistic: Floats, df: Floats, alpha: float, reliable: NDArray[np.bool_]) -> TestResults:
    """The upper tails of many."""
    from scipy.special import chdtrc

    statistic = np.where(df == 0, 0.0, statistic)
    tail = chdtrc(np.where(np.isinf(df), 1.0, np.maximum(df, 1.0)), statistic)
    p_value = np.where((df == 0) | np.isinf(df), 1.0, tail)
    return TestResults(statistic, df, p_value, p_value > alpha, reliable)


class BoundContingency(BoundTest):
    """G2 or Pearson's X2 of discrete data, counted in the core; each test where its variables are observed."""

    def __init__(self, data: Data, df: DF, alpha: float, *, pearson: bool) -> None:
        self.data, self.df, self.alpha, self.pearson = data, df, alpha, pearson
        self.r = np.array([data.arities[v] for v in data.names], dtype=np.float64)

    @cached_property
    def core(self) -> _core.PairTest:
        """The C++ version; that of plain G2 need not count what no data could reject."""
        make = _core.x2_test if self.pearson else _core.g2_test
        return make(self._table, self.df, self.alpha)

    @property
    def _table(self) -> _core.Table:
        return self.data.core_table_with_missing if self.data.incomplete else self.data.core_table

    def many(self, tests: Sequence[Triple], jobs: int) -> TestResults:
        """Statistics and degrees of freedom from the core, all tails at once."""
        x, y, offsets, given = pack_tests(tests)
        g2, x2, strata, adjusted_df, n = _core.contingency(self._table, x, y, offsets, given, jobs)
        R, C = self.r[x], self.r[y]
        statistic = x2 if self.pearson else g2
        free = (R - 1) * (C - 1)
        df = np.where(free == 0, 0.0, free * np.where(free == 0, 1.0, strata)) if self.df == "plain" else adjusted_df
        cells = np.where(free == 0, 0.0, R * C * strata)
        if self.df == "adjusted":  # too few observations for the cells: see G2
            statistic = np.where(n < 5 * cells, 0.0, statistic)
        reliable = (self.df != "observed") | (n >= cells) | (n == 0)
        return chi_squares(statistic, np.where(n == 0, 0.0, df), self.alpha, reliable)
