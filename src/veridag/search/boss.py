"""Best order score search."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
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

# These bound the work by counting it, so that the result does not depend on the machine.
_FAMILIES = 900_000  # scored for the lists, over all variables; one of three parents counts twice, of four four times
_ROWS_AS_LONG = 4_000  # rows that take as long to count, for each state beyond two, as all else that a family takes
_PATIENCE = 8_000  # looks into the lists without a better order that end a search, for each variable


@dataclass(frozen=True)
class BOSS(Algorithm):
    """Best order score search with grow-shrink trees (Andrews et al. 2023), extended by a search over parent sets.

    An order has the score of the DAG in which each variable has the parents that grow-shrink finds among its
    predecessors. Variables are moved one after the other to their best positions, until none gains. With ``restarts=0``
    this starts from an order of `start` (the required arcs alone if None), and nothing follows, as in the published
    search. Otherwise it starts from an order of the network that `Tabu` finds from there.

    Next, the good parent sets of each variable are listed: all that grow-shrink found, those in the network that `GES`
    finds, and sets of its `candidates` most likely parents that are better than their subsets. With these lists, orders
    are searched `restarts` times, alternately from the best one so far and from random ones: a few variables are
    displaced, and all are moved to their best positions, again and again. If this leads to a better network, the lists
    are made again with the candidates near it. Finally, `GES` continues from the result.

    `graph` of the result is the CPDAG of the network if the score is score-equivalent, and `dag` is the network. No
    variable gets more than `max_indegree` parents. After `time_limit` seconds the best network so far is returned, with
    a note; only then can the result depend on the machine. The search maximises `score` plus the logarithm of `prior`.

    See also:
        `GES`, `Tabu`, `Exact`, docs/algorithms.md
    """

    score: Score = field(default_factory=BIC, metadata=checked(SCORE))
    prior: Prior = field(default_factory=Uniform, metadata=checked(PRIOR))
    max_indegree: int | None = field(default=None, metadata=checked(MAX_INDEGREE))
    start: DAG | None = field(default=None, metadata=checked(START))
    restarts: int = field(default=12, metadata=checked(Integer(0, 2**31 - 1)))
    candidates: int = field(default=30, metadata=checked(Integer(1, 63)))
    time_limit: float | None = field(default=None, metadata=checked(TIME_LIMIT))

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        clock = _Clock(self.time_limit, progress)
        results: list[Result] = []
        try:
            with sharing_scores():
                for result in self._searches(data, knowledge, seed, clock, jobs):
                    results.append(result)
                    if result.interrupted:
                        break
        except KeyboardInterrupt:  # between two searches; during one, the core ends it
            if not results:
                raise
            results[-1] = replace(results[-1], interrupted=True)
        return self._joined(results, clock.late, data.target_sets)

    def _searches(self, data: Data, knowledge: Knowledge, seed: int, clock: _Clock, jobs: int) -> Iterator[Result]:
        """Tabu search and GES, unless there are no restarts, and then the search over orders."""
        problem = Problem(data, self.score, self.prior, knowledge, self.max_indegree)
        start, guess = problem.start(self.start), None
        if self.restarts:
            criterion = self.score, self.prior, self.max_indegree, self.start
            climbed = Tabu(*criterion)._learn(data, knowledge, seed, clock.progress, jobs, False)
            yield climbed
            start = climbed.dag.reorder(problem.names).adjacency
            if data.targets is None:
                classes = GES(*criterion)._learn(data, knowledge, seed, clock.progress, jobs, False)
                guess = _allowed(problem, classes.dag)
                yield classes if guess is not None else _with_network_of(climbed, classes)
        settings = _core.BossSettings(
            restarts=self.restarts,
            candidates=self.candidates,
            families=_most_families(data),
            patience=_PATIENCE,
            time_limit=clock.left(),
            seed=seed,
        )
        found = _core.search_boss(problem.core, start, guess, settings, core_callback(clock.callback), jobs)
        clock.late = clock.late or found.late
        result = problem.result(found, seed, repr(self))
        yield result
        if self.restarts and not found.late and data.targets is None:
            polish = GES(self.score, self.prior, self.max_indegree, result.dag)
            polished = polish._learn(data, knowledge, seed, clock.progress, jobs, False)
            yield polished if self._is_better(problem, polished, result) else _with_network_of(result, polished)

    def _is_better(self, problem: Problem, result: Result, other: Result) -> bool:
        assert result.score is not None
        assert other.score is not None
        return is_higher(result.score, other.score) and _allowed(problem, result.dag) is not None

    def _joined(self, results: list[Result], late: bool, targets: tuple[tuple[str, ...], ...]) -> Result:
        """The best network of several searches, the last of those that tie, with what all of them took."""
        best = results[-1]
        for result in results:
            assert result.score is not None
            assert best.score is not None
            if is_higher(result.score, best.score):
                best = result
        note = f"the search stopped at its time limit of {self.time_limit} seconds: this is the best network so far"
        return replace(
            best,
            graph=best.dag.interventional_cpdag(targets) if self.score.equivalent else best.dag,
            member=best.dag,
            calls=sum(result.calls for result in results),
            distinct_calls=sum(result.distinct_calls for result in results),
            steps=sum(result.steps for result in results),
            settings=repr(self),
            interrupted=results[-1].interrupted and not late,
            notes=(note,) if late else (),
        )


class _Clock:
    """Ends searches that have no time limit of their own."""

    def __init__(self, seconds: float | None, callback: Progress | None) -> None:
        self._deadline = None if seconds is None else time.perf_counter() + seconds
        self.callback = callback
        self.late = False

    @property
    def progress(self) -> Progress | None:
        """The callback, which also interrupts the search when there is no time left."""
        return self.callback if self._deadline is None else self._report

    def left(self) -> float:
        """Seconds, as the core takes them: negative if there is no limit."""
        return -1.0 if self._deadline is None else max(0.0, self._deadline - time.perf_counter())

    def _report(self, what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
        if self.callback is not None:
            self.callback(what, done, total, extra)
        if self.left() == 0.0:
            self.late = True
            raise KeyboardInterrupt


def _most_families(data: Data) -> int:
    """Fewer where one takes longer to score: with many rows, unless the variables have two states."""
    states = [len(of_one) for of_one in data.states.values()]
    if not states:
        return _FAMILIES
    beyond_two = max(0.4, sum(states) / len(states) - 1.9)
    return int(_FAMILIES / (1.0 + data.n * beyond_two / _ROWS_AS_LONG))


def _with_network_of(better: Result, result: Result) -> Result:
    """What a search took, with the network of another one."""
    return replace(result, graph=better.dag, member=None, score=better.score)


def _allowed(problem: Problem, dag: DAG) -> Matrix | None:
    """The graph as the core takes it; None if the prior rules it out."""
    try:
        return problem.start(dag)
    except InputError:
        return None
