"""Inter-IAMB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .local import LocalLearner


@dataclass(frozen=True)
class InterIAMB(LocalLearner):
    """Inter-IAMB (Tsamardinos, Aliferis and Statnikov 2003): as `GrowShrink`, with another search for blankets.

    Of the variables that depend on X given those in its blanket the one that depends most enters, and after each entry
    those leave that do not depend on X given the rest. Tests that contradict each other could go on like this for
    ever; a blanket that comes a second time ends the search around X, and the result's `notes` say so.

    `test` decides on independence, and no more than `max_conditioning` variables are tried together as a separating set
    (None: any number).
    """

    method: ClassVar[str] = "inter-iamb"
