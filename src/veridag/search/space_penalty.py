"""The search space penalty, around any algorithm that bounds the number of parents."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from itertools import combinations
from math import exp, inf, log1p
from typing import Any, Literal, get_args

import numpy as np

from veridag.checks import MAX_INDEGREE, OneOf, checked
from veridag.criteria.independence import Test
from veridag.criteria.priors.dag_counts import log_count_dags
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.search.exact.exact import Exact

from .base import Algorithm
from .labels import Traits
from .problem import sharing_scores
from .result import Result

Size = Literal["nested", "difference"]


def _check_bounded(name: str, value: object) -> Algorithm:
    """An algorithm that bounds the number of parents."""
    if isinstance(value, Algorithm) and "max_indegree" in {own.name for own in fields(value)}:
        return value
    raise InputError(f"{name}={value!r} must be an algorithm with max_indegree, such as Tabu()")


@dataclass(frozen=True)
class SearchSpacePenalty(Algorithm):
    """Search space penalization: a prior proportional to $1 / |G_n^d|$ (Eggeling et al. 2019, section 3).

    $G_n^d$ are the DAGs on $n$ variables with at most $d$ parents each, and $d$ is the largest number of parents in the
    graph. `algorithm` learns with one bound after the other, and the best of its graphs under this prior is returned.
    If the algorithm finds the best graph for each bound, this is the best graph under the prior (proposition 1). If a
    graph has fewer parents than its bound allows, the bounds in between are skipped, because they would give the same
    graph.

    The largest bound is `max_indegree`, or the algorithm's own if None. `size` selects the set that is counted:
    "nested" is $G_n^d$; "difference" is $G_n^d$ without $G_n^{d-1}$ (footnote 1). The latter is smaller for $n - 1$
    parents than for $n / 2$, so a graph with more parents can win although it fits less well. If that is possible, the
    search also requires each set of so many parents of each variable in turn.

    The score of the result is that of the graph minus the logarithm of that number. `calls` and `steps` are summed over
    the bounds. Families scored for one bound are not scored again for the next. With `Exact`, all bounds share one
    score table, and the result is proven to be the best.

    See also:
        `count_dags`, `Exact`, docs/algorithms.md
    """

    algorithm: Algorithm = field(metadata=checked(_check_bounded))
    max_indegree: int | None = field(default=None, metadata=checked(MAX_INDEGREE))
    size: Size = field(default="nested", metadata=checked(OneOf(get_args(Size))))

    @property
    def traits(self) -> Traits:
        """The penalty counts as a prior."""
        return replace(self.algorithm.traits, prior="SSP")

    @property
    def criterion(self) -> Score | Test | None:
        """The score of the algorithm."""
        return self.algorithm.criterion

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        n = len(data.names)
        own: int | None = self.algorithm.max_indegree  # type: ignore[attr-defined] # see _check_bounded
        bound = next(d for d in (self.max_indegree, own, n - 1) if d is not None)
        bound = max(0, min(bound, n - 1))
        least = int(knowledge.bind(data.names).required.sum(axis=0).max(initial=0))
        if bound < least:
            raise InputError(f"max_indegree={bound} is below the number of required parents, {least}: raise it")
        learn = self._learner(data, knowledge, seed, progress, jobs, trace, bound)
        found = _Found(n, self.size)
        with sharing_scores():
            while bound >= least and not found.interrupted:
                most = found.add(learn(bound), bound)
                bound = most - 1
            for d in found.skipped_but_possible():
                for forced in _with_parents(data, knowledge, d):
                    if not found.interrupted:
                        inner = replace(self.algorithm, max_indegree=d)
                        found.add(inner._learn(data, forced, seed, progress, jobs, trace), d)
        return replace(
            found.best,
            calls=sum(r.calls for r in found.results),
            distinct_calls=sum(r.distinct_calls for r in found.results),
            calls_offset=sum(r.calls_offset for r in found.results),
            steps=sum(r.steps for r in found.results),
            settings=repr(self),
            interrupted=found.interrupted,
            **(found.proof() if isinstance(self.algorithm, Exact) else {}),
        )

    def _learner(
        self,
        data: Data,
        knowledge: Knowledge,
        seed: int,
        progress: Progress | None,
        jobs: int,
        trace: bool,
        most: int,
    ) -> Callable[[int], Result]:
        """What learns with a bound of up to `most` parents."""
        inner = self.algorithm
        if isinstance(inner, Exact):
            start = time.monotonic()
            table = replace(inner, max_indegree=most).table(data, knowledge, jobs)
            return lambda d: inner.search(table.at_most(d), data.names, seed, progress, time.monotonic() - start)
        return lambda d: replace(inner, max_indegree=d)._learn(data, knowledge, seed, progress, jobs, trace)


class _Found:
    """The graphs that were found for the bounds so far, each with its penalised score and a bound on that."""

    def __init__(self, n: int, size: Size) -> None:
        self.results: list[Result] = []
        self.best: Result
        self._n, self._size = n, size
        self._highest = -inf  # what a graph of the bounds that were searched can have
        self._skipped: dict[int, Result] = {}  # numbers of parents that no graph had, with what was found instead

    @property
    def interrupted(self) -> bool:
        return bool(self.results) and self.results[-1].interrupted

    def _best_score(self) -> float:
        return -inf if self.best.score is None else self.best.score

    def add(self, result: Result, bound: int) -> int:
        """Note a graph that was found with a bound, and return the largest number of parents in it."""
        most = int(result.dag.adjacency.sum(axis=0).max(initial=0))
        score = self._penalised(result, most)
        if not self.results or score > self._best_score():
            self.best = replace(result, score=score)
        self.results.append(result)
        self._highest = max(self._highest, score + (result.gap or 0.0))
        self._skipped |= dict.fromkeys(range(most + 1, bound + 1), result)
        return most

    def skipped_but_possible(self) -> list[int]:
        """Numbers of parents that no graph had, and with which one can be better than the best.

        A graph with exactly d parents fits at most as well as the best with d or fewer, which the one that was found is
        taken for. What is asked for here counts as searched.
        """
        possible = sorted(d for d, found in self._skipped.items() if self._penalised(found, d) > self._best_score())
        for d in possible:
            del self._skipped[d]
        return possible

    def _penalised(self, result: Result, d: int) -> float:
        return (-inf if result.score is None else result.score) - log_size(self._n, d, self._size)

    def proof(self) -> dict[str, Any]:
        """Whether the best graph is proven to be so, and by how much another may be better."""
        optimal = all(r.optimal for r in self.results)
        skipped = (self._penalised(found, d) + (found.gap or 0.0) for d, found in self._skipped.items())
        highest = max(self._highest, *skipped, -inf)
        return {"optimal": optimal, "gap": 0.0 if optimal else max(0.0, highest - self._best_score())}


def _with_parents(data: Data, knowledge: Knowledge, d: int) -> Iterator[Knowledge]:
    """What is known, with one set of d parents of one variable: all that agree with what is known."""
    bound = knowledge.bind(data.names)
    for v, child in enumerate(data.names):
        required = set(np.flatnonzero(bound.required[:, v]).tolist())
        free = set(np.flatnonzero(~bound.forbidden[:, v]).tolist()) - {v}
        if bound.max_indegree[v] < d:
            continue
        for parents in combinations(sorted(free), d):
            if required <= set(parents):
                arcs = Knowledge(required=[(data.names[u], child) for u in parents])
                try:
                    yield knowledge | arcs
                except InputError:  # they form a cycle with the required ones
                    continue


def log_size(n: int, d: int, size: Size = "nested") -> float:
    """log |G_n^d|, or log of the number of DAGs on n variables whose largest indegree is exactly d."""
    whole = log_count_dags(n, d)
    if size == "nested" or d == 0:
        return whole
    return whole + log1p(-exp(log_count_dags(n, d - 1) - whole))
