"""Adjacency matrices and the algorithms on them: variables are the numbers of columns here.

``a[i, j]`` says that there is an arc from variable i to variable j. A pair with both is joined by an undirected edge.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError, suggest

from .names import check_names

Arc = tuple[str, str]
Matrix = NDArray[np.bool_]


def frozen_matrix(matrix: Matrix, n: int, argument: str) -> Matrix:
    """A copy that cannot be written to, if the matrix holds only 0 and 1 and has the shape for n variables."""
    given = np.asarray(matrix)
    if given.shape != (n, n):
        raise InputError(f"{argument}: {n} variables need a matrix of shape {(n, n)}, not {given.shape}")
    if given.dtype != np.bool_ and not np.isin(given, (0, 1)).all():
        raise InputError(f"{argument}: the matrix holds only 0 and 1 (or False and True): threshold weights first")
    a = np.array(given, dtype=bool, order="C")
    a.flags.writeable = False
    return a


def check_pairs(pairs: Iterable[Arc]) -> list[Arc]:
    """The pairs as a list, if each is a pair of names."""
    if not isinstance(pairs, Iterable):
        raise InputError(f"arcs and edges are lists of pairs (from, to), not {pairs!r}")
    checked = list(pairs)
    for pair in checked:
        # A text would fall into letters, and a set has no order.
        if isinstance(pair, str) or not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise InputError(f"an arc is a pair (from, to), not {pair!r}")
        if not all(isinstance(name, str) for name in pair):
            raise InputError(f"an arc is a pair (from, to) of names, which are strings, not {pair!r}")
    return checked


def matrix_from_pairs(
    arcs: Iterable[Arc], edges: Iterable[Arc], names: Sequence[str] | None
) -> tuple[tuple[str, ...], Matrix]:
    """The names and the adjacency matrix; without names, the variables come in order of appearance."""
    arcs, edges = check_pairs(arcs), check_pairs(edges)
    directed = {frozenset(arc) for arc in arcs} if edges else set()
    for u, v in edges:
        if {u, v} in directed:
            raise InputError(f"the pair {(u, v)!r} is given as an arc and as an edge: keep one of them")
    if names is None:
        names = tuple(dict.fromkeys(name for pair in (*arcs, *edges) for name in pair))
    checked = check_names(names)
    at = {name: i for i, name in enumerate(checked)}
    a = np.zeros((len(checked), len(checked)), bool)
    try:
        for u, v in arcs:
            a[at[u], at[v]] = True
        for u, v in edges:
            a[at[u], at[v]] = a[at[v], at[u]] = True
    except KeyError:
        unknown = next(name for pair in (*arcs, *edges) for name in pair if name not in at)
        raise InputError(f"an arc names {unknown!r}, which is not in names: {suggest(unknown, checked)}") from None
    return checked, a


def topological_order(a: Matrix) -> list[int]:
    """Kahn's algorithm, always taking the first column that is free; shorter than the graph if there is a cycle."""
    children: list[list[int]] = [[] for _ in range(len(a))]
    waiting = [0] * len(a)
    for i, j in zip(*(index.tolist() for index in np.nonzero(a)), strict=True):
        children[i].append(j)
        waiting[j] += 1
    free = [i for i, count in enumerate(waiting) if count == 0]
    order = []
    while free:
        i = heapq.heappop(free)
        order.append(i)
        for j in children[i]:
            waiting[j] -= 1
            if waiting[j] == 0:
                heapq.heappush(free, j)
    return order


def find_cycle(a: Matrix) -> list[int]:
    """The variables along a directed cycle, the first also last; empty if there is none."""
    left = set(range(len(a))) - set(topological_order(a))
    left -= set(topological_order(a.T))
    if not left:
        return []
    # Every variable left has a parent among those left: walk up until one is reached a second time.
    path = [min(left)]
    while True:
        up = next(int(p) for p in np.flatnonzero(a[:, path[-1]]) if int(p) in left)
        if up in path:
            return [*path[path.index(up) :], up][::-1]
        path.append(up)


def closure(start: set[int], step: Matrix) -> set[int]:
    """The variables that some steps lead to from `start`, which is included."""
    reached, frontier = set(start), list(start)
    while frontier:
        for j in np.flatnonzero(step[frontier.pop()]).tolist():
            if j not in reached:
                reached.add(j)
                frontier.append(j)
    return reached


def active_reach(a: Matrix, start: set[int], given: set[int]) -> set[int]:
    """The variables joined to `start` by a path that `given` leaves open (Koller and Friedman 2009, algorithm 3.1)."""
    opens_colliders = closure(given, a.T)
    up, down = True, False
    frontier = [(i, up) for i in start]
    seen = set(frontier)
    while frontier:
        i, came_from_child = frontier.pop()
        steps: list[tuple[int, bool]] = []
        if i not in given:
            steps += [(j, down) for j in np.flatnonzero(a[i]).tolist()]
        if i not in given if came_from_child else i in opens_colliders:
            steps += [(j, up) for j in np.flatnonzero(a[:, i]).tolist()]
        fresh = [step for step in steps if step not in seen]
        seen.update(fresh)
        frontier += fresh
    return {i for i, _ in seen if i not in given}
