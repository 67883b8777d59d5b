"""Inter-IAMB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .local import LocalLearner


@dataclass(frozen=True)
class InterIAMB(LocalLearner):
    """Inter-IAMB (Tsamardinos, Aliferis and Statnikov 2003): as `GrowShrink`, with another search for blankets.

    Of the variables that depend on X given those in its blanket, the one with the strongest dependence is added. After
    each addition, those are removed that do not depend on X given the rest. Contradictory tests could make this
    endless: a blanket that occurs a second time ends the search around X, and the `notes` of the result say so.

    `test` decides on independence. Separating sets have at most `max_conditioning` variables; any number if None.

    See also:
        `GrowShrink`, `markov_blanket`, docs/algorithms.md
    """

    method: ClassVar[str] = "inter-iamb"
