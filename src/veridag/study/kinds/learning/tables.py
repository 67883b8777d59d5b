"""Score tables that exact learners share: one of the score alone, to which each structure prior is added."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields, replace
from itertools import combinations

import numpy as np

from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import Prior, PriorTerms
from veridag.criteria.score_table import ScoreTable, score_table
from veridag.data import Data
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.search import Algorithm, Exact, SearchSpacePenalty
from veridag.study.shared import Shared

#: Scores that differ by no more than this, relative to their size, are the same.
ROUNDING = 1e-12


@dataclass(frozen=True)
class _TabledExact(Exact):
    """Exact search that asks for the table of its score before it makes one of its own."""

    source: Callable[[Exact], ScoreTable] | None = field(default=None, compare=False, repr=False)

    def table(self, data: Data, knowledge: Knowledge, jobs: int, watch: Progress | None = None) -> ScoreTable:
        """The shared table with this learner's prior, if the prior favours no set over its subsets."""
        terms = self.prior.terms(data.in_data_order().names, data.n)
        if self.source is None or knowledge != Knowledge() or not favours_subsets(terms, self.max_indegree):
            return super().table(data, knowledge, jobs, watch)
        return with_prior(self.source(self), self.prior, data.n)


def sharing_tables(learner: Algorithm, data: Data, key: Hashable, shared: Shared) -> Algorithm:
    """The learner, having its score table from what is shared if it searches exactly; it learns the same."""
    if isinstance(learner, SearchSpacePenalty):
        return replace(learner, algorithm=sharing_tables(learner.algorithm, data, key, shared))
    if not isinstance(learner, Exact):
        return learner

    def source(asking: Exact) -> ScoreTable:
        what = ("table", key, asking.score, asking.max_indegree)
        make = lambda: score_table(data.in_data_order(), asking.score, Uniform(), asking.max_indegree)  # noqa: E731
        return shared.get(what, make, lambda table: table.nbytes)

    return _TabledExact(**{f.name: getattr(learner, f.name) for f in fields(learner)}, source=source)


def favours_subsets(terms: PriorTerms, max_indegree: int | None) -> bool:
    """Whether no parent set up to the bound has a higher prior than a subset.

    What a subset beats by score, it then beats by both. `Fair` is such a prior up to half of the variables.
    """
    size = terms.size if max_indegree is None else terms.size[:, : max_indegree + 1]
    before, after = size[:, :-1], size[:, 1:]
    return terms.arc is None and bool((after <= before).all()) and bool(np.isfinite(terms.size[:, 0]).all())


def with_prior(table: ScoreTable, prior: Prior, rows: int) -> ScoreTable:
    """The table of the same score with a prior that `favours_subsets`, made from the one with the uniform prior.

    A set that a subset beats without the prior is beaten with it too, so nothing is missing; what is beaten only with
    the prior goes.
    """
    size = prior.terms(table.names, rows).size
    weighed = [_unbeaten([(score + float(size[v, len(s)]), s) for score, s in table.sets(v)]) for v in range(len(size))]
    return ScoreTable.from_sets(table.names, weighed, f"{table.settings}, then {prior!r}", table.max_indegree)


def _unbeaten(sets: list[tuple[float, tuple[int, ...]]]) -> list[tuple[float, tuple[int, ...]]]:
    """The sets that score above each of their subsets, of which the best is carried from size to size."""
    kept: dict[tuple[int, ...], float] = {}
    for score, parents in sorted(sets, key=lambda item: len(item[1])):
        below = (kept[s] for size in range(len(parents)) for s in combinations(parents, size) if s in kept)
        best = max(below, default=-np.inf)
        if np.isfinite(score) and score > best + ROUNDING * abs(best if np.isfinite(best) else 0.0):
            kept[parents] = score
    return [(score, parents) for parents, score in kept.items()]
