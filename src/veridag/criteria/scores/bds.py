"""The Bayesian Dirichlet sparse score."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import ClassVar

from veridag import _core
from veridag.checks import Number, checked
from veridag.counts import FamilyCounts
from veridag.data import Data

from .base import compiled_formula
from .dirichlet import UniformDirichlet, log_bd_uniform


@dataclass(frozen=True)
class BDs(UniformDirichlet):
    r"""The Bayesian Dirichlet sparse score: $\alpha_{ijk} = \mathrm{ess} / (r_i \tilde q_i)$ if $n_{ij} > 0$, else 0.

    Proposed by Scutari (2017). $\tilde q_i$ is the number of parent configurations that occur, so the equivalent sample
    size `ess` is divided among these alone:
    $\mathrm{BDs}(\mathrm{ess}) = \mathrm{BDeu}(\mathrm{ess}\, q_i / \tilde q_i)$. Equivalent DAGs can have different
    scores if some configurations do not occur.

    See also:
        `BDeu`, `d_ep`, docs/scores/index.md
    """

    ess: float = field(default=1.0, metadata=checked(Number(above=0)))
    equivalent: ClassVar[bool] = False

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family: BD (eq. 9 of Scutari, Graafland and Gutierrez 2019)."""
        return log_bd_uniform(family, self.log_alpha(family))

    def log_alpha(self, family: FamilyCounts) -> float:
        """The logarithm of alpha_ijk."""
        return log(self.ess) - log(family.r * family.q_observed)

    def core_formula(self) -> tuple[str, list[float]]:
        """The name of the formula in the C++ core, and its parameters."""
        return "bds", [self.ess]

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        name, parameters = self.core_formula()
        return compiled_formula(name, data, *parameters)
