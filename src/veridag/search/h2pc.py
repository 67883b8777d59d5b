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

    `test` and `max_conditioning` are those of `HPC`; `score`, `prior` and `max_indegree` those of `HillClimbing`. The
    default test has plain degrees of freedom, with which `HPC` finds enough pairs: more of them did not give better
    networks.

    See also:
        `MMHC`, `RSMAX2`, docs/algorithms.md
    """

    test: Test = field(default_factory=G2, metadata=checked(TEST))

    restrict: ClassVar[type[ConstraintBased]] = HPC

    _needs: ClassVar[NeedsByKind] = BY_SPOUSES
