"""Criteria for causal effects, from the definitions alone: all paths are listed, and all sets are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise, permutations

import numpy as np

from . import graphs
from .graphs import Arcs

Set = frozenset[int]


def subsets(items: list[int]) -> Iterator[Set]:
    for size in range(len(items) + 1):
        yield from map(frozenset, combinations(items, size))


def others(n: int, *nodes: int) -> list[int]:
    return [v for v in range(n) if v not in nodes]


def minimal(n: int, x: int, y: int, is_valid: Callable[[Set], bool]) -> list[Set]:
    """The valid sets of which no proper subset is valid."""
    valid = [z for z in subsets(others(n, x, y)) if is_valid(z)]
    return [z for z in valid if not any(other < z for other in valid)]


def in_order(sets: list[Set]) -> list[tuple[int, ...]]:
    return sorted((tuple(sorted(z)) for z in sets), key=lambda z: (len(z), z))


def proper_paths(n: int, arcs: Arcs, x: Set, y: Set) -> list[tuple[int, ...]]:
    """The paths from x to y of which only the first node is in x; what lies between may be in y."""
    found = []
    for start in x:
        for end in y:
            rest = [v for v in range(n) if v not in x and v != end]
            for length in range(len(rest) + 1):
                paths = ((start, *middle, end) for middle in permutations(rest, length))
                found += [path for path in paths if graphs.is_path(arcs, path)]
    return found


def is_directed(arcs: Arcs, path: tuple[int, ...]) -> bool:
    return all(arc in arcs for arc in pairwise(path))


class Adjustment:
    """The adjustment criterion of Shpitser et al. (2010) by its definition, for one x, or several."""

    def __init__(self, n: int, arcs: Arcs, x: Set, y: Set) -> None:
        self.n, self.arcs = n, arcs
        paths = proper_paths(n, arcs, x, y)
        causal = [path for path in paths if is_directed(arcs, path)]
        self.others = [path for path in paths if path not in causal]
        self.forbidden = frozenset().union(*(graphs.descendants(n, arcs, v) for path in causal for v in path[1:]))

    def holds(self, z: Set) -> bool:
        blocked = all(graphs.is_blocked(self.n, self.arcs, path, z) for path in self.others)
        return not z & self.forbidden and blocked


def is_back_door(n: int, arcs: Arcs, x: int, y: int, z: Set) -> bool:
    paths = proper_paths(n, arcs, frozenset([x]), frozenset([y]))
    into = [path for path in paths if (path[1], x) in arcs]
    return not z & graphs.descendants(n, arcs, x) and all(graphs.is_blocked(n, arcs, path, z) for path in into)


def is_front_door(n: int, arcs: Arcs, x: int, y: int, m: Set) -> bool:
    causal = [p for p in proper_paths(n, arcs, frozenset([x]), frozenset([y])) if is_directed(arcs, p)]
    into = [p for v in m for p in proper_paths(n, arcs, frozenset([x]), frozenset([v])) if (p[1], x) in arcs]
    cut = frozenset((a, b) for a, b in arcs if a not in m)
    return (
        all(m & set(path) for path in causal)
        and all(graphs.is_blocked(n, arcs, path, frozenset()) for path in into)
        and all(graphs.d_separated(n, cut, v, y, frozenset([x])) for v in m)
    )


def instrument_sets(n: int, arcs: Arcs, x: int, y: int) -> dict[int, list[Set]]:
    """For each z the sets w with which it is an instrument, minimal or not."""
    paths = proper_paths(n, arcs, frozenset([x]), frozenset([y]))
    causal = [path for path in paths if is_directed(arcs, path)]
    forbidden = {x}.union(*(graphs.descendants(n, arcs, v) for path in causal for v in path[1:]))
    cut = arcs - {path[:2] for path in causal}
    usable = [v for v in others(n, x, y) if v not in forbidden]
    return {
        z: [
            w
            for w in subsets([v for v in usable if v != z])
            if graphs.d_separated(n, cut, z, y, w) and not graphs.d_separated(n, arcs, z, x, w)
        ]
        for z in usable
    }


class LinearModel:
    """A linear model with random coefficients and variances: effects by paths, and regressions by the covariance."""

    def __init__(self, n: int, arcs: Arcs, rng: np.random.Generator) -> None:
        b = np.zeros((n, n))  # b[i, j] is the coefficient of i in the equation of j
        for i, j in sorted(arcs):
            b[i, j] = rng.uniform(0.5, 1.5) * rng.choice([-1, 1])
        self.total = np.linalg.inv(np.eye(n) - b)
        self.errors = rng.uniform(0.5, 2.0, n)
        self.covariance = self.total.T @ np.diag(self.errors) @ self.total

    def regression(self, y: int, on: list[int]) -> np.ndarray:
        """The coefficients of the regression of y."""
        return np.linalg.solve(self.covariance[np.ix_(on, on)], self.covariance[on, y])

    def residual(self, of: list[int], given: list[int]) -> np.ndarray:
        """The covariance of some variables given others."""
        within, across = self.covariance[np.ix_(given, given)], self.covariance[np.ix_(given, of)]
        return self.covariance[np.ix_(of, of)] - across.T @ np.linalg.solve(within, across)

    def variance(self, x: int, y: int, z: list[int]) -> float:
        """The asymptotic variance of the coefficient of x, the regression of y being on x and z."""
        return float(self.residual([y], [x, *z])[0, 0] / self.residual([x], z)[0, 0])
