"""Hill climbing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from veridag import _core
from veridag.checks import MAX_INDEGREE, Integer, OneOf, Optional, checked
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.graph.matrices import topological_order
from veridag.progress import Progress

from .base import START, Algorithm, core_callback
from .ges import GES, is_symmetric
from .problem import Matrix, Problem, Ties, is_higher, sharing_scores
from .result import Result, Step

_MOVES: tuple[Literal["add", "remove", "reverse"], ...] = ("add", "remove", "reverse")

#: With more columns, finding an order for ties and climbing again would take seconds.
MOST_COLUMNS_FOR_CLASSES = 1500

#: With more columns than this, nor is it done where the climb asked for more families a pair of columns: its network is
#: dense, and a search over classes could take many times as long.
FEW_COLUMNS, MOST_CALLS_A_PAIR = 200, 6


def can_afford_classes(columns: int, calls: int) -> bool:
    """Whether an order for ties is looked for after a climb that asked for so many families."""
    is_sparse = columns <= FEW_COLUMNS or calls <= MOST_CALLS_A_PAIR * columns**2
    return columns <= MOST_COLUMNS_FOR_CLASSES and is_sparse


@dataclass(frozen=True)
class HillClimbing(Algorithm):
    """Hill climbing: greedy search over DAGs that adds, removes and reverses arcs.

    This is Algorithm 2 of Scutari, Graafland and Gutierrez (2019) without its tabu list. From `start` (the required
    arcs alone if None) it makes the best move as long as the score increases. Each of `restarts` then makes `perturb`
    random moves from the best graph so far (as many as there are variables if None), and climbs again. No variable gets
    more than `max_indegree` parents, and no climb makes more than `max_iter` moves.

    Moves whose gains differ by less than 1e-9 of the score are tied. With a score-equivalent score, A -> B and B -> A
    are tied whenever A and B have the same parents, and much depends on the choice.

    - ``ties="data"``: the data decides, so that names and the order of columns and rows do not matter. The arc points
      to the variable whose other parents it makes more valuable; if there are none, away from the variable with the
      stronger associations. If there were such ties, and there are at most 1 500 columns and not too many arcs, a
      second climb breaks them by a topological order of the network that `GES` finds, and the better of the two is
      returned.
    - ``ties="columns"``: there is one climb, and the move whose columns come first is made, as in other programs. The
      result then depends on the order of the columns.

    The search maximises `score` plus the logarithm of `prior`.

    See also:
        `Tabu`, `GES`, docs/algorithms.md
    """

    score: Score = field(default_factory=BIC, metadata=checked(SCORE))
    prior: Prior = field(default_factory=Uniform, metadata=checked(PRIOR))
    max_indegree: int | None = field(default=None, metadata=checked(MAX_INDEGREE))
    start: DAG | None = field(default=None, metadata=checked(START))
    restarts: int = field(default=0, metadata=checked(Integer(0, 2**31 - 1)))
    perturb: int | None = field(default=None, metadata=checked(Optional(Integer(1, 2**31 - 1))))
    max_iter: int | None = field(default=None, metadata=checked(Optional(Integer(0, 2**31 - 1))))
    ties: Ties = field(default="data", metadata=checked(OneOf(get_args(Ties))))

    def _tabu(self) -> tuple[int, int]:
        return 0, 0

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        with sharing_scores():
            problem = Problem(data, self.score, self.prior, knowledge, self.max_indegree, self.ties)
            climbs = _Climbs(self, problem, seed, progress, jobs, trace)
            start = problem.start(self.start)
            try:
                self._climb(climbs, start, data)
            except KeyboardInterrupt:  # between two climbs; during one, the core ends it
                if not climbs.has_best:
                    raise
                climbs.interrupted = True
        return climbs.result()

    def _climb(self, climbs: _Climbs, start: Matrix, data: Data) -> None:
        climbs.add(start, look_ahead=self.ties == "data")
        by_classes = self.ties == "data" and data.targets is None  # interventions tell members of a class apart
        if by_classes and climbs.best.ties and can_afford_classes(len(data.names), climbs.best.calls):
            climbs.rank_by_classes()
        if climbs.ranks and not climbs.interrupted:
            climbs.add(start, ranks=climbs.ranks)
        if self.restarts and not climbs.interrupted:
            climbs.add(climbs.best.dag, look_ahead=self.ties == "data", restarts=self.restarts)


class _Climbs:
    """Climbs of one search, of which the best counts."""

    def __init__(
        self,
        settings: HillClimbing,
        problem: Problem,
        seed: int,
        progress: Progress | None,
        jobs: int,
        trace: bool,
    ) -> None:
        self._settings, self._problem, self._seed = settings, problem, seed
        self._progress, self._jobs, self._trace = progress, jobs, trace
        self._moves: list[_core.Move] = []
        self._steps = self._calls = self._distinct = self._mirrored = 0
        self._best: _core.SearchOutcome | None = None
        self.ranks: list[int] = []
        self.interrupted = False

    @property
    def has_best(self) -> bool:
        """Whether a climb has ended."""
        return self._best is not None

    @property
    def best(self) -> _core.SearchOutcome:
        """The outcome of the best climb so far; of several that tie, the first."""
        assert self._best is not None
        return self._best

    def add(self, start: Matrix, look_ahead: bool = False, ranks: list[int] | None = None, restarts: int = 0) -> None:
        """Climb from a graph, and again after each restart."""
        own = self._settings
        tabu, max_tabu = own._tabu()
        left = -1 if own.max_iter is None else own.max_iter
        if restarts and own.max_iter is not None:
            left = max(0, own.max_iter - self.best.steps)
        settings = _core.GreedySettings(
            tabu=tabu,
            max_tabu=max_tabu,
            restarts=restarts,
            perturb=len(self._problem.names) if own.perturb is None else own.perturb,
            max_steps=left,
            seed=self._seed,
            trace=self._trace,
            look_ahead=look_ahead,
            ranks=ranks or [],
        )
        report = core_callback(self._continued())
        found = _core.search_greedy(self._problem.core, start, settings, report, self._jobs)
        self._calls, self._distinct = self._calls + found.calls, self._distinct + found.distinct_calls
        self._steps += found.steps
        self._mirrored += found.mirrored
        self.interrupted = found.interrupted
        if restarts:
            self._moves += found.moves
        if self._best is not None and not is_higher(found.score, self._best.score):
            return
        self._best = found
        if not restarts:
            self._moves = list(found.moves)

    def rank_by_classes(self) -> None:
        """Rank the variables by an order of the network that a search over classes finds."""
        own = self._settings
        if self.interrupted:
            return
        classes = GES(own.score, own.prior, own.max_indegree, own.start, order="xges-0")
        found = classes._search(self._problem, self._continued(), self._jobs)
        self._calls, self._distinct = self._calls + found.calls, self._distinct + found.distinct_calls
        self.interrupted = found.interrupted
        place = {v: i for i, v in enumerate(topological_order(found.dag))}
        self.ranks = [place[v] for v in range(len(place))]

    def _continued(self) -> Progress | None:
        """The callback, with the steps of earlier climbs added and no score below that of the best."""
        progress, before, best = self._progress, self._steps, self._best
        if progress is None or best is None:
            return progress

        def report(what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
            progress(what, before + done, total, {**extra, "score": max(best.score, extra["score"])})

        return report

    def result(self) -> Result:
        """The best network, with what all climbs took."""
        names, best = self._problem.names, self.best
        made = tuple(
            Step(_MOVES[move.kind], (names[move.origin], names[move.target]), move.gain) for move in self._moves
        )
        return Result(
            graph=self._problem.dag(best.dag),
            score=best.score,
            calls=self._calls,
            distinct_calls=self._distinct,
            steps=self._steps,
            seconds=0.0,
            seed=self._seed,
            settings=repr(self._settings),
            interrupted=self.interrupted,
            trace=made if self._trace else None,
            calls_offset=-self._mirrored if self._is_equivalent() else 0,
        )

    def _is_equivalent(self) -> bool:
        """Whether an arc between two variables without parents gains the same in either direction."""
        problem = self._problem
        by_prior = is_symmetric(problem.prior_size, problem.prior_arc)
        return self._settings.score.equivalent and by_prior and problem.data.targets is None
