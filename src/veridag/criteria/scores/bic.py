"""The Bayesian information criterion and its extension for many variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import ClassVar

from veridag import _core
from veridag.checks import Number, checked
from veridag.counts import FamilyCounts, FamilyMoments
from veridag.data import Data

from .base import Score, compiled_formula
from .likelihood import log_likelihood, nparams


@dataclass(frozen=True)
class BIC(Score):
    """The Bayesian information criterion, logL - |Theta| (log(n) / 2 + gamma log(N)), n observations of N variables.

    With gamma = 0 it is eq. (8) of Scutari, Graafland and Gutierrez (2019); a larger gamma gives sparser graphs, as
    BIC_gamma in their section 5.1.1. The sign of gamma there is a misprint: the test derived from it, and the extended
    BIC it cites, add the term to the penalty. |Theta| is q_i (r_i - 1) for a discrete family and |parents| + 2 for a
    Gaussian one, whose variance is the maximum likelihood one (divided by n).

    `gamma` is the weight of the extension, 0 for BIC itself.
    """

    gamma: float = field(default=0.0, metadata=checked(Number(least=0)))
    equivalent: ClassVar[bool] = True

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family of discrete variables."""
        return log_likelihood(family) - self._penalty(family)

    def continuous(self, family: FamilyMoments) -> float:
        """The local score of a family of Gaussian variables."""
        return float(family.log_likelihood) - self._penalty(family)

    def _penalty(self, family: FamilyCounts | FamilyMoments) -> float:
        each = log(family.n) / 2 + self.gamma * log(family.nvariables)
        return (
            nparams(family) * each if each > 0 else 0.0
        )  # a single observation costs nothing, however many parameters

    def compiled(self, data: Data) -> _core.Scorer:
        """The same formula in the core."""
        return compiled_formula("bic", data, self.gamma)
