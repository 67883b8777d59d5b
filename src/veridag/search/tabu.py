"""Tabu search."""

from __future__ import annotations

from dataclasses import dataclass, field

from veridag.checks import Integer, checked

from .hill_climbing import HillClimbing


@dataclass(frozen=True)
class Tabu(HillClimbing):
    """Tabu search: hill climbing that continues from an optimum (Scutari, Graafland and Gutierrez 2019, Algorithm 2).

    This is step 3 of the algorithm: the best move is made even if the score decreases, to a graph that is not among the
    last `tabu` visited, until `max_tabu` moves in a row have found no new best.

    The other parameters are those of `HillClimbing`: it maximises `score` plus the logarithm of `prior`, from `start`
    on, with at most `max_indegree` parents per variable and `max_iter` moves per climb, with `restarts` after `perturb`
    random moves, and `ties` determines how ties are broken.

    See also:
        `HillClimbing`, `BOSS`, docs/algorithms.md
    """

    tabu: int = field(default=10, metadata=checked(Integer(1, 2**31 - 1)))
    max_tabu: int = field(default=10, metadata=checked(Integer(0, 2**31 - 1)))

    def _tabu(self) -> tuple[int, int]:
        return self.tabu, self.max_tabu
