"""The strongest pairwise dependences as a forest, from which structural EM starts."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from veridag import _core
from veridag.criteria.independence import G2
from veridag.criteria.tester import Tester
from veridag.data import Data
from veridag.graph import DAG

#: With more variables there are no arcs: pairs grow with the square of their number.
MOST_FOR_FOREST = 1000


def strongest_forest(data: Data, jobs: int = 1) -> DAG:
    """A forest of the strongest dependences between two variables, each from the rows in which both are observed.

    Its weights are log-likelihood ratios less the penalty of BIC, and only positive ones count (Chow and Liu 1968). A
    continuous variable is joined with at most one discrete one, which is its parent in a network.
    """
    names = data.names
    if not 2 <= len(names) <= MOST_FOR_FOREST:
        return DAG.empty(names)
    pairs = np.array([*combinations(range(len(names)), 2)])
    found = Tester(Data(data.columns, data.weights), G2(), jobs=jobs).many([(u, v, ()) for u, v in pairs.tolist()])
    observed = np.column_stack([data.observed(name) for name in names]).astype(float)
    weighted = observed if data.weights is None else observed * data.weights[:, None]
    common = (observed.T @ weighted)[pairs[:, 0], pairs[:, 1]]
    gains = found.statistic / 2 - found.df * _core.log(np.maximum(common, 1.0)) / 2
    own = {frozenset(pair) for pair in data.indicators.items()}  # a column and its indicator are never both free
    discrete = [data.kinds[name] == "discrete" for name in names]
    taken = [False] * len(names)
    neighbours: list[list[int]] = [[] for _ in names]
    tree = list(range(len(names)))
    for k in np.argsort(-gains, kind="stable").tolist():
        u, v = pairs[k].tolist()
        if gains[k] <= 0:
            break
        measured = None if discrete[u] == discrete[v] else v if discrete[u] else u
        if measured is not None and taken[measured]:
            continue
        if tree[u] != tree[v] and frozenset((names[u], names[v])) not in own:
            if measured is not None:
                taken[measured] = True
            tree = [tree[u] if one == tree[v] else one for one in tree]
            neighbours[u].append(v)
            neighbours[v].append(u)
    return DAG.from_arcs([(names[u], names[v]) for u, v in _away_from_roots(neighbours)], names=names)


def _away_from_roots(neighbours: list[list[int]]) -> list[tuple[int, int]]:
    """The edges of a forest as arcs, each tree away from its variable with the most neighbours."""
    arcs: list[tuple[int, int]] = []
    seen: set[int] = set()
    for root in sorted(range(len(neighbours)), key=lambda v: -len(neighbours[v])):
        waiting = [] if root in seen else [root]
        seen.add(root)
        while waiting:
            u = waiting.pop()
            fresh = [v for v in neighbours[u] if v not in seen]
            arcs += [(u, v) for v in fresh]
            seen.update(fresh)
            waiting += fresh
    return arcs
