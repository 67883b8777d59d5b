"""The Bayesian information criterion and its extension for many variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import ClassVar

from veridag import _core
from veridag.checks import Number, checked
from veridag.counts import FamilyCounts, FamilyMoments, FamilyStrata
from veridag.data import Data

from .base import Score, compiled_formula, compiled_likelihood
from .likelihood import log_likelihood, nparams


@dataclass(frozen=True)
class BIC(Score):
    r"""The Bayesian information criterion, $\log L - |\Theta| \left(\frac12 \log n + \gamma \log N\right)$.

    There are $n$ observations of $N$ variables. With $\gamma = 0$ it is eq. (8) of Scutari, Graafland and Gutierrez
    (2019). A larger `gamma` gives sparser graphs: it is $\mathrm{BIC}_\gamma$ in their section 5.1.1. The sign of
    $\gamma$ there is a misprint: the test derived from it, and the extended BIC that it cites, add the term to the
    penalty.

    $|\Theta|$ is $q_i (r_i - 1)$ for a discrete family and $l + 2$ for a Gaussian one with $l$ parents. The variance is
    the maximum likelihood estimate (divided by $n$). A Gaussian variable with discrete parents has a regression for
    each of their $q_i$ configurations (a conditional linear Gaussian): $|\Theta|$ is $q_i (l + 2)$ with $l$ continuous
    parents, and a discrete variable has no continuous parents.

    See also:
        `AIC`, `PNAL`, `ScoreTest`, docs/scores/index.md
    """

    gamma: float = field(default=0.0, metadata=checked(Number(least=0)))
    equivalent: ClassVar[bool] = True

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family of discrete variables."""
        return log_likelihood(family) - self._penalty(family)

    def continuous(self, family: FamilyMoments) -> float:
        """The local score of a family of Gaussian variables."""
        return float(family.log_likelihood) - self._penalty(family)

    def mixed(self, family: FamilyStrata) -> float:
        """The local score of a Gaussian variable with discrete parents."""
        return family.log_likelihood - self._penalty(family)

    def _penalty(self, family: FamilyCounts | FamilyMoments | FamilyStrata) -> float:
        each = self._penalty_each(family.n, family.nvariables)
        return nparams(family) * each if each > 0 else 0.0  # one observation costs nothing, whatever the parameters

    def _penalty_each(self, n: int, nvariables: int) -> float:
        return log(n) / 2 + self.gamma * log(nvariables)

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        if data.kind == "mixed":
            return compiled_likelihood(data, self._penalty_each(data.n, len(data.names)))
        return compiled_formula("bic", data, self.gamma)
