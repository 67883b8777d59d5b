"""The ways in which the DAGs of a class direct the edges of one variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from veridag import _core
from veridag.errors import InputError
from veridag.graph.matrices import Matrix

#: How many sets of parents a variable may have in the DAGs of a class; k neighbours that are all joined have 2^k.
MAX_PARENT_SETS = 2**14


class Orientation(NamedTuple):
    """The directions of all edges at a variable in some DAGs of a class.

    `parents` are all parents of the variable in these DAGs, and `graph` has every direction that follows. Its
    undirected edges are those that these DAGs do not share.
    """

    parents: frozenset[int]
    graph: Matrix


def orientations_at(a: Matrix, v: int, name: str = "") -> list[Orientation]:
    """The sets of parents of v in the DAGs of a class, each once, with what follows from them.

    The graph is valid and closed under Meek's rules. Of the undirected neighbours, those that become parents have to be
    joined with each other and with the other parents, or there would be a new v-structure (Maathuis, Kalisch and
    Bühlmann 2009). In a CPDAG that is enough. It is not if knowledge has directed some edges, so that every
    candidate is tried: it is kept if some DAG extends it without another v-structure.
    """
    near = np.flatnonzero(a[v] & a[:, v]).tolist()
    fixed = frozenset(np.flatnonzero(a[:, v] & ~a[v]).tolist())
    if not near:
        return [Orientation(fixed, a)]
    joined, number = a | a.T, _v_structures(a)
    found = []
    for count, chosen in enumerate(_cliques(joined, near)):
        if count >= MAX_PARENT_SETS:
            raise InputError(
                f"variable {name or v!r} has more than {MAX_PARENT_SETS} possible sets of parents, among {len(near)} "
                "neighbours with undirected edges: direct some of them with knowledge"
            )
        if not all(joined[p, q] for p in fixed for q in chosen):
            continue
        b = a.copy()
        b[v, list(chosen)] = False
        b[[w for w in near if w not in chosen], v] = False
        closed = _core.meek(b)
        if _v_structures(closed) == number and not len(_core.extend(closed)[1]):
            found.append(Orientation(fixed | chosen, closed))
    return found


def _cliques(joined: Matrix, variables: list[int]) -> Iterator[frozenset[int]]:
    """All sets of variables that are joined with each other, the empty one first."""
    waiting: list[tuple[frozenset[int], list[int]]] = [(frozenset(), variables)]
    while waiting:
        clique, candidates = waiting.pop()
        yield clique
        for k, w in enumerate(candidates):
            waiting.append((clique | {w}, [u for u in candidates[k + 1 :] if joined[u, w]]))


def _v_structures(a: Matrix) -> int:
    """The number of v-structures, each counted twice."""
    arcs = (a & ~a.T).astype(np.float64)
    apart = (~(a | a.T)).astype(np.float64)
    np.fill_diagonal(apart, 0.0)
    return int(((apart @ arcs) * arcs).sum())
