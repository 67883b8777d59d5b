"""Tabu search."""

from __future__ import annotations

from dataclasses import dataclass, field

from veridag.checks import Integer, checked

from .hill_climbing import HillClimbing


@dataclass(frozen=True)
class Tabu(HillClimbing):
    """Hill climbing that goes on from an optimum (Scutari, Graafland and Gutierrez 2019, Algorithm 2, step 3).

    The best move is made even downhill, to a graph that is not among the last `tabu` visited, until `max_tabu` moves in
    a row have found no new best.

    The other parameters are those of `HillClimbing`: the sum of `score` and the logarithm of `prior` is maximised, from
    `start` on, with at most `max_indegree` parents a variable and `max_iter` moves a climb, with `restarts` after
    `perturb` random moves, and `ties` says what breaks a tie.
    """

    tabu: int = field(default=10, metadata=checked(Integer(1, 2**31 - 1)))
    max_tabu: int = field(default=10, metadata=checked(Integer(0, 2**31 - 1)))

    def _tabu(self) -> tuple[int, int]:
        return self.tabu, self.max_tabu
