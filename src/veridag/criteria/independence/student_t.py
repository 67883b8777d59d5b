"""Student's exact test of a partial correlation."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import copysign, inf, sqrt
from typing import ClassVar

from veridag.checks import checked
from veridag.data import Data

from .base import ALPHA, Test
from .bound import BoundTest, bound_correlation
from .pairs import PairMoments
from .result import TestResult


@dataclass(frozen=True)
class StudentT(Test):
    r"""The exact t test of a partial correlation $\rho$: $t = \rho \sqrt{(n - |Z| - 2) / (1 - \rho^2)}$, two-sided.

    Under independence $t$ has Student's distribution with $n - |Z| - 2$ degrees of freedom (Scutari, Graafland and
    Gutierrez 2019, section 2.2). $|Z|$ does not count variables that are constant or linear functions of others. If
    $\rho$ is -1 or 1, $t$ is infinite and the p-value 0. Without degrees of freedom nothing can be tested, and the
    variables count as independent.

    Variables with a p-value above `alpha` count as independent.

    See also:
        `FisherZ`, `G2`, docs/tests/index.md
    """

    alpha: float = field(default=0.05, metadata=checked(ALPHA))
    compiles_incomplete: ClassVar[bool] = True

    def continuous(self, moments: PairMoments) -> TestResult:
        """Test Gaussian variables."""
        from scipy.special import stdtr

        rho, df = moments.rho, moments.n - moments.rank - 2
        if df <= 0:
            return TestResult(0.0, 0.0, 1.0, True)
        if abs(rho) == 1:
            return TestResult(copysign(inf, rho), float(df), 0.0, False)
        t = rho * sqrt(df / ((1 - rho) * (1 + rho)))
        p_value = 2 * float(stdtr(df, -abs(t)))
        return TestResult(t, float(df), p_value, p_value > self.alpha)

    def compiled(self, data: Data) -> BoundTest:
        """The C++ version of the test."""
        return bound_correlation(self, data, "student-t", self.alpha)
