"""Hybrid HPC."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from veridag.checks import checked
from veridag.criteria.independence import G2, Test
from veridag.criteria.independence.base import TEST
from veridag.search.constraint.base import ConstraintBased
from veridag.search.constraint.hpc import HPC

from .hybrid import RestrictedClimbing
from .memory import BY_SPOUSES, NeedsByKind


@dataclass(frozen=True)
class H2PC(RestrictedClimbing):
    """Hybrid HPC (Gasse, Aussem and Elghazel 2014): `HPC` restricts, `HillClimbing` maximises.

    `HPC` finds enough pairs with plain degrees of freedom: more of them did not make better networks.

    `test` and `max_conditioning` are those of `HPC`; `score`, `prior` and `max_indegree` those of `HillClimbing`.
    """

    test: Test = field(default_factory=G2, metadata=checked(TEST))

    restrict: ClassVar[type[ConstraintBased]] = HPC

    _needs: ClassVar[NeedsByKind] = BY_SPOUSES
