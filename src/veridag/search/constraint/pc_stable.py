"""PC-stable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from veridag.search.memory import BY_PAIRS, NeedsByKind

from .base import ConstraintBased


@dataclass(frozen=True)
class PCStable(ConstraintBased):
    """PC-stable (Colombo and Maathuis 2014), Algorithm 1 of Scutari, Graafland and Gutierrez (2019).

    From the complete graph, edges X - Y go as soon as X and Y are independent given a set S of l neighbours of one of
    them, for l = 0, 1, ... up to `max_conditioning`; the neighbours are those at the start of a level, so that the
    order of the pairs does not matter. S is the separating set of X and Y. Then X - Z - Y with X and Y not joined
    becomes X -> Z <- Y if Z is not in their separating set, and Meek's (1995) rules direct what follows from that.

    With a test that is always right and data from a DAG that shows all its dependences, this is the DAG's CPDAG.

    `test` decides on independence.
    """

    method: ClassVar[str] = "pc-stable"

    _needs: ClassVar[NeedsByKind] = BY_PAIRS
