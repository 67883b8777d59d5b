"""The log-likelihood ratio test."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, log1p
from typing import get_args

import numpy as np

from veridag.checks import OneOf, checked
from veridag.data import Data

from .base import ALPHA, Test
from .bound import BoundCorrelation, BoundTest
from .chi_square import DF, BoundContingency, chi_square, contingency_test, expected_counts
from .pairs import PairCounts, PairMoments
from .result import TestResult


@dataclass(frozen=True)
class G2(Test):
    """The log-likelihood ratio test, for discrete and for Gaussian data.

    Discrete, eq. (6) of Scutari, Graafland and Gutierrez (2019): G2 = 2 sum of n_ijk log(n_ijk n_++k / (n_i+k n_+jk))
    over the states i of X and j of Y and the configurations k of Z, which is 2n times the mutual information. Empty
    cells and configurations add nothing. It is held against chi-square, with `df` degrees of freedom:

    - ``"plain"``: (R - 1)(C - 1) L of the declared states, whether they are observed or not. Configurations that do
      not occur take power from it: with many of them, every pair is independent.
    - ``"adjusted"``: (r_k - 1)(c_k - 1) summed over the configurations k that occur, with r_k and c_k the numbers of
      states of X and Y observed in k. And no test with fewer than five observations on average for each of the R C L
      cells: it would have no power, so the variables count as independent, with statistic 0 and p-value 1.
    - ``"observed"``: the same sum, whatever the number of observations. With fewer of them than the R C L cells the
      test finds too many dependences, and the result is not `reliable`: no variable enters a Markov blanket by it.
      This is the default of searches, where it keeps edges that the others lose; see `docs/algorithms/pc-stable.md`.

    Gaussian: G2 = -n log(1 - rho^2) of the partial correlation rho, against chi-square with 1 degree of freedom (the
    paper's eq. 7 lacks the sign); `df` makes no difference. If rho is -1 or 1, G2 is infinite and the p-value 0. With
    no more observations than variables any data has |rho| = 1 (n <= |Z| + 2): then nothing can be tested.

    Variables with a p-value above `alpha` count as independent.
    """

    alpha: float = field(default=0.05, metadata=checked(ALPHA))
    df: DF = field(default="plain", metadata=checked(OneOf(get_args(DF))))

    def discrete(self, counts: PairCounts) -> TestResult:
        """Test discrete variables."""
        n_ijk, m_ijk = counts.n_xyz, expected_counts(counts)
        seen = n_ijk > 0
        terms = np.asarray(2 * n_ijk[seen] * np.log(n_ijk[seen] / m_ijk[seen]), dtype=np.float64)
        return contingency_test(terms, counts, self.df, self.alpha)

    def continuous(self, moments: PairMoments) -> TestResult:
        """Test Gaussian variables."""
        if moments.n - moments.rank - 2 <= 0:
            return chi_square(0.0, 0, self.alpha)
        rho = moments.rho
        return chi_square(inf if abs(rho) == 1 else -moments.n * log1p(-(rho**2)), 1, self.alpha)

    def compiled(self, data: Data) -> BoundTest:
        """The same formulas in the core."""
        if data.require_one_kind() == "discrete":
            return BoundContingency(data, self.df, self.alpha, pearson=False)
        return BoundCorrelation(self, data, "g2", self.alpha)
