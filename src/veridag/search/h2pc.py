"""Hybrid HPC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from veridag.search.constraint.base import ConstraintBased
from veridag.search.constraint.hpc import HPC

from .hybrid import RestrictedClimbing


@dataclass(frozen=True)
class H2PC(RestrictedClimbing):
    """Hybrid HPC (Gasse, Aussem and Elghazel 2014): `HPC` restricts, `HillClimbing` maximises."""

    restrict: ClassVar[type[ConstraintBased]] = HPC
