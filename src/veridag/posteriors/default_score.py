"""The score of a posterior for which none is named."""

from __future__ import annotations

from veridag.criteria.priors.base import Prior
from veridag.criteria.scores import BHD, PNAL
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.graph.knowledge import Knowledge

from .sample_size import choose_ess


def default_score(
    data: Data, prior: Prior, knowledge: Knowledge | None = None, max_indegree: int | None = None, jobs: int = 1
) -> Score:
    """BDeu, BGe or BCG with the equivalent sample size that `choose_ess` finds, and `BHD` for groups.

    `PNAL` where values are missing, which the others do not take.
    """
    if data.incomplete:
        return PNAL()
    if data.kind == "discrete" and data.group is not None and len(data.observed_groups) > 1:
        return BHD()
    return choose_ess(data, None, prior, knowledge=knowledge, max_indegree=max_indegree, jobs=jobs)
