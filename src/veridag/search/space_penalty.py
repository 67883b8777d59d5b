"""The search space penalty, around any algorithm that bounds the number of parents."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import exp, inf, log1p
from typing import Literal, get_args

from veridag.counting import log_count_dags
from veridag.criterion import Result
from veridag.data import Data
from veridag.errors import InputError
from veridag.knowledge import Knowledge

from .base import Algorithm, Progress, check_count, sharing_scores

Size = Literal["nested", "difference"]


@dataclass(frozen=True)
class SearchSpacePenalty(Algorithm):
    """Search space penalization (Eggeling et al. 2019, section 3): P(G) is proportional to 1 / |G_n^d|.

    G_n^d are the DAGs on n variables with at most d parents each, and d is the most parents that a variable has in G.
    `algorithm` learns with one bound after the other, and the best of its graphs under this prior is returned; with an
    algorithm that finds the best graph for each bound, this is the best graph under the prior (proposition 1). Where a
    graph has fewer parents than its bound allows, the bounds in between are skipped: they would give the same graph.

    The largest bound is `max_indegree`, or the algorithm's own if that is None. `size` says what a graph is one of:
    "nested", |G_n^d|; "difference", |G_n^d without G_n^(d-1)| (footnote 1). The score of the result is that of the
    graph less the logarithm of that number, and `calls` and `steps` are summed over the bounds. What was scored for one
    bound is not scored again for the next.
    """

    algorithm: Algorithm
    max_indegree: int | None = None
    size: Size = "nested"

    def __post_init__(self) -> None:
        if not isinstance(self.algorithm, Algorithm) or "max_indegree" not in {f.name for f in fields(self.algorithm)}:  # type: ignore[arg-type]
            raise InputError(f"algorithm={self.algorithm!r} must be an algorithm with max_indegree, such as Tabu()")
        if self.max_indegree is not None:
            check_count("max_indegree", self.max_indegree, 0)
        if self.size not in get_args(Size):
            raise InputError(f"size={self.size!r} must be 'nested' or 'difference'")

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        n = len(data.names)
        own: int | None = self.algorithm.max_indegree  # type: ignore[attr-defined] # see __post_init__
        bound = next(d for d in (self.max_indegree, own, n - 1) if d is not None)
        bound = max(0, min(bound, n - 1))
        least = int(knowledge.bind(data.names).required.sum(axis=0).max(initial=0))
        found: list[Result] = []
        best: Result | None = None
        with sharing_scores():
            while bound >= least and not (found and found[-1].interrupted):
                learner = replace(self.algorithm, max_indegree=bound)  # type: ignore[type-var]
                result = learner._learn(data, knowledge, seed, progress, jobs, trace)
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
        )


def log_size(n: int, d: int, size: Size = "nested") -> float:
    """log |G_n^d|, or log of the number of DAGs on n variables whose largest indegree is exactly d."""
    whole = log_count_dags(n, d)
    if size == "nested" or d == 0:
        return whole
    return whole + log1p(-exp(log_count_dags(n, d - 1) - whole))
