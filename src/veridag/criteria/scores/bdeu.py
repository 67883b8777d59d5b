"""The Bayesian Dirichlet equivalent uniform score."""

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
class BDeu(UniformDirichlet):
    r"""The Bayesian Dirichlet equivalent uniform score: $\alpha_{ijk} = \mathrm{ess} / (r_i q_i)$.

    See Viinikka (2019, eq. 8) and Heckerman et al. (1995). `ess` is the equivalent sample size. Declared states count
    in $r_i$ and $q_i$, observed or not. If parent configurations do not occur, the effective sample size is smaller;
    see `BDs`.

    See also:
        `BDs`, `BIC`, `choose_ess`, docs/scores/index.md
    """

    ess: float = field(default=1.0, metadata=checked(Number(above=0)))
    equivalent: ClassVar[bool] = True

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family: BD (eq. 9 of Scutari, Graafland and Gutierrez 2019)."""
        return log_bd_uniform(family, self.log_alpha(family))

    def log_alpha(self, family: FamilyCounts) -> float:
        """The logarithm of alpha_ijk."""
        return log(self.ess) - log(family.r * family.q)

    def core_formula(self) -> tuple[str, list[float]]:
        """The name of the formula in the C++ core, and its parameters."""
        return "bdeu", [self.ess]

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        name, parameters = self.core_formula()
        return compiled_formula(name, data, *parameters)
