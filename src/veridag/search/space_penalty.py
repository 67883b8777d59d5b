"""The search space penalty, around any algorithm that bounds the number of parents."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from math import exp, inf, log1p
from typing import Any, Literal, get_args

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
    "nested" is $G_n^d$; "difference" is $G_n^d$ without $G_n^{d-1}$ (footnote 1). The score of the result is that of
    the graph minus the logarithm of that number. `calls` and `steps` are summed over the bounds. Families scored for
    one bound are not scored again for the next. With `Exact`, all bounds share one score table, and the result is
    proven to be the best.

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
        found: list[Result] = []
        best: Result | None = None
        learn = self._learner(data, knowledge, seed, progress, jobs, trace, bound)
        first = bound
        with sharing_scores():
            while bound >= least and not (found and found[-1].interrupted):
                result = learn(bound)
                found.append(result)
                most = int(result.dag.adjacency.sum(axis=0).max(initial=0))
                score = -inf if result.score is None else result.score - log_size(n, most, self.size)
                if best is None or best.score is None or score > best.score:
                    best = replace(result, score=score)
                bound = most - 1
        if best is None:
            raise InputError(f"max_indegree={bound} is below the number of parents that are required, {least}")
        return replace(
            best,
            calls=sum(r.calls for r in found),
            distinct_calls=sum(r.distinct_calls for r in found),
            steps=sum(r.steps for r in found),
            settings=repr(self),
            interrupted=found[-1].interrupted,
            **self._proof(found, best, n, first),
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

    def _proof(self, found: list[Result], best: Result, n: int, first: int) -> dict[str, Any]:
        """Whether the best graph is proven to be so, and by how much another may be better.

        A graph of a bound that was skipped has a penalty at least as high as the graph found for the bound above it,
        provided that the penalties rise with the bound.
        """
        if not isinstance(self.algorithm, Exact):
            return {}
        sizes = [log_size(n, d, self.size) for d in range(first + 1)]
        if any(later < earlier for earlier, later in pairwise(sizes)):
            return {"optimal": False, "gap": None}
        highest = max(
            (r.score or 0.0) + (r.gap or 0.0) - sizes[int(r.dag.adjacency.sum(axis=0).max(initial=0))] for r in found
        )
        optimal = all(r.optimal for r in found)
        return {"optimal": optimal, "gap": 0.0 if optimal else max(0.0, highest - (best.score or 0.0))}


def log_size(n: int, d: int, size: Size = "nested") -> float:
    """log |G_n^d|, or log of the number of DAGs on n variables whose largest indegree is exactly d."""
    whole = log_count_dags(n, d)
    if size == "nested" or d == 0:
        return whole
    return whole + log1p(-exp(log_count_dags(n, d - 1) - whole))
