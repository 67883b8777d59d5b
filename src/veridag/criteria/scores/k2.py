"""The K2 score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from veridag import _core
from veridag.counts import FamilyCounts
from veridag.data import Data

from .base import compiled_formula
from .dirichlet import UniformDirichlet, log_bd_uniform


@dataclass(frozen=True)
class K2(UniformDirichlet):
    r"""The Bayesian Dirichlet score with $\alpha_{ijk} = 1$, a uniform density (Cooper and Herskovits 1992).

    Equivalent DAGs can have different scores, because the sum of $\alpha_{ijk}$ grows with the number of parents.

    See also:
        `BDeu`, `BDJeffreys`, docs/scores/index.md
    """

    equivalent: ClassVar[bool] = False

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family: BD (eq. 9 of Scutari, Graafland and Gutierrez 2019) with alpha_ijk = 1."""
        return log_bd_uniform(family, self.log_alpha(family))

    def log_alpha(self, family: FamilyCounts) -> float:
        """The logarithm of alpha_ijk."""
        del family
        return 0.0

    def core_formula(self) -> tuple[str, list[float]]:
        """The name of the formula in the C++ core, and its parameters."""
        return "k2", []

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        name, parameters = self.core_formula()
        return compiled_formula(name, data, *parameters)
