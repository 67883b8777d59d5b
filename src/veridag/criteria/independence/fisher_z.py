"""Fisher's asymptotic test of a partial correlation."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import atanh, copysign, erfc, inf, sqrt
from typing import ClassVar

from veridag.checks import checked
from veridag.data import Data

from .base import ALPHA, Test
from .bound import BoundTest, bound_correlation
from .pairs import PairMoments
from .result import TestResult


@dataclass(frozen=True)
class FisherZ(Test):
    r"""Fisher's z test of a partial correlation $\rho$ given Z: asymptotic and two-sided.

    The statistic $\frac12 \log \frac{1 + \rho}{1 - \rho} \sqrt{n - |Z| - 3}$ is approximately standard normal under
    independence (Scutari, Graafland and Gutierrez 2019, section 2.2). The `df` of the result is $n - |Z| - 3$, where
    $|Z|$ does not count variables that are constant or linear functions of others. If $\rho$ is -1 or 1, the statistic
    is infinite and the p-value 0. If $n - |Z| - 3$ is not above 0, nothing can be tested, and the variables count as
    independent.

    Variables with a p-value above `alpha` count as independent.

    See also:
        `StudentT`, `G2`, docs/tests/index.md
    """

    alpha: float = field(default=0.05, metadata=checked(ALPHA))
    compiles_incomplete: ClassVar[bool] = True

    def continuous(self, moments: PairMoments) -> TestResult:
        """Test Gaussian variables."""
        rho, df = moments.rho, moments.n - moments.rank - 3
        if df <= 0:
            return TestResult(0.0, 0.0, 1.0, True)
        if abs(rho) == 1:
            return TestResult(copysign(inf, rho), float(df), 0.0, False)
        z = atanh(rho) * sqrt(df)
        p_value = erfc(abs(z) / sqrt(2))
        return TestResult(z, float(df), p_value, p_value > self.alpha)

    def compiled(self, data: Data) -> BoundTest:
        """The C++ version of the test."""
        return bound_correlation(self, data, "fisher-z", self.alpha)
