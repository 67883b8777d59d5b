"""Slow, obvious versions of things, written from the definitions alone: the oracle for the fast ones."""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise, permutations, product

import numpy as np

Arcs = frozenset[tuple[int, int]]


@cache
def all_dags(n: int) -> tuple[Arcs, ...]:
    """Every DAG on n nodes: 543 for n = 4, 29 281 for n = 5."""
    pairs = list(combinations(range(n), 2))
    found = []
    for kinds in product((0, 1, 2), repeat=len(pairs)):
        arcs = frozenset((i, j) if kind == 1 else (j, i) for (i, j), kind in zip(pairs, kinds, strict=True) if kind)
        if is_acyclic(n, arcs):
            found.append(arcs)
    return tuple(found)


def is_acyclic(n: int, arcs: Arcs) -> bool:
    left = set(range(n))
    while left:
        free = {v for v in left if not any(a in left and b == v for a, b in arcs)}
        if not free:
            return False
        left -= free
    return True


def skeleton(arcs: Arcs) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(arc) for arc in arcs)


def v_structures(arcs: Arcs) -> frozenset[tuple[frozenset[int], int]]:
    """Unshielded colliders; an undirected edge, given in both directions, is no arc."""
    directed = {(a, b) for a, b in arcs if (b, a) not in arcs}
    joined = skeleton(arcs)
    return frozenset(
        (frozenset((a, b)), c)
        for a, c in directed
        for b, d in directed
        if c == d and a != b and frozenset((a, b)) not in joined
    )


def equivalence_class_key(
    arcs: Arcs,
) -> tuple[frozenset[frozenset[int]], frozenset[tuple[frozenset[int], int]]]:
    """Verma and Pearl (1990): equivalent DAGs have the same skeleton and the same v-structures."""
    return skeleton(arcs), v_structures(arcs)


@cache
def equivalence_classes(n: int) -> dict[object, tuple[Arcs, ...]]:
    classes: dict[object, list[Arcs]] = {}
    for dag in all_dags(n):
        classes.setdefault(equivalence_class_key(dag), []).append(dag)
    return {key: tuple(members) for key, members in classes.items()}


def cpdag(members: tuple[Arcs, ...]) -> Arcs:
    """An arc of the union is directed exactly if every member has it, so the union lists the others both ways."""
    return frozenset().union(*members)


def extensions(n: int, pdag: Arcs) -> list[Arcs]:
    """All DAGs with the PDAG's skeleton and v-structures that keep its directed arcs."""
    directed = {(a, b) for a, b in pdag if (b, a) not in pdag}
    members = equivalence_classes(n).get(equivalence_class_key(pdag), ())
    return [dag for dag in members if directed <= dag]


def d_separated(n: int, arcs: Arcs, x: int, y: int, given: frozenset[int]) -> bool:
    """Pearl's definition: every simple path between x and y is blocked."""
    rest = [v for v in range(n) if v not in (x, y)]
    for length in range(len(rest) + 1):
        for middle in permutations(rest, length):
            path = (x, *middle, y)
            if is_path(arcs, path) and not is_blocked(n, arcs, path, given):
                return False
    return True


def is_path(arcs: Arcs, path: tuple[int, ...]) -> bool:
    return all((a, b) in arcs or (b, a) in arcs for a, b in pairwise(path))


def is_blocked(n: int, arcs: Arcs, path: tuple[int, ...], given: frozenset[int]) -> bool:
    for a, b, c in zip(path, path[1:], path[2:], strict=False):
        is_collider = (a, b) in arcs and (c, b) in arcs
        if is_collider and not (descendants(n, arcs, b) & given):
            return True
        if not is_collider and b in given:
            return True
    return False


@cache
def descendants(n: int, arcs: Arcs, v: int) -> frozenset[int]:
    """Including the node itself."""
    reached = {v}
    for _ in range(n):
        reached |= {b for a, b in arcs if a in reached}
    return frozenset(reached)


def matrix(n: int, arcs: Arcs) -> np.ndarray:
    a = np.zeros((n, n), bool)
    for i, j in arcs:
        a[i, j] = True
    return a


def arcs_of(a: np.ndarray) -> Arcs:
    return frozenset((int(i), int(j)) for i, j in np.argwhere(a))
