"""Best order score search."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from veridag import _core
from veridag.checks import MAX_INDEGREE, Integer, checked
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress

from .base import START, Algorithm, core_callback
from .exact.exact import TIME_LIMIT
from .ges import GES
from .problem import Matrix, Problem, is_higher, sharing_scores
from .result import Result
from .tabu import Tabu

# Both bound the work by counting it, so that the result does not depend on the machine.
_FAMILIES = 900_000  # scored for the lists, over all variables; one of three parents counts twice, of four four times
_PATIENCE = 2_000  # looks into the lists without a better order that end a search, for each variable


@dataclass(frozen=True)
class BOSS(Algorithm):
    """Best order score search with grow-shrink trees (Andrews et al. 2023), and a search with lists of parent sets.

    An order has the score of the DAG in which each variable has the parents that grow-shrink finds among its
    predecessors. Variables are moved one after the other to their best places, until none gains. With ``restarts=0``
    that begins at an order of `start` (by default the required arcs alone), and is all, as in the published search;
    else it begins at an order of the network that `Tabu` finds from there.

    Then the good parent sets of each variable are listed: all that grow-shrink found, those in the network that `GES`
    finds, and those among its `candidates` likeliest parents that are better than their subsets. With the lists, orders
    are searched `restarts` times, from the best one so far and from random ones in turns: again and again a few
    variables are displaced, and all are moved to their best places. Where that leads to a better network, lists are
    made anew with the candidates near it.

    `graph` of the result is the class of the network, a CPDAG, if the score is score-equivalent, and `dag` the network.

    No variable gets more than `max_indegree` parents. After `time_limit` seconds the best network so far is returned,
    with a note; only then can the result depend on the machine.

    The sum of `score` and the logarithm of `prior` is maximised.
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
        begun = time.perf_counter()
        with sharing_scores():
            problem = Problem(data, self.score, self.prior, knowledge, self.max_indegree)
            start = problem.start(self.start)
            climbed: Result | None = None
            if self.restarts:
                climber = Tabu(self.score, self.prior, self.max_indegree, self.start)
                climbed = climber._learn(data, knowledge, seed, progress, jobs, False)
                start = climbed.dag.reorder(problem.names).adjacency
            if climbed is not None and climbed.interrupted:
                return replace(self._class(climbed), settings=repr(self))
            guess = None
            if climbed is not None:
                ges = GES(self.score, self.prior, self.max_indegree, self.start)
                other = ges._learn(data, knowledge, seed, progress, jobs, False)
                if other.interrupted:
                    return replace(self._class(climbed), settings=repr(self), interrupted=True)
                guess = _allowed(problem, other.dag)
                climbed = replace(climbed, calls=climbed.calls + other.calls)
            left = -1.0 if self.time_limit is None else max(0.0, self.time_limit - (time.perf_counter() - begun))
            settings = _core.BossSettings(
                restarts=self.restarts,
                candidates=self.candidates,
                families=_FAMILIES,
                patience=_PATIENCE,
                time_limit=left,
                seed=seed,
            )
            try:
                found = _core.search_boss(problem.core, start, guess, settings, core_callback(progress), jobs)
            except KeyboardInterrupt:  # before the core could take notice
                if climbed is None:
                    raise
                return replace(self._class(climbed), settings=repr(self), interrupted=True)
        late = f"the search was stopped after {self.time_limit} seconds, its time limit: this is the best so far"
        result = replace(problem.result(found, seed, repr(self)), notes=(late,) if found.late else ())
        return self._class(_better(result, climbed))

    def _class(self, result: Result) -> Result:
        """With the class of the network as its graph, if its score is that of a class."""
        if not self.score.equivalent:
            return result
        return replace(result, graph=result.dag.cpdag(), member=result.dag)


def _better(found: Result, climbed: Result | None) -> Result:
    """What was found, or what it was climbed to before if that is better, with the calls and steps of both."""
    if climbed is None:
        return found
    assert found.score is not None
    assert climbed.score is not None
    best = climbed if is_higher(climbed.score, found.score) else found
    return replace(
        found,
        graph=best.graph,
        score=best.score,
        calls=found.calls + climbed.calls,
        distinct_calls=found.distinct_calls + climbed.distinct_calls,
        steps=found.steps + climbed.steps,
    )


def _allowed(problem: Problem, dag: DAG) -> Matrix | None:
    """The graph as the core takes it; None if the prior rules it out."""
    try:
        return problem.start(dag)
    except InputError:
        return None
