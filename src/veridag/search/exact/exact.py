"""Exact search: the best network of a table of candidate parent sets, with a proof."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import get_args

from veridag.checks import BOOLEAN, JOBS, MAX_INDEGREE, SEED, Number, OneOf, Optional, checked
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.score_table import ScoreTable, score_table
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph.knowledge import Knowledge
from veridag.progress import Interrupted, Progress
from veridag.search.base import Algorithm
from veridag.search.result import Result
from veridag.search.tabu import Tabu

from .search import Method, Search, graph_of, turned

#: An integer stays one: the settings of a stored result name the limit as it was written.
TIME_LIMIT = Optional(Number(least=0, example=60, keep_integers=True))


@dataclass(frozen=True)
class Exact(Algorithm):
    """Exact search: finds the network with the highest score, and proves that there is no better one.

    First it scores all parent sets of up to `max_indegree` parents that can be in a best network (`score_table`). Then
    it finds the best acyclic choice of one set per variable (`solve`). ``result.optimal`` is True if the proof is
    complete. After `time_limit` seconds, or on an interrupt, the result is the best network so far, and ``result.gap``
    is the most by which the best score can be higher. If not even the table was finished, this is the network that
    `Tabu` finds, and the gap is infinite. `progress` also gets the ``"bound"`` on all scores, once there is one.

    With ``prove=False`` the search ends where the proof would begin: with the best network that climbs over orders find
    in the table, and the gap to a first bound. That takes about as long as the table, and no clock decides the result.

    If there are several best networks, the result is one in which no arc between variables with otherwise equal parents
    can be reversed to point from the earlier to the later variable without loss. Earlier refers to an order found in
    the data, so the order of columns does not matter.

    Integer programming needs SCIP: ``pip install 'veridag[exact]'``. Without it only dynamic programming is used, which
    is enough for about 30 variables. The search maximises `score` plus the logarithm of `prior`.

    See also:
        `solve`, `best_networks`, `BOSS`, docs/exact.md
    """

    score: Score = field(default_factory=BIC, metadata=checked(SCORE))
    prior: Prior = field(default_factory=Uniform, metadata=checked(PRIOR))
    max_indegree: int | None = field(default=None, metadata=checked(MAX_INDEGREE))
    time_limit: float | None = field(default=None, metadata=checked(TIME_LIMIT))
    prove: bool = field(default=True, metadata=checked(BOOLEAN))

    def __repr__(self) -> str:
        """The settings; `prove` only if it is False: the keys of stored results have been made without it."""
        said = [own.name for own in fields(self) if own.name != "prove" or not self.prove]
        return f"Exact({', '.join(f'{name}={getattr(self, name)!r}' for name in said)})"

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        start = time.perf_counter()
        first = self._first(data, knowledge, seed, jobs)

        def watch(what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
            if progress is not None:
                known = {} if first is None or first.score is None else {"score": first.score}
                progress(what, done, total, {**extra, **known})
            if first is not None and self.time_limit is not None and time.perf_counter() - start > self.time_limit:
                raise TimeoutError

        try:
            table = self.table(data, knowledge, jobs, watch)
        except (TimeoutError, KeyboardInterrupt) as stop:
            if first is None:
                raise
            seconds = time.perf_counter() - start
            changes = {"interrupted": isinstance(stop, KeyboardInterrupt), "settings": repr(self), "seconds": seconds}
            return replace(first, optimal=False, gap=math.inf, **changes)  # type: ignore[arg-type] # of several types
        return self.search(table, data.names, seed, progress, time.perf_counter() - start, jobs)

    def _first(self, data: Data, knowledge: Knowledge, seed: int, jobs: int) -> Result | None:
        """A network to fall back on; None if the prior rules out the empty graph, where the search would start."""
        try:
            return Tabu(self.score, self.prior, self.max_indegree).learn(data, knowledge, seed=seed, jobs=jobs)
        except InputError:
            return None

    def table(self, data: Data, knowledge: Knowledge, jobs: int, watch: Progress | None = None) -> ScoreTable:
        """The table that this algorithm searches; `watch` is its progress callback."""
        ordered = data.in_data_order()
        return score_table(ordered, self.score, self.prior, self.max_indegree, knowledge, jobs, watch)

    def search(
        self,
        table: ScoreTable,
        names: tuple[str, ...],
        seed: int,
        progress: Progress | None,
        spent: float,
        jobs: int = 1,
    ) -> Result:
        """The best network of the table, with variables in the order of `names`, after `spent` seconds."""
        left = None if self.time_limit is None else max(0.0, self.time_limit - spent)
        result = find_best(table, left, progress, None, "auto", seed, jobs, prove=self.prove)
        return replace(result, graph=result.dag.reorder(names), settings=repr(self))


def solve(
    table: ScoreTable,
    time_limit: float | None = None,
    progress: Progress | None = None,
    *,
    memory_limit: float | None = None,
    method: Method = "auto",
    seed: int = 0,
    jobs: int = 1,
) -> Result:
    """Find the acyclic network with the highest score in a score table: one parent set for each variable.

    Every network is checked before it is returned: it is acyclic, made of rows of the table, and has the score it
    claims.

    Args:
        table: The score table.
        time_limit: Seconds after which the best network so far is returned; no limit if None.
        progress: Progress callback, see `ProgressBar`; called several times a second with the number of steps, the best
            ``"score"`` so far and the ``"bound"`` on all scores.
        memory_limit: Most memory to use, in bytes; three quarters of the free memory if None. A search that would need
            more stops there with a warning.
        method: How to search, after candidates that no best network has are removed.

            - "dynamic": dynamic programming over the sets of variables that bounds do not exclude (Silander and
              Myllymaki 2006; Malone et al. 2011), for up to 60 variables and not too many sets;
            - "integer": integer programming with cluster constraints (Jaakkola et al. 2010; Bartlett and Cussens 2017);
            - "auto": tries the first, continues with the one that is expected to finish first, and switches to the
              other if the bound does not improve.
        seed: Seed of the search for a first network.
        jobs: Number of threads of dynamic programming. The result does not depend on it.

    Returns:
        The best network found. `optimal` is True if no better one exists; `gap` is the most by which the best score can
        be higher.

    Raises:
        Interrupted: On Ctrl-C, with the best network so far.

    See also:
        `score_table`, `Exact`, `best_networks`, docs/exact.md
    """
    if not isinstance(table, ScoreTable):
        raise InputError(f"table: a ScoreTable is needed, not a {type(table).__name__}: create one with score_table")
    OneOf(get_args(Method))("method", method)
    time_limit, seed = TIME_LIMIT("time_limit", time_limit), SEED("seed", seed)
    ordered = table.reorder(sorted(table.names))  # a table has no data to break ties by
    result = find_best(ordered, time_limit, progress, memory_limit, method, seed, JOBS("jobs", jobs))
    result = replace(result, graph=result.dag.reorder(table.names))
    if result.interrupted:
        raise Interrupted("the search was stopped; .result is the best so far", result)
    return result


def find_best(
    table: ScoreTable,
    time_limit: float | None,
    progress: Progress | None,
    memory_limit: float | None,
    method: Method,
    seed: int,
    jobs: int,
    *,
    prove: bool = True,
) -> Result:
    """As `solve`, but after an interrupt the result says so. Ties are broken by the order of the variables."""
    start = time.perf_counter()
    search = Search(table, time_limit, progress, memory_limit, method, seed, jobs, prove)
    choice = turned(table, search.run())
    dag = graph_of(table, choice)  # refuses cycles
    score = float(table.scores[choice].sum())
    return Result(
        graph=dag,
        score=score,
        calls=len(table.scores),
        distinct_calls=len(table.scores),
        steps=search.steps,
        seconds=time.perf_counter() - start,
        seed=seed,
        settings=f"solve(time_limit={time_limit!r}, method={method!r})",
        optimal=search.finished,
        gap=0.0 if search.finished else max(0.0, search.bound - score),
        interrupted=search.interrupted,
    )
