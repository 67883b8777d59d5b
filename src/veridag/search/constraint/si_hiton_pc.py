"""Semi-interleaved HITON-PC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .local import LocalLearner


@dataclass(frozen=True)
class SIHitonPC(LocalLearner):
    """Semi-interleaved HITON-PC (Aliferis et al. 2010): the neighbours of each variable.

    Variables enter in the order of their dependence on X by themselves, unless a subset of those that are in separates
    them from X; then those leave that a subset of the rest separates from X. X and Y are joined if each finds the
    other. Directions follow from the separating sets, as in `PCStable`.

    `test` decides on independence, and no more than `max_conditioning` variables are tried together as a separating set
    (None: any number).
    """

    method: ClassVar[str] = "si-hiton-pc"
