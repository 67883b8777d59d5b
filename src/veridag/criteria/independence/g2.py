"""The log-likelihood ratio test."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, log1p
from typing import ClassVar, get_args

import numpy as np

from veridag.checks import OneOf, checked
from veridag.data import Data

from .base import ALPHA, Test
from .bound import BoundTest, bound_correlation
from .bound_mixed import BoundMixed
from .chi_square import DF, BoundContingency, chi_square, contingency_test, expected_counts
from .conditional_gaussian import likelihood_ratio, plain_df
from .pairs import PairCounts, PairMoments
from .result import TestResult
from .strata import PairStrata


@dataclass(frozen=True)
class G2(Test):
    r"""The log-likelihood ratio test $G^2$, for discrete, Gaussian and mixed data.

    Discrete data, eq. (6) of Scutari, Graafland and Gutierrez (2019):

    $$
    G^2 = 2 \sum_{ijk} n_{ijk} \log \frac{n_{ijk} n_{++k}}{n_{i+k} n_{+jk}}
    $$

    over the states $i$ of X, $j$ of Y and the configurations $k$ of Z. This is $2n$ times the mutual information. Empty
    cells and configurations add nothing. `df` sets the degrees of freedom of the chi-square distribution:

    - ``"plain"``: $(R - 1)(C - 1) L$ of the declared states, observed or not. Configurations that do not occur reduce
      its power: with many of them, every pair is independent.
    - ``"adjusted"``: the sum of $(r_k - 1)(c_k - 1)$ over the configurations $k$ that occur, where $r_k$ and $c_k$ are
      the numbers of states of X and Y observed in $k$. With fewer than five observations on average for each of the
      $R C L$ cells there is no test, because it would have no power: the variables count as independent, with statistic
      0 and p-value 1.
    - ``"observed"``: the same sum for any number of observations. With fewer observations than the $R C L$ cells the
      test finds too many dependences, and the result is not `reliable`: no variable enters a Markov blanket by it. This
      is the default in searches, where it keeps edges that the others lose; see docs/algorithms/pc-stable.md.

    Gaussian data: $G^2 = -n \log(1 - \rho^2)$ of the partial correlation $\rho$, with 1 degree of freedom (the sign is
    missing in eq. 7 of the paper). `df` makes no difference. If $\rho$ is -1 or 1, $G^2$ is infinite and the p-value 0.
    With no more observations than variables, $n \le |Z| + 2$, any data has $|\rho| = 1$, so nothing can be tested.

    Mixed data: $G^2 = 2 (h(XYZ) + h(Z) - h(XZ) - h(YZ))$, where $h(S)$ is the maximised log-likelihood of the
    conditional Gaussian distribution of the variables $S$ (Lauritzen 1996). It has a probability for each configuration
    of the discrete variables, and in each a joint Gaussian of the continuous ones. If X is continuous, this compares a
    regression of X on the continuous members of Z, in each configuration of the discrete ones, with one that also has
    Y. A cell is a configuration of all discrete variables in X, Y and Z. $Q$ cells are possible, and $c$ of the
    variables are continuous.

    - ``"plain"``: $f(XYZ) + f(Z) - f(XZ) - f(YZ)$ of the declared states, with $f(S) = q - 1 + q (c + c (c + 1) / 2)$
      parameters for $q$ configurations. The others count the parameters of the cells that occur. There is no
      ``"adjusted"`` test with fewer than $5 Q (c + 1)$ observations, and an ``"observed"`` one is not `reliable` with
      fewer than $Q (c + 1)$.
    - A cell needs more than $c$ rows to determine its Gaussian (not counting variables that are constant or linear
      functions of others there). The rows of other cells are left out of all Gaussians. If X and Y are both discrete,
      the counts of such cells stay, because they show that a combination is rare; but a state of X or Y that has no
      Gaussian anywhere in a configuration of Z is left out there.
    - $G^2$ is infinite if X or Y has no residual variance in a cell, but has some in the combined cells that differ in
      the other variable. This needs five more rows than a Gaussian: fewer can be equal by chance, and are left out.
    - $G^2$ below 0, which is possible if X and Y are discrete, is 0. If no cells are left to compare, nothing is
      tested.

    Variables with a p-value above `alpha` count as independent.

    See also:
        `X2`, `FisherZ`, `DegenerateG2`, docs/tests/index.md
    """

    alpha: float = field(default=0.05, metadata=checked(ALPHA))
    df: DF = field(default="plain", metadata=checked(OneOf(get_args(DF))))
    compiles_incomplete: ClassVar[bool] = True

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

    def mixed(self, strata: PairStrata) -> TestResult:
        """Test variables of which some are discrete and some continuous."""
        g2, observed_df = likelihood_ratio(strata)
        needed, constant = strata.rows_needed, 1 in (strata.R, strata.C)
        if self.df == "adjusted" and strata.n < 5 * needed:
            return TestResult(0.0, float(observed_df), 1.0, True)
        df = plain_df(strata) if self.df == "plain" and observed_df > 0 else observed_df
        reliable = constant or self.df != "observed" or strata.n >= needed
        return replace(chi_square(g2, df, self.alpha), reliable=reliable)

    def compiled(self, data: Data) -> BoundTest:
        """The same formulas in the core."""
        if data.kind == "mixed":
            return BoundMixed(self, data)
        if data.kind == "discrete":
            return BoundContingency(data, self.df, self.alpha, pearson=False)
        return bound_correlation(self, data, "g2", self.alpha)
