"""Hybrid parents and children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from veridag.search.memory import BY_SPOUSES, NeedsByKind

from .local import LocalLearner


@dataclass(frozen=True)
class HPC(LocalLearner):
    """Hybrid parents and children (Gasse, Aussem and Elghazel 2014): the neighbours of each variable.

    Tests given none or one variable leave a superset of the neighbours of X, and tests given one more a superset of its
    spouses. Among these, Inter-IAMB finds the blanket of X, and a subset of the blanket separates those that are no
    neighbours. A variable of the superset is also a neighbour if the same search around it finds X, which needs fewer
    observations than the other way round. X and Y are joined if each finds the other. Directions follow from the
    separating sets, as in `PCStable`. The paper's control of the false discovery rate is not applied.

    `test` decides on independence, and no more than `max_conditioning` variables are tried together as a separating set
    (None: any number).
    """

    method: ClassVar[str] = "hpc"

    _needs: ClassVar[NeedsByKind] = BY_SPOUSES
