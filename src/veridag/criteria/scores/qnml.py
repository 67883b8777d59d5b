"""The quotient normalized maximum likelihood score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from veridag import _core
from veridag.counts import FamilyCounts
from veridag.data import Data
from veridag.data.columns import DataKind

from .base import Score, compiled_formula
from .complexity import check_observations, log_complexity
from .likelihood import log_likelihood


@dataclass(frozen=True)
class QNML(Score):
    r"""The quotient normalized maximum likelihood (Viinikka 2019, section 2.6.3; Silander et al. 2018).

    $\log L - \log \frac{C(n, r_i q_i)}{C(n, q_i)}$, where $C$ is the exact multinomial complexity.

    See also:
        `FNML`, `BIC`, docs/scores/index.md
    """

    equivalent: ClassVar[bool] = True

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family."""
        n, r, q = family.n, family.r, family.q
        return log_likelihood(family) - (log_complexity(n, r * q) - log_complexity(n, q))

    def check(self, data: Data) -> DataKind:
        """The kind of the data; raises `InputError` if there are too many observations for the complexity."""
        check_observations(data.n, type(self).__name__)
        return super().check(data)

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        return compiled_formula("qnml", data)
