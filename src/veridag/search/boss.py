"""Best order score search."""

from __future__ import annotations

from dataclasses import dataclass, field

from veridag import _core
from veridag.checks import MAX_INDEGREE, Integer, checked
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress

from .base import START, Algorithm, core_callback
from .exact.exact import TIME_LIMIT
from .problem import Problem
from .result import Result

# Both bound the work by counting it, so that the result does not depend on the machine.
_FAMILIES = 200_000  # scored for the lists, over all variables: less than half a second with 10 000 rows
_PATIENCE = 3_000  # looks into the lists without a better order that end a search, for each variable


@dataclass(frozen=True)
class BOSS(Algorithm):
    """Best order score search with grow-shrink trees (Andrews et al. 2023), and a search with lists of parent sets.

    An order has the score of the DAG in which each variable has the parents that grow-shrink finds among its
    predecessors. From an order of `start` (by default the required arcs alone) variables are moved one after the other
    to their best places, until none gains. This is where the published search ends, and where it does with
    ``restarts=0``.

    Then the good parent sets of each variable are listed: all that grow-shrink found, and those among its `candidates`
    likeliest parents that are better than their subsets. With the lists, orders are searched `restarts` times, from the
    best one so far and from random ones in turns: again and again a few variables are displaced, and all are moved to
    their best places. Where that leads to a better network, lists are made anew with the candidates near it.

    No variable gets more than `max_indegree` parents. After `time_limit` seconds the best network so far is returned,
    with a note; only then can the result depend on the machine.
    """

    score: Score = field(default_factory=BIC, metadata=checked(SCORE))
    prior: Prior = field(default_factory=Uniform, metadata=checked(PRIOR))
    max_indegree: int | None = field(default=None, metadata=checked(MAX_INDEGREE))
    start: DAG | None = field(default=None, metadata=checked(START))
    restarts: int = field(default=12, metadata=checked(Integer(0)))
    candidates: int = field(default=30, metadata=checked(Integer(1, 63)))
    time_limit: float | None = field(default=None, metadata=checked(TIME_LIMIT))

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        problem = Problem(data, self.score, self.prior, knowledge, self.max_indegree)
        settings = _core.BossSettings(
            restarts=self.restarts,
            candidates=self.candidates,
            families=_FAMILIES,
            patience=_PATIENCE,
            time_limit=-1.0 if self.time_limit is None else float(self.time_limit),
            seed=seed,
        )
        start = problem.start(self.start)
        found = _core.search_boss(problem.core, start, settings, core_callback(progress), jobs)
        late = f"the search was stopped after {self.time_limit} seconds, its time limit: this is the best so far"
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
            notes=(late,) if found.late else (),
        )
