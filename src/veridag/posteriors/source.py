"""What a posterior was computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from veridag.criteria.priors import Fair
from veridag.criteria.priors.base import Prior
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.data.columns import listed
from veridag.errors import InputError
from veridag.graph.knowledge import Knowledge

from .default_score import default_score


@dataclass(frozen=True, eq=False)
class Source:
    """The data and settings of a posterior: enough to fit parameters, and with the prior to compute it again.

    Attributes:
        data: The data.
        score: The score.
        prior: The structure prior.
        max_indegree: Most parents of a variable; no bound if None.
        knowledge: The background knowledge.
    """

    data: Data
    score: Score
    prior: Prior | None = None
    max_indegree: int | None = None
    knowledge: Knowledge | None = None

    @classmethod
    def of_file(cls, data: Data, score: Score | None, names: tuple[str, ...], settings: Mapping[str, str]) -> Source:
        """The data of draws from a file, if it has their variables, and the score that their settings name."""
        if data.names != names:
            raise InputError(
                f"data: the draws have the variables {listed(names)}, not {listed(data.names)}: pass the data that "
                "they were drawn from"
            )
        chosen = default_score(data, Fair()) if score is None else SCORE("score", score)
        if repr(chosen) != settings.get("score"):
            raise InputError(f"score={chosen}: the draws were made with {settings.get('score')}: pass that as score")
        return cls(data, chosen)
