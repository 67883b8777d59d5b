"""The degenerate Gaussian score, for mixed data without a restriction on directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, log, pi
from typing import ClassVar

from veridag import _core
from veridag.checks import Number, checked
from veridag.counts import check_variables, embedded_scatter
from veridag.counts.moments import pivots
from veridag.data import Data
from veridag.data.columns import DataKind

from .base import Score, rows_for


@dataclass(frozen=True)
class DegenerateGaussian(Score):
    r"""The BIC of a joint Gaussian in which discrete variables are indicators of their states (Andrews et al. 2019).

    A variable with $r$ states becomes the $r - 1$ columns $[x = k]$; a continuous variable remains one column. With
    $|S|$ the determinant of the maximum likelihood covariance, $a$ columns of $X_i$ and $b$ of its parents $P$, the
    local score is

    $$
    -\tfrac n2 \left(\log |S_{iP}| - \log |S_P| + a \log(2 \pi e)\right)
    - \left(\tfrac12 \log n + \gamma \log N\right) \left(a b + \tfrac{a (a + 3)}{2}\right)
    $$

    for $n$ observations of $N$ variables. It is a difference of functions of sets of variables. So equivalent networks
    have the same score, and arcs between discrete and continuous variables can have either direction. On continuous
    data it is `BIC`. It detects shifts of means with a category, but not differences of variances or slopes.

    - `gamma`: the weight of the extension of BIC for many variables; 0 for none.
    - `ess`: prior observations of each discrete variable, spread evenly over its states and independent of everything
      else. They keep determinants above zero if a category follows from others. 0 is the formula of the paper.

    See also:
        `BCG`, `DegenerateG2`, docs/mixed.md
    """

    gamma: float = field(default=0.0, metadata=checked(Number(least=0)))
    ess: float = field(default=1.0, metadata=checked(Number(least=0)))
    equivalent: ClassVar[bool] = True
    both_directions: ClassVar[bool] = True

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family."""
        data = rows_for(child, data)
        self.check(data)
        ordered = check_variables(data, child, parents)
        scatter, widths = embedded_scatter(data, (*ordered, child), self.ess)
        a, b = widths[-1], sum(widths[:-1])
        residuals = pivots(scatter)[b:]
        if 0.0 in residuals:
            return inf
        log_likelihood = -data.n / 2 * sum(log(2 * pi * residual / data.n) + 1 for residual in residuals)
        return log_likelihood - self._penalty_each(data) * (a * b + a * (a + 3) / 2)

    def _penalty_each(self, data: Data) -> float:
        return log(data.n) / 2 + self.gamma * log(len(data.names))

    def widths(self, data: Data) -> list[int]:
        """The columns of each variable."""
        return [1 if data.kinds[v] == "continuous" else data.arities[v] - 1 for v in data.names]

    @classmethod
    def handles(cls, kind: DataKind) -> bool:
        """Data of every kind."""
        del kind
        return True

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        scatter, widths = embedded_scatter(data, data.names, self.ess)
        return _core.embedded_scorer(scatter, widths, float(data.n), self._penalty_each(data))
