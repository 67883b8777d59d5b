"""Semi-interleaved HITON-PC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .local import LocalLearner


@dataclass(frozen=True)
class SIHitonPC(LocalLearner):
    """Semi-interleaved HITON-PC (Aliferis et al. 2010): learns the neighbours of each variable.

    Variables are added in the order of their marginal dependence on X, unless a subset of those already added separates
    them from X. Then variables are removed that a subset of the rest separates from X. X and Y are joined if each finds
    the other. Directions follow from the separating sets, as in `PCStable`.

    `test` decides on independence. Separating sets have at most `max_conditioning` variables; any number if None.

    See also:
        `MMPC`, `neighbours`, docs/algorithms.md
    """

    method: ClassVar[str] = "si-hiton-pc"
