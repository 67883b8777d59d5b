"""Counting the DAGs of a class, without listing them.

The undirected edges of a CPDAG form connected chordal graphs, which can be directed independently of each other. The
DAGs of the class are the acyclic orientations of all of them that add no v-structure, "AMOs".
"""

from __future__ import annotations

from collections.abc import Iterable
from math import factorial, prod

import numpy as np

from veridag import _core
from veridag.errors import InputError
from veridag.graph.dag import DAG
from veridag.graph.matrices import Matrix, closure
from veridag.graph.pdag import PDAG

#: How many times an edge may be directed both ways to count a class that knowledge has directed further.
MAX_BRANCHES = 50_000


def class_size(graph: DAG | PDAG) -> int:
    """Count the DAGs in an equivalence class, exactly.

    It uses the clique-picking algorithm of Wienöbst, Bannach and Liśkiewicz (2021), in polynomial time. A PDAG that is
    not a CPDAG, such as one that knowledge has directed further, represents the DAGs with its skeleton and v-structures
    that keep its arcs. There the time can be exponential in the number of undirected edges, and a graph that would take
    too long is refused.

    Args:
        graph: The CPDAG, or a DAG of the class.

    See also:
        `experiments`, docs/counting.md
    """
    return count_members(closed_matrix(graph, "graph"))


def closed_matrix(graph: DAG | PDAG, argument: str) -> Matrix:
    """The adjacency matrix of a class, with every direction that follows from others (Meek 1995)."""
    if isinstance(graph, DAG):
        return graph.cpdag().adjacency
    if not isinstance(graph, PDAG):
        raise InputError(f"{argument}: a DAG or a PDAG is needed, not a {type(graph).__name__}")
    problem = graph.why_invalid()
    if problem is not None:
        raise InputError(f"{argument}: {problem}")
    return _core.meek(graph.adjacency)


def undirected_parts(a: Matrix) -> list[list[int]]:
    """The variables that undirected edges connect, part by part; variables without such edges are left out.

    The parts of a graph that is closed under Meek's rules can be directed independently: a rule applies to an edge by
    arcs between variables of its own part, or by arcs from outside, which all variables of the part have in common.
    """
    undirected = a & a.T
    left = set(np.flatnonzero(undirected.any(axis=0)).tolist())
    parts = []
    while left:
        part = closure({min(left)}, undirected)
        parts.append(sorted(part))
        left -= part
    return parts


def count_members(a: Matrix) -> int:
    """The number of DAGs of a valid graph that is closed under Meek's rules."""
    return _Counter().members(a)


class _Counter:
    """Counts, keeping what was counted: parts of parts come up again and again."""

    def __init__(self) -> None:
        self.known: dict[bytes, int] = {}
        self.branches = 0

    def members(self, a: Matrix) -> int:
        return prod(self._part(np.ascontiguousarray(a[np.ix_(part, part)])) for part in undirected_parts(a))

    def _part(self, a: Matrix) -> int:
        key = a.tobytes()  # of a square matrix, which the number of bytes gives the size of
        if key not in self.known:
            self.known[key] = self._orientations(a) if (a == a.T).all() else self._branched(a)
        return self.known[key]

    def _branched(self, a: Matrix) -> int:
        """A part with arcs inside: the sum over both directions of an edge, which are both possible (Meek 1995)."""
        self.branches += 1
        if self.branches > MAX_BRANCHES:
            raise InputError(
                "graph: its class is too large to count, because knowledge directs some edges inside undirected "
                "components: count the class of its CPDAG, graph.cpdag()"
            )
        i, j = np.argwhere(a & a.T)[0].tolist()
        return self.members(directed(a, i, j)) + self.members(directed(a, j, i))

    def _orientations(self, u: Matrix) -> int:
        """The AMOs of a connected chordal graph: a sum over the maximal cliques K that may come first.

        Each K of a rooted clique tree contributes the number of orders of K, without those counted for a clique nearer
        to the root, times the AMOs of what stays undirected (Wienöbst, Bannach and Liśkiewicz 2021).
        """
        n, edges = len(u), int(u.sum()) // 2
        if edges == n - 1:
            return n  # a tree: any variable may be the root
        if edges == n * (n - 1) // 2:
            return factorial(n)
        total = 0
        for clique, prefixes in _clique_tree(u):
            rest = _after(u, clique)
            total += _orders(len(clique), prefixes) * self.members(rest)
        return total


def directed(a: Matrix, i: int, j: int) -> Matrix:
    """The graph with the edge between i and j directed to j, and all that follows from it."""
    b = a.copy()
    b[j, i] = False
    return _core.meek(b)


def _after(u: Matrix, clique: Iterable[int]) -> Matrix:
    """What stays undirected outside a clique that comes before all other variables."""
    inside = np.zeros(len(u), bool)
    inside[list(clique)] = True
    a = u.copy()
    a[np.ix_(~inside, inside)] = False
    outside = np.flatnonzero(~inside)
    closed = _core.meek(a)[np.ix_(outside, outside)]
    return closed & closed.T


def _orders(size: int, prefixes: Iterable[int]) -> int:
    """The orders of `size` variables that start with none of the nested sets, given by their sizes.

    Every order that starts with some is counted at the smallest one.
    """
    first: list[tuple[int, int]] = []
    for s in sorted(prefixes):
        first.append((s, factorial(s) - sum(number * factorial(s - t) for t, number in first)))
    return factorial(size) - sum(number * factorial(size - s) for s, number in first)


def _clique_tree(u: Matrix) -> list[tuple[frozenset[int], set[int]]]:
    """The maximal cliques of a connected chordal graph, each with the sizes of its forbidden prefixes.

    Those are the intersections of neighbouring cliques, on the path from the root of a clique tree to this one, that
    lie within it. A maximum spanning tree by the size of intersections is a clique tree.
    """
    cliques = _maximal_cliques(u)
    path: dict[frozenset[int], list[frozenset[int]]] = {cliques[0]: []}
    while len(path) < len(cliques):
        near, far = max(
            ((p, q) for p in path for q in cliques if q not in path), key=lambda pair: len(pair[0] & pair[1])
        )
        path[far] = [*path[near], near & far]
    return [(clique, {len(s) for s in path[clique] if s <= clique}) for clique in cliques]


def _maximal_cliques(u: Matrix) -> list[frozenset[int]]:
    """By maximum cardinality search (Tarjan and Yannakakis 1984): each variable with its neighbours before it."""
    n = len(u)
    visited: list[int] = []
    weight = np.zeros(n, int)
    found: list[frozenset[int]] = []
    for _ in range(n):
        v = max((i for i in range(n) if i not in visited), key=lambda i: (weight[i], -i))
        found.append(frozenset([v, *(i for i in visited if u[i, v])]))
        visited.append(v)
        weight += u[v]
    return [c for c in dict.fromkeys(found) if not any(c < d for d in found)]
