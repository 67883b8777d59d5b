"""Max-min parents and children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .local import LocalLearner


@dataclass(frozen=True)
class MMPC(LocalLearner):
    """Max-min parents and children (Tsamardinos, Brown and Aliferis 2006): learns the neighbours of each variable.

    The variable is added whose weakest dependence on X, given any subset of those already added, is the strongest. A
    variable that is independent of X given such a subset is excluded for good. Then variables are removed that a subset
    of the rest separates from X. X and Y are joined if each finds the other. Directions follow from the separating
    sets, as in `PCStable`.

    `test` decides on independence. Separating sets have at most `max_conditioning` variables; any number if None.

    See also:
        `MMHC`, `neighbours`, docs/algorithms.md
    """

    method: ClassVar[str] = "mmpc"
