"""Hill climbing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from veridag import _core
from veridag.checks import MAX_INDEGREE, Integer, Optional, checked
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress

from .base import START, Algorithm, core_callback
from .problem import Problem
from .result import Result, Step

_MOVES: tuple[Literal["add", "remove", "reverse"], ...] = ("add", "remove", "reverse")


@dataclass(frozen=True)
class HillClimbing(Algorithm):
    """Greedy search over DAGs by adding, removing and reversing arcs.

    This is Algorithm 2 of Scutari, Graafland and Gutierrez (2019) without its tabu list.

    From `start` (by default the graph without arcs but those required) the best move is made as long as the score
    rises. Each of `restarts` then makes `perturb` random moves from the best graph so far, by default as many as there
    are variables, and climbs again. No variable gets more than `max_indegree` parents, and no more than `max_iter`
    moves are made. Moves whose gains differ by less than 1e-9 of the score tie; the first by the names of the arc is
    made.
    """

    score: Score = field(default_factory=BIC, metadata=checked(SCORE))
    prior: Prior = field(default_factory=Uniform, metadata=checked(PRIOR))
    max_indegree: int | None = field(default=None, metadata=checked(MAX_INDEGREE))
    start: DAG | None = field(default=None, metadata=checked(START))
    restarts: int = field(default=0, metadata=checked(Integer(0)))
    perturb: int | None = field(default=None, metadata=checked(Optional(Integer(1))))
    max_iter: int | None = field(default=None, metadata=checked(Optional(Integer(0))))

    def _tabu(self) -> tuple[int, int]:
        return 0, 0

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        problem = Problem(data, self.score, self.prior, knowledge, self.max_indegree)
        tabu, max_tabu = self._tabu()
        settings = _core.GreedySettings(
            tabu=tabu,
            max_tabu=max_tabu,
            restarts=self.restarts,
            perturb=len(data.names) if self.perturb is None else self.perturb,
            max_steps=-1 if self.max_iter is None else self.max_iter,
            seed=seed,
            trace=trace,
        )
        start = problem.start(self.start)
        found = _core.search_greedy(problem.core, start, settings, core_callback(progress), jobs)
        names = problem.names
        made = tuple(
            Step(_MOVES[move.kind], (names[move.origin], names[move.target]), move.gain) for move in found.moves
        )
        return Result(
            graph=problem.dag(found.dag),
            score=found.score,
            calls=found.calls,
            distinct_calls=found.distinct_calls,
            steps=found.steps,
            seconds=0.0,
            seed=seed,
            settings=repr(self),
            interrupted=found.interrupted,
            trace=made if trace else None,
        )
