"""Grow-Shrink."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .local import LocalLearner


@dataclass(frozen=True)
class GrowShrink(LocalLearner):
    """Grow-Shrink (Margaritis 2003): Markov blankets, then neighbours, then directions.

    The blanket of X grows by any variable that depends on X given those that are in it, those that depend most on X by
    themselves first; then variables leave it that do not depend on X given the rest. Y stays in the blanket of X only
    if X is in that of Y. Two such variables are joined unless a subset of the smaller of their blankets separates
    them. Directions are found as in `PCStable`; where X - Z - Y are not joined because Y is outside the blanket of X,
    which says little about Z, a separating set is looked for among the neighbours of X and of Y, small ones first.

    `test` decides on independence, and no more than `max_conditioning` variables are tried together as a separating set
    (None: any number).
    """

    method: ClassVar[str] = "grow-shrink"
