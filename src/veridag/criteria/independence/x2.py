"""Pearson's test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, get_args

from veridag.checks import OneOf, checked
from veridag.data import Data

from .base import ALPHA, Test
from .chi_square import DF, BoundContingency, contingency_test, expected_counts
from .pairs import PairCounts
from .result import TestResult


@dataclass(frozen=True)
class X2(Test):
    r"""Pearson's chi-square test $X^2$, for discrete data.

    $$
    X^2 = \sum_{ijk} \frac{(n_{ijk} - m_{ijk})^2}{m_{ijk}}, \qquad m_{ijk} = \frac{n_{i+k} n_{+jk}}{n_{++k}}
    $$

    over the states $i$ of X, $j$ of Y and the configurations $k$ of Z, without cells whose expected count is 0
    (Scutari, Graafland and Gutierrez 2019, section 2.2). `df` sets the degrees of freedom, as in `G2`. Variables with a
    p-value above `alpha` count as independent.

    See also:
        `G2`, `test`, docs/tests/index.md
    """

    alpha: float = field(default=0.05, metadata=checked(ALPHA))
    df: DF = field(default="plain", metadata=checked(OneOf(get_args(DF))))
    compiles_incomplete: ClassVar[bool] = True

    def discrete(self, counts: PairCounts) -> TestResult:
        """Test discrete variables."""
        m_ijk = expected_counts(counts)
        possible = m_ijk > 0
        n_ijk, m_ijk = counts.n_xyz[possible], m_ijk[possible]
        return contingency_test((n_ijk - m_ijk) ** 2 / m_ijk, counts, self.df, self.alpha)

    def compiled(self, data: Data) -> BoundContingency:
        """The C++ version of the test."""
        return BoundContingency(data, self.df, self.alpha, pearson=True)
