"""A part of a table that can be solved on its own, and how far an exact search has come with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from veridag import _core

if TYPE_CHECKING:
    from .integer_program import Program

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]


def tie(score: float) -> float:
    """Scores that differ by less than this are the same."""
    return 1e-11 * (1.0 + abs(score))


@dataclass
class Part:
    """Variables that can be solved on their own, with the best choice of rows so far and the bound on every choice."""

    core: _core.Candidates
    rows: Int64s  # of the whole table, for each row here
    offsets: Int64s
    scores: Floats
    choice: list[int]  # empty if there is none yet
    bound: float
    finished: bool = False
    clusters: list[list[int]] = field(default_factory=list)  # whose constraints show the bound
    program: Program | None = None  # as far as it was solved

    @property
    def size(self) -> int:
        """The number of variables."""
        return len(self.offsets) - 1

    @property
    def score(self) -> float:
        """Of the best choice so far."""
        return float(self.scores[self.choice].sum()) if self.choice else -inf

    def take(self, choice: list[int]) -> None:
        """Keep the choice if it is better than the one there is."""
        if choice and (not self.choice or float(self.scores[choice].sum()) > self.score + tie(self.score)):
            self.choice = choice
        self.bound = max(self.bound, self.score)
