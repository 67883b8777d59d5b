"""The score of a posterior for which none is named."""

from __future__ import annotations

from veridag.criteria.scores import BCG, BHD, PNAL, BDeu, BGe
from veridag.criteria.scores.base import Score
from veridag.data import Data


def default_score(data: Data) -> Score:
    """As the default learner has it; `PNAL` where values are missing, which the others do not take."""
    if data.incomplete:
        return PNAL()
    if data.kind == "mixed":
        return BCG()
    if data.kind == "continuous":
        return BGe()
    return BHD() if data.group is not None and len(data.observed_groups) > 1 else BDeu()
