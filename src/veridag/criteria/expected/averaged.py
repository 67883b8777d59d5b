"""The expected score by draws: its mean over several completions of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isinf

from veridag import _core
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.data.columns import DataKind


@dataclass(frozen=True, eq=False)
class AveragedScore(Score):
    """The mean of a score over completions of incomplete data, ``sum_m score(D_m) / M``.

    If the completions D_m are drawn given what is observed, this is the Monte Carlo estimate of the expected score,
    E[log P(D, G) | observed], that structural EM maximises (Friedman 1998). It takes every score, and is
    score-equivalent if the score is. It is bound to the incomplete data, of which it reads the names alone.
    """

    score: Score
    completions: tuple[Data, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        for trait in ("equivalent", "scores_constants", "both_directions"):
            object.__setattr__(self, trait, getattr(self.score, trait))

    @property
    def exact(self) -> bool:
        """Whether nothing was drawn: never."""
        return False

    @property
    def note(self) -> str | None:
        """How it was made."""
        return f"the expected score is the mean over {len(self.completions)} completions"

    def check(self, data: Data) -> DataKind:
        """The kind of the data; raises `InputError` if the score cannot be used on it."""
        del data
        return self.score.check(self.completions[0])

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The mean of the local scores of a family."""
        del data
        values = [self.score.local(child, parents, completion) for completion in self.completions]
        infinite = [value for value in values if isinf(value)]
        if infinite:
            return inf if inf in infinite else -inf
        return sum(values) / len(values)

    def widths(self, data: Data) -> list[int] | None:
        """As those of the score."""
        return self.score.widths(self.completions[0].select(data.names))

    def compiled(self, data: Data) -> _core.Scorer:
        """The mean of the scores in the core."""
        return _core.mean_scorer([self.score.bind(completion.select(data.names)) for completion in self.completions])
