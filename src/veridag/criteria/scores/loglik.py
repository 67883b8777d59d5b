"""The log-likelihood score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from veridag import _core
from veridag.counts import FamilyCounts, FamilyMoments, FamilyStrata
from veridag.data import Data

from .base import Score, compiled_formula, compiled_likelihood
from .likelihood import log_likelihood


@dataclass(frozen=True)
class LogLik(Score):
    r"""The maximised log-likelihood, which never decreases when an arc is added (Viinikka 2019, section 2.6.2).

    Discrete: $\sum n_{ijk} \log(n_{ijk} / n_{ij})$. Gaussian: $-\frac n2 (\log(2 \pi s^2) + 1)$, where $s^2$ is the
    residual sum of squares divided by $n$; infinite if the variable is a linear function of its parents. Mixed: the sum
    over the configurations of the discrete parents, with a regression on the continuous parents in each.

    See also:
        `BIC`, `AIC`, docs/scores/index.md
    """

    equivalent: ClassVar[bool] = True

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family of discrete variables."""
        return log_likelihood(family)

    def continuous(self, family: FamilyMoments) -> float:
        """The local score of a family of Gaussian variables."""
        return float(family.log_likelihood)

    def mixed(self, family: FamilyStrata) -> float:
        """The local score of a Gaussian variable with discrete parents."""
        return family.log_likelihood

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        return compiled_likelihood(data, 0.0) if data.kind == "mixed" else compiled_formula("loglik", data)
