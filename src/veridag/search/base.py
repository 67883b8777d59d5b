"""What every learning algorithm is."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING, Any, ClassVar

from veridag.checks import PROGRESS, SEED, Checked, Instance, Optional
from veridag.criteria.directions import torn_apart, with_directions, without_own_indicators
from veridag.criteria.independence import Test
from veridag.criteria.priors.base import Prior
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.errors import InputError, WrongResultError, setting
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Interrupted, Progress
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor
from veridag.work.threads import Threads

from .labels import Traits, label, plain_label
from .memory import BY_SCORE, NeedsByKind, check_memory
from .result import Result

if TYPE_CHECKING:
    from distributed import Client

_NOTHING_KNOWN = Knowledge()

_REMEDY = "rescale columns with very large or very small values, or use another score or settings closer to the default"

#: The check of an argument that says what is known.
KNOWLEDGE = Optional(Instance(Knowledge, "a Knowledge, such as Knowledge(required=[('A', 'B')])"))

#: The check of the graph that a search starts from.
START = Optional(Instance(DAG, "a DAG"))


class Algorithm(Checked, ABC):
    """A structure learning algorithm: a frozen dataclass of its settings, without data.

    See also:
        `learn`, `Result`, docs/algorithms.md, docs/adding.md
    """

    #: What a search with many columns takes of memory.
    _needs: ClassVar[NeedsByKind] = BY_SCORE

    def learn(
        self,
        data: Data | Any,
        knowledge: Knowledge | None = None,
        seed: int = 0,
        progress: Progress | None = None,
        *,
        jobs: int | Executor = 1,
        client: Client | str | None = None,
        trace: bool = False,
    ) -> Result:
        """Learn a network structure from data.

        The result depends on the data, the settings and the seed, but not on the order of columns or on `jobs`. Ctrl-C
        stops the search within a tenth of a second. A callback that raises KeyboardInterrupt stops it in the same way.

        Args:
            data: The table: a `Data` or a data frame.
            knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
            seed: Seed of the random numbers. The same seed gives the same result.
            progress: Progress callback, see `ProgressBar`; called at the first step and then about 20 times a second,
                with the number of steps and the best score so far.
            jobs: Number of threads. An average of many networks can also learn them in processes, with `Processes`.
            client: For an average of many networks: the Dask client, or the address of its scheduler, to learn them on.
            trace: Whether the result of a greedy search lists its moves.

        Raises:
            Interrupted: On Ctrl-C. Its `result` is the best network so far; for a constraint-based algorithm, the pairs
                not yet separated, without directions.

        See also:
            `learn`, `Result`, docs/algorithms.md
        """
        data = Data.of(data)
        seed, executor = SEED("seed", seed), executor_of(jobs, client)
        knowledge, progress = KNOWLEDGE("knowledge", knowledge), PROGRESS("progress", progress)
        check_memory(data, self._needs)
        start = time.perf_counter()
        joined, remarks = without_own_indicators(knowledge or _NOTHING_KNOWN, data)
        known, notes = self._with_directions(joined, data)
        try:
            result = self._learn_on(executor, data, known, seed, progress, trace)
        except FloatingPointError as found:  # the core came across NaN
            raise InputError(f"{self.label}: {found}: {_REMEDY}") from None
        object.__setattr__(result, "seconds", time.perf_counter() - start)
        if notes:
            result = _directed(result, known, notes)
        if remarks:
            result = replace(result, notes=(*result.notes, *remarks))
        by_score = result.score is not None or isinstance(self.criterion, Score)
        if data.targets is not None and by_score:  # tests tell no more directions than observations do
            result = replace(result, targets=data.target_sets)
        half_done = result.interrupted and result.score is None  # pairs not yet separated, hardly ever a class of DAGs
        self._check_score(result)
        if result.valid and not half_done:
            self._check(result, known, data.n)
        if result.interrupted:
            raise Interrupted("the search was stopped; .result is the best so far", result)
        return result

    @property
    def criterion(self) -> Score | Test | None:
        """The score that the result maximises, or the test if there is no score; None if there is neither."""
        found: Score | Test | None = getattr(self, "score", getattr(self, "test", None))
        return found

    def obeyed(self, knowledge: Knowledge | None, data: Data) -> Knowledge:
        """All constraints on this data: the knowledge, and directions that the criterion requires."""
        joined, _ = without_own_indicators(knowledge or _NOTHING_KNOWN, data)
        return self._with_directions(joined, data)[0]

    def _with_directions(self, knowledge: Knowledge, data: Data) -> tuple[Knowledge, tuple[str, ...]]:
        """What is known with what the criterion says of arcs between discrete and continuous variables, and a note."""
        criterion = self.criterion
        if data.kind != "mixed" or criterion is None or criterion.both_directions:
            return knowledge, ()
        name = type(criterion).__name__
        is_score = isinstance(criterion, Score)
        better = "use the score DegenerateGaussian" if is_score else "use the test DegenerateG2"
        note = (
            f"arcs lead only from discrete to continuous variables, because {name} allows no others; if a measurement "
            f"can cause a category, {better}"
        )
        notes = (note, *torn_apart(knowledge, data, name))
        return with_directions(knowledge, data, name), notes

    def _check_score(self, result: Result) -> None:
        """Raise if the score is no number, which no search may pass on as a result.

        Minus infinity is left to `_check`, since the best so far of a search that was stopped may have it.
        """
        if result.score is None or isfinite(result.score) or result.score == -inf:
            return
        raise InputError(f"{self.label}: the score of the network found is {result.score}: {_REMEDY}")

    def _check(self, result: Result, knowledge: Knowledge, n: int) -> None:
        """Raise if the result goes against what is known, the bound on parents or the prior."""
        broken = knowledge.violations(result.dag)
        most = self._most_parents()
        if most is not None and (parents := int(result.dag.adjacency.sum(axis=0).max(initial=0))) > most:
            broken.append(f"a variable has {parents} parents, more than max_indegree={most}")
        if broken:
            raise WrongResultError(
                f"{self.label} violated the knowledge: {broken[0]}. This is a bug: please report it."
            )
        prior: Prior | None = getattr(self, "prior", None)
        if result.score is None or result.interrupted:
            return
        if result.score == -inf or (prior is not None and prior.log(result.dag, n) == -inf):
            raise InputError(
                f"{self.label} found no network with a finite score: change the prior, the knowledge, or "
                "max_indegree, or pass start=, a DAG that they allow"
            )

    def _most_parents(self) -> int | None:
        """The most parents that a variable of the result may have."""
        found: int | None = getattr(self, "max_indegree", None)
        return found

    @property
    def label(self) -> str:
        """A short name: the algorithm, its criterion, and the settings that are not the default; `parse` reads it."""
        return label(self)

    @property
    def traits(self) -> Traits:
        """What distinguishes it from other learners in a figure."""
        score, prior = (plain_label(getattr(self, part, "")) for part in ("score", "prior"))
        return Traits(score, prior, type(self).__name__)

    def _learn_on(
        self,
        executor: Executor,
        data: Data,
        knowledge: Knowledge,
        seed: int,
        progress: Progress | None,
        trace: bool,
    ) -> Result:
        """What is learned with the threads of an executor; averages of many networks take any executor."""
        if not isinstance(executor, Threads):
            raise InputError(
                f"{self.label} is a single search in threads of this process and cannot use "
                f"{type(executor).__name__}: give {setting('jobs', 2)} alone"
            )
        return self._learn(data, knowledge, seed, progress, executor.jobs, trace)

    @abstractmethod
    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result: ...


def _directed(result: Result, knowledge: Knowledge, notes: tuple[str, ...]) -> Result:
    """The result with the notes, and with edges directed where what is known leaves no choice."""
    graph = result.graph
    if isinstance(graph, PDAG) and result.valid and not result.interrupted:
        graph = knowledge.orient(graph)
    return replace(result, graph=graph, notes=(*result.notes, *notes))


def core_callback(progress: Progress | None) -> Callable[[int, float, float], object] | None:
    """The callback as the core calls it: with steps, best score (`NaN` if there are only tests) and bound."""
    if progress is None:
        return None

    def report(steps: int, best: float, bound: float) -> None:
        del bound
        if isnan(best):
            progress("tests", steps, None, {})
        else:
            progress("search", steps, None, {"score": best})

    return report
