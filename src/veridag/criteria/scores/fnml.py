"""The factorized normalized maximum likelihood score."""

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
class FNML(Score):
    r"""The factorized normalized maximum likelihood (Viinikka 2019, section 2.6.3; Silander et al. 2008).

    $\log L - \sum_j \log C(n_{ij}, r_i)$, where $C$ is the multinomial complexity. $C(0, r) = 1$, so parent
    configurations that do not occur add nothing.

    See also:
        `QNML`, `BIC`, docs/scores/index.md
    """

    equivalent: ClassVar[bool] = False

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family."""
        return log_likelihood(family) - sum(log_complexity(int(n_ij), family.r) for n_ij in family.n_ij)

    def check(self, data: Data) -> DataKind:
        """The kind of the data; raises `InputError` if there are too many observations for the complexity."""
        check_observations(data.n, type(self).__name__)
        return super().check(data)

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        return compiled_formula("fnml", data)
