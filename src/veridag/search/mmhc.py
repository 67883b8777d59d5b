"""Max-min hill climbing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from veridag.search.constraint.base import ConstraintBased
from veridag.search.constraint.mmpc import MMPC

from .hybrid import RestrictedClimbing


@dataclass(frozen=True)
class MMHC(RestrictedClimbing):
    """Max-min hill climbing (Tsamardinos, Brown and Aliferis 2006): `MMPC` restricts, `HillClimbing` maximises.

    `test` and `max_conditioning` are those of `MMPC`; `score`, `prior` and `max_indegree` those of `HillClimbing`.

    See also:
        `H2PC`, `RSMAX2`, docs/algorithms.md
    """

    restrict: ClassVar[type[ConstraintBased]] = MMPC
