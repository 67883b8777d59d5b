"""Grow-Shrink."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .local import LocalLearner


@dataclass(frozen=True)
class GrowShrink(LocalLearner):
    """Grow-Shrink (Margaritis 2003): learns Markov blankets, then neighbours, then directions.

    The blanket of X grows by any variable that depends on X given those already in it, those with the strongest
    marginal dependence first. Then variables are removed that do not depend on X given the rest. Y stays in the blanket
    of X only if X is in the blanket of Y. Two such variables are joined unless a subset of the smaller of their
    blankets separates them. Directions are found as in `PCStable`. If X - Z - Y are not joined because Y is outside the
    blanket of X, which says little about Z, a separating set is searched for among the neighbours of X and of Y, small
    ones first.

    `test` decides on independence. Separating sets have at most `max_conditioning` variables; any number if None.

    See also:
        `InterIAMB`, `markov_blanket`, docs/algorithms.md
    """

    method: ClassVar[str] = "grow-shrink"
