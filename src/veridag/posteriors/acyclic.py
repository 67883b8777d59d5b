"""The acyclic graph of the greatest gain, where each arc has a gain of its own: the linear ordering problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Matrix = NDArray[np.bool_]

#: Components of more variables are ordered by local search.
MOST_EXACT = 16

#: Gains that differ by less are the same.
_ROUNDING = 1e-12


def heaviest_acyclic(gain: Floats) -> Matrix:
    """The acyclic graph that maximises the sum of ``gain[u, v]`` over its arcs; it has no arc without a gain.

    Arcs between strong components of the arcs with a gain close no cycle, so that each component has an order of its
    own, found by dynamic programming over its subsets if it is small.
    """
    from scipy.sparse.csgraph import connected_components  # takes longer to load than most searches run

    gain = np.where(gain > 0, gain, 0.0)
    np.fill_diagonal(gain, 0.0)
    kept = np.asarray(gain > 0)
    number, component = connected_components(kept, directed=True, connection="strong")
    for k in range(number):
        members = np.flatnonzero(component == k)
        if len(members) > 1:
            own = gain[np.ix_(members, members)]
            order = _best_order(own) if len(members) <= MOST_EXACT else _climbed_order(own)
            place = np.empty(len(order), dtype=np.int64)
            place[order] = np.arange(len(order))
            kept[np.ix_(members, members)] &= place[:, None] < place[None, :]
    return kept


def _best_order(gain: Floats) -> list[int]:
    """best(S) = max over v in S of best(S - v) + sum over u in S - v of gain[u, v]: v comes last in S."""
    n = len(gain)
    into = np.zeros((n, 1 << n))  # into[v, S]: the gain of the arcs from S to v
    for u in range(n):
        into[:, 1 << u : 2 << u] = into[:, : 1 << u] + gain[u][:, None]
    sets = np.arange(1 << n)
    sizes = np.bitwise_count(sets)
    best, last = np.zeros(1 << n), np.zeros(1 << n, dtype=np.int64)
    for size in range(1, n + 1):
        layer = sets[sizes == size]
        values = np.full(len(layer), -np.inf)
        for v in range(n):
            having = np.flatnonzero(layer >> v & 1)
            rest = layer[having] ^ (1 << v)
            found = best[rest] + into[v, rest]
            better = found > values[having] + _ROUNDING
            values[having[better]] = found[better]
            last[layer[having[better]]] = v
        best[layer] = values
    order, left = [], (1 << n) - 1
    while left:
        order.append(int(last[left]))
        left ^= 1 << order[-1]
    return order[::-1]


def _climbed_order(gain: Floats) -> list[int]:
    """Variables that give more than they take come first; then one at a time goes to its best place, while that gains.

    For an order, moving v from place i to place j > i turns the arcs between v and those in between.
    """
    order: list[int] = np.argsort(gain.sum(axis=0) - gain.sum(axis=1), kind="stable").tolist()
    turned = gain - gain.T  # what putting u before v gains over v before u
    improved = True
    while improved:
        improved = False
        for v in range(len(gain)):
            others = [u for u in order if u != v]
            # The gain of v at each place: those before it lead to v, those after it come from v.
            values = np.concatenate([[0.0], np.cumsum(turned[others, v])])
            here, best = order.index(v), int(np.argmax(values))
            if values[best] > values[here] + _ROUNDING:
                order = [*others[:best], v, *others[best:]]
                improved = True
    return order
