"""The Akaike information criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from veridag import _core
from veridag.counts import FamilyCounts, FamilyMoments, FamilyStrata
from veridag.data import Data

from .base import Score, compiled_formula, compiled_likelihood
from .likelihood import log_likelihood, nparams


@dataclass(frozen=True)
class AIC(Score):
    r"""The Akaike information criterion, $\log L - |\Theta|$ (Viinikka 2019, section 2.6.2).

    $|\Theta|$ is $q_i (r_i - 1)$ for a discrete family and $l + 2$ for a Gaussian one with $l$ parents. The variance is
    the maximum likelihood estimate (divided by $n$). With discrete parents of $q_i$ configurations it is $q_i (l + 2)$,
    where $l$ counts the continuous parents. Textbooks often define AIC as -2 times this; here higher is better.

    See also:
        `BIC`, `LogLik`, docs/scores/index.md
    """

    equivalent: ClassVar[bool] = True

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family of discrete variables."""
        return log_likelihood(family) - nparams(family)

    def continuous(self, family: FamilyMoments) -> float:
        """The local score of a family of Gaussian variables."""
        return float(family.log_likelihood) - nparams(family)

    def mixed(self, family: FamilyStrata) -> float:
        """The local score of a Gaussian variable with discrete parents."""
        return family.log_likelihood - nparams(family)

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        return compiled_likelihood(data, 1.0) if data.kind == "mixed" else compiled_formula("aic", data)
