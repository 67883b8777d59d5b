"""PC-stable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from veridag.search.memory import BY_PAIRS, NeedsByKind

from .base import ConstraintBased


@dataclass(frozen=True)
class PCStable(ConstraintBased):
    r"""PC-stable (Colombo and Maathuis 2014), Algorithm 1 of Scutari, Graafland and Gutierrez (2019).

    `test` decides on independence. From the complete graph, the edge X - Y is removed if X and Y are independent given
    a set $S$ of $l$ neighbours of one of them, for $l = 0, 1, \dots$ up to `max_conditioning`. The neighbours are those
    at the start of a level, so the order of the pairs does not matter. $S$ is the separating set of X and Y. Then X - Z
    - Y with X and Y not joined becomes X -> Z <- Y if Z is not in their separating set. Meek's (1995) rules direct what
    follows from that.

    If the test is always right and the data comes from a DAG that shows all its dependences (faithfulness), the result
    is the CPDAG of the DAG.

    See also:
        `ScoreTest`, `HPC`, docs/algorithms.md
    """

    method: ClassVar[str] = "pc-stable"

    _needs: ClassVar[NeedsByKind] = BY_PAIRS
