"""The best network by brute force: dynamic programming over all sets of variables (Silander and Myllymaki 2006)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

import veridag as vd
from veridag.data import Data

Floats = NDArray[np.float64]


def optimum(data: Data, score: object, prior: object = None, max_indegree: int | None = None) -> float:
    """The highest score of any DAG; for twenty variables at most. A set of variables is a number, a bit a variable."""
    n = len(data.names)
    limit = n - 1 if max_indegree is None else max_indegree
    scorer = vd.Scorer(data, score, prior)  # type: ignore[arg-type]
    best_parents = [_best_within_subsets(scorer, v, n, limit) for v in range(n)]
    sets = np.arange(2**n)
    best = np.full(2**n, -np.inf)
    best[0] = 0.0
    for size in range(1, n + 1):
        layer = sets[np.bitwise_count(sets) == size]
        for v in range(n):
            with_v = layer[layer >> v & 1 == 1]
            rest = with_v ^ (1 << v)
            best[with_v] = np.maximum(best[with_v], best[rest] + best_parents[v][rest])
    return float(best[-1])


def _best_within_subsets(scorer: vd.Scorer, v: int, n: int, limit: int) -> Floats:
    """For every set of variables, the best score of v with parents from it."""
    others = [u for u in range(n) if u != v]
    families = [(v, chosen) for k in range(limit + 1) for chosen in combinations(others, k)]
    best = np.full(2**n, -np.inf)
    best[[sum(1 << u for u in parents) for _, parents in families]] = scorer.local_many(families)
    for u in others:
        without, with_u = np.moveaxis(best.reshape(-1, 2, 2**u), 1, 0)
        np.maximum(without, with_u, out=with_u)
    return best


def best_order_search(data: Data, score: object, prior: object = None, max_indegree: int | None = None) -> float:
    """The score where best order score search ends (Andrews et al. 2023), from the order of the data's columns.

    Every order is scored from scratch: each variable has the parents that grow-shrink finds among its predecessors.
    """
    n = len(data.names)
    limit = n - 1 if max_indegree is None else max_indegree
    scorer = vd.Scorer(data, score, prior)  # type: ignore[arg-type]

    def local(v: int, parents: tuple[int, ...]) -> float:
        return float(scorer.local_many([(v, tuple(sorted(parents)))])[0])

    def grow_shrink(v: int, before: list[int]) -> float:
        parents: tuple[int, ...] = ()
        while len(parents) < limit:
            best = max(((*parents, u) for u in before if u not in parents), key=lambda s: local(v, s), default=parents)
            if local(v, best) <= local(v, parents):
                break
            parents = best
        while parents:
            best = max((tuple(p for p in parents if p != u) for u in parents), key=lambda s: local(v, s))
            if local(v, best) <= local(v, parents):
                break
            parents = best
        return local(v, parents)

    def order_score(order: list[int]) -> float:
        return sum(grow_shrink(v, order[:i]) for i, v in enumerate(order))

    order, gained = list(range(n)), True
    while gained:
        gained = False
        for v in list(order):
            rest, here = [u for u in order if u != v], order.index(v)
            best, now = order, order_score(order)
            for place in (*range(here - 1, -1, -1), *range(here + 1, n)):
                moved = [*rest[:place], v, *rest[place:]]
                if order_score(moved) > now + 1e-9 * abs(now):
                    best, now = moved, order_score(moved)
            gained |= best != order
            order = best
    return order_score(order)
