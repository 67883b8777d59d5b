"""Hybrid parents and children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from veridag.search.memory import BY_SPOUSES, NeedsByKind

from .local import LocalLearner


@dataclass(frozen=True)
class HPC(LocalLearner):
    """Hybrid parents and children (Gasse, Aussem and Elghazel 2014): learns the neighbours of each variable.

    Tests given no or one variable leave a superset of the neighbours of X, and tests given one more leave a superset of
    its spouses. Among these, Inter-IAMB finds the Markov blanket of X, and a subset of the blanket separates those that
    are not neighbours. A variable of the superset is also a neighbour if the same search around it finds X, which needs
    fewer observations than the other way round. X and Y are joined if each finds the other. Directions follow from the
    separating sets, as in `PCStable`. The control of the false discovery rate in the paper is not applied.

    `test` decides on independence. Separating sets have at most `max_conditioning` variables; any number if None.

    See also:
        `H2PC`, `neighbours`, docs/algorithms.md
    """

    method: ClassVar[str] = "hpc"

    _needs: ClassVar[NeedsByKind] = BY_SPOUSES
