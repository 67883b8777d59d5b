"""Sets that d-separate x from y in a DAG: the minimal ones, or all of them.

The minimal d-separators are the minimal vertex separators of x and y in the moral graph of their ancestors (van der
Zander, Liśkiewicz and Textor 2014), and these are listed one after another with polynomial work for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import numpy as np

from veridag.graph.matrices import Matrix, active_reach, closure

Undirected = dict[int, set[int]]


def is_separator(a: Matrix, x: AbstractSet[int], y: AbstractSet[int], given: AbstractSet[int]) -> bool:
    """Whether `given` blocks every path between x and y."""
    return not active_reach(a, set(x), set(given)) & y


def minimal_separators(
    a: Matrix, x: AbstractSet[int], y: AbstractSet[int], usable: AbstractSet[int]
) -> Iterator[frozenset[int]]:
    """The sets of usable variables that d-separate x from y and have no proper subset that does, each once."""
    source, sink = min(x), min(y)
    joined = _joined(_moral_ancestors(a, x | y), x, y)
    for v in [v for v in joined if v not in usable and v not in (source, sink)]:
        _eliminate(joined, v)
    if sink not in joined[source]:
        yield from _vertex_separators(joined, source, sink)


def separators(
    a: Matrix, x: AbstractSet[int], y: AbstractSet[int], usable: AbstractSet[int]
) -> Iterator[frozenset[int]]:
    """All sets of usable variables that d-separate x from y.

    A variable is taken or left, one after another. If any set between `taken` and ``taken | left`` separates, then so
    do its ancestors of x, y and `taken` (van der Zander et al. 2014), so no choice is tried in vain.
    """
    order = sorted(usable)
    waiting: list[tuple[frozenset[int], int]] = [(frozenset(), 0)]  # taken, and how many are decided
    while waiting:
        taken, decided = waiting.pop()
        left = order[decided:]
        if not is_separator(a, x, y, closure({*x, *y, *taken}, a.T) & {*taken, *left}):
            continue
        if left:
            waiting += [(taken | {left[0]}, decided + 1), (taken, decided + 1)]
        else:
            yield taken


def _moral_ancestors(a: Matrix, of: AbstractSet[int]) -> Undirected:
    """The moral graph of some variables and their ancestors."""
    nodes = closure(set(of), a.T)
    joined: Undirected = {v: set() for v in sorted(nodes)}
    for v in nodes:
        family = [*np.flatnonzero(a[:, v]).tolist(), v]
        for u in family:
            joined[u].update(family)
    for v in nodes:
        joined[v].discard(v)
    return joined


def _joined(graph: Undirected, x: AbstractSet[int], y: AbstractSet[int]) -> Undirected:
    """The graph with all of x in one node, named by the first of them, and all of y in another."""
    name = {**dict.fromkeys(x, min(x)), **dict.fromkeys(y, min(y))}
    merged: Undirected = {name.get(v, v): set() for v in graph}
    for v, others in graph.items():
        merged[name.get(v, v)] |= {name.get(u, u) for u in others}
    for v, others in merged.items():
        others.discard(v)
    return merged


def _eliminate(graph: Undirected, v: int) -> None:
    """Take a node out and join its neighbours: a separator without v has to cut the ways through it elsewhere."""
    around = graph.pop(v)
    for u in around:
        graph[u] |= around
        graph[u] -= {u, v}


def _vertex_separators(graph: Undirected, source: int, sink: int) -> Iterator[frozenset[int]]:
    """The minimal separators of two nodes that are not joined (Shen and Liang 1997).

    The first is the nearest to the source. From each, others arise by moving one of its nodes to the source's side,
    and taking the neighbours of what remains connected to the sink.
    """
    start = _nearest(graph, {source}, sink)
    seen, waiting = {start}, [start]
    while waiting:
        separator = waiting.pop()
        yield separator
        side = _component(graph, source, separator)
        for v in sorted(separator - graph[sink]):
            moved = _nearest(graph, side | {v}, sink)
            if moved not in seen:
                seen.add(moved)
                waiting.append(moved)


def _nearest(graph: Undirected, side: set[int], sink: int) -> frozenset[int]:
    """The minimal separator that is nearest to a connected side: neighbours of the part in which the sink is."""
    border = frozenset(set[int]().union(*(graph[v] for v in side)) - side)
    return frozenset(set[int]().union(*(graph[v] for v in _component(graph, sink, border))) & border)


def _component(graph: Undirected, start: int, without: AbstractSet[int]) -> set[int]:
    """The nodes connected to one of them once others are taken out."""
    reached, frontier = {start}, [start]
    while frontier:
        fresh = graph[frontier.pop()] - reached - without
        reached |= fresh
        frontier += fresh
    return reached
