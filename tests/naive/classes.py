"""The DAGs of a class, one by one: what the fast versions count, direct and compare without listing them."""

from __future__ import annotations

from itertools import product

import numpy as np

from . import graphs
from .graphs import Arcs


def members(a: np.ndarray) -> list[Arcs]:
    """All DAGs with the skeleton and the v-structures of a PDAG that keep its arcs: every direction is tried."""
    pdag = frozenset((int(i), int(j)) for i, j in np.argwhere(a))
    fixed = {(i, j) for i, j in pdag if (j, i) not in pdag}
    undirected = sorted((i, j) for i, j in pdag if i < j and (j, i) in pdag)
    wanted = graphs.v_structures(pdag)
    found = []
    for ways in product((False, True), repeat=len(undirected)):
        turned = {(j, i) if turn else (i, j) for (i, j), turn in zip(undirected, ways, strict=True)}
        arcs = frozenset(fixed | turned)
        if graphs.v_structures(arcs) == wanted and graphs.is_acyclic(len(a), arcs):
            found.append(arcs)
    return found


def parents(arcs: Arcs, v: int) -> frozenset[int]:
    return frozenset(i for i, j in arcs if j == v)


def outcomes(dags: list[Arcs], targets: list[int]) -> list[list[Arcs]]:
    """The DAGs that experiments on these variables cannot tell apart: with the same arcs at each of them."""
    groups: dict[object, list[Arcs]] = {}
    for arcs in dags:
        seen = frozenset(arc for arc in arcs if set(arc) & set(targets))
        groups.setdefault(seen, []).append(arcs)
    return list(groups.values())


def shared_arcs(dags: list[Arcs]) -> frozenset[tuple[int, int]]:
    return frozenset.intersection(*dags)
