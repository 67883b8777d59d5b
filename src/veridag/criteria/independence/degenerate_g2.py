"""The likelihood ratio test of blocks of columns, for mixed data without a restriction on directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, log
from typing import ClassVar

import numpy as np

from veridag import _core
from veridag.checks import Number, checked
from veridag.counts import SINGULAR, Floats, embedded_scatter
from veridag.counts.moments import pivots, residual_scatter
from veridag.criteria.packing import Triple, pack_tests
from veridag.data import Data
from veridag.data.columns import DataKind

from .base import ALPHA, Test
from .bound import BoundTest
from .bound_by_pair import UNTESTED
from .chi_square import chi_square, chi_squares
from .pairs import check_pair
from .result import TestResult, TestResults


@dataclass(frozen=True)
class DegenerateG2(Test):
    r"""The likelihood ratio test of a joint Gaussian in which discrete variables are indicators of their states.

    A variable with $r$ states becomes the $r - 1$ columns $[x = k]$; a continuous variable remains one column (Andrews
    et al. 2019). With $|S|$ the determinant of the covariance of the columns of a set of variables,

    $$
    G^2 = -n \log \frac{|S_{XYZ}|\, |S_Z|}{|S_{XZ}|\, |S_{YZ}|}
    $$

    is compared with chi-square with $a b$ degrees of freedom, for $a$ columns of X and $b$ of Y. On continuous data it
    is `G2`. It detects shifts of means with a category, but not differences of variances or slopes. Searches that use
    it can direct arcs between discrete and continuous variables either way.

    Columns that are constant or linear functions of others given Z are ignored. If X or Y becomes such a function
    together with the other variable, $G^2$ is infinite. With no more observations than columns, nothing can be tested.

    - `alpha`: variables with a p-value above it count as independent.
    - `ess`: prior observations of each discrete variable, spread evenly over its states and independent of everything
      else. They keep determinants above zero if a category follows from others. 0 is the formula of the paper.

    See also:
        `G2`, `DegenerateGaussian`, docs/mixed.md
    """

    alpha: float = field(default=0.05, metadata=checked(ALPHA))
    ess: float = field(default=1.0, metadata=checked(Number(least=0)))
    both_directions: ClassVar[bool] = True

    def evaluate(self, data: Data, x: str, y: str, given: Sequence[str] | str) -> TestResult:
        """Test x and y given the other variables; see `veridag.test`."""
        ordered = check_pair(data, x, y, given)
        data = data.not_set((x, y))
        if data.n == 0:
            return UNTESTED
        if data.incomplete:
            data = data.select([v for v in data.names if v in (x, y, *ordered)])
            data = data.where_observed(data.names)
            if data.n == 0:
                return UNTESTED
        first, second = sorted((x, y), key=data.names.index)
        scatter, widths = embedded_scatter(data, (*ordered, first, second), self.ess)
        statistic, df = block_ratio(scatter, widths[-2], widths[-1], data.n)
        return chi_square(statistic, df, self.alpha)

    def handles(self, kind: DataKind) -> bool:
        """Data of every kind."""
        del kind
        return True

    def compiled(self, data: Data) -> BoundTest:
        """The C++ version of the test."""
        return BoundBlocks(self, data)


def block_ratio(scatter: Floats, a: int, b: int, n: int) -> tuple[float, int]:
    """G2 of the last a + b columns given those before, and its degrees of freedom."""
    rank, left = residual_scatter(scatter, a + b)
    if a == 0 or b == 0 or n <= rank + a + b:
        return 0.0, 0
    own = scatter.diagonal()[len(scatter) - a - b :]
    explained = left.diagonal() <= SINGULAR * own  # by Z
    left[explained, :] = left[:, explained] = 0.0
    g2 = 0.0
    for alone, beside in zip(pivots(left[a:, a:]), pivots(left)[a:], strict=True):
        if alone > 0:
            g2 += inf if beside == 0 else n * log(alone / beside)
    return max(g2, 0.0), a * b


class BoundBlocks(BoundTest):
    """Variables as blocks of columns, whose scatter is computed once."""

    def __init__(self, test: DegenerateG2, data: Data) -> None:
        self.alpha, self.n = test.alpha, float(data.n)
        self.scatter, self.widths = embedded_scatter(data, data.names, test.ess)

    @cached_property
    def core(self) -> _core.PairTest:
        """The C++ version."""
        return _core.degenerate_g2_test(self.scatter, self.widths, self.n, self.alpha)

    def many(self, tests: Sequence[Triple], jobs: int) -> TestResults:
        """Statistics from the core, all tails at once."""
        statistic, df = _core.embedded_ratios(self.scatter, self.widths, self.n, *pack_tests(tests), jobs)
        return chi_squares(statistic, df, self.alpha, np.ones(len(df), bool))
