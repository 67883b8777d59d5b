"""The best network by brute force: dynamic programming over all sets of variables (Silander and Myllymaki 2006)."""

from __future__ import annotations

from itertools import combinations

import veridag as vd
from veridag.data import Data


def optimum(data: Data, score: object, prior: object = None, max_indegree: int | None = None) -> float:
    """The highest score of any DAG; for a dozen variables at most."""
    n = len(data.names)
    limit = n - 1 if max_indegree is None else max_indegree
    scorer = vd.Scorer(data, score, prior)  # type: ignore[arg-type]
    best_parents = [_best_within_subsets(scorer, v, n, limit) for v in range(n)]
    best = {0: 0.0}
    for subset in range(1, 2**n):
        members = [v for v in range(n) if subset >> v & 1]
        best[subset] = max(best[subset & ~(1 << v)] + best_parents[v][subset & ~(1 << v)] for v in members)
    return best[2**n - 1]


def _best_within_subsets(scorer: vd.Scorer, v: int, n: int, limit: int) -> dict[int, float]:
    """For every set of other variables, the best score of v with parents from it."""
    others = [u for u in range(n) if u != v]
    families = [(v, chosen) for k in range(limit + 1) for chosen in combinations(others, k)]
    values = dict(
        zip((sum(1 << u for u in ps) for _, ps in families), scorer.local_many(families).tolist(), strict=True)
    )
    best: dict[int, float] = {}
    for subset in range(2**n):
        if subset >> v & 1:
            continue
        inner = [best[subset & ~(1 << u)] for u in others if subset >> u & 1]
        best[subset] = max([values.get(subset, float("-inf")), *inner])
    return best
