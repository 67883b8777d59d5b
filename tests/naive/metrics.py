"""Slow, obvious versions of the measures, written from their definitions alone: the oracle for the fast ones."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations

import numpy as np

from naive import graphs as naive

Arcs = naive.Arcs


def pair_type(arcs: Arcs, u: int, v: int) -> str:
    """Viinikka 2019, definition 5."""
    kinds = {(True, True): "edge", (True, False): "forward", (False, True): "backward", (False, False): "none"}
    return kinds[(u, v) in arcs, (v, u) in arcs]


def hamming(n: int, a: Arcs, b: Arcs) -> int:
    return sum(pair_type(a, u, v) != pair_type(b, u, v) for u, v in combinations(range(n), 2))


def paths(n: int, arcs: Arcs, i: int, j: int) -> list[tuple[int, ...]]:
    rest = [v for v in range(n) if v not in (i, j)]
    middles = [m for length in range(len(rest) + 1) for m in permutations(rest, length)]
    return [(i, *m, j) for m in middles if naive.is_path(arcs, (i, *m, j))]


def is_wrong(n: int, truth: Arcs, estimate: Arcs, i: int, j: int) -> bool:
    """Peters and Bühlmann 2015: whether adjusting for i's parents in the estimate gives another effect of i on j."""
    adjusted = frozenset(a for a, b in estimate if b == i)
    if j in adjusted:
        return j in naive.descendants(n, truth, i)
    for path in paths(n, truth, i, j):
        if all(step in truth for step in pairwise(path)):
            if any(naive.descendants(n, truth, w) & adjusted for w in path[1:]):
                return True
        elif not naive.is_blocked(n, truth, path, adjusted):
            return True
    return False


def wrong_effects(n: int, truth: Arcs, estimate: Arcs) -> np.ndarray:
    wrong = [[i != j and is_wrong(n, truth, estimate, i, j) for j in range(n)] for i in range(n)]
    return np.array(wrong, bool).reshape(n, n)


def wrong_gaussian_effects(n: int, truth: Arcs, estimate: Arcs, seed: int) -> np.ndarray:
    """The same in numbers, without any graph theory: a random linear Gaussian network of the truth is made, and slope
    and variance of j under do(i) are compared with those that the adjustment formula gives."""
    rng = np.random.default_rng(seed)
    slopes = naive.matrix(n, truth).T * rng.uniform(0.5, 1.5, (n, n)) * rng.choice([-1, 1], (n, n))
    noise = np.diag(rng.uniform(0.5, 1.5, n))
    sigma = covariance(slopes, noise)
    wrong = np.zeros((n, n), bool)
    for i in range(n):
        cut, silent = slopes.copy(), noise.copy()
        cut[i], silent[i, i] = 0, 0
        truly = np.linalg.inv(np.eye(n) - cut)[:, i], covariance(cut, silent).diagonal()
        z = [a for a, b in estimate if b == i]
        for j in set(range(n)) - {i}:
            slope, variance = (0, sigma[j, j]) if j in z else adjustment(sigma, i, j, z)
            wrong[i, j] = not np.allclose((slope, variance), (truly[0][j], truly[1][j]), rtol=1e-7, atol=1e-9)
    return wrong


def covariance(slopes: np.ndarray, noise: np.ndarray) -> np.ndarray:
    mix = np.linalg.inv(np.eye(len(slopes)) - slopes)
    return mix @ noise @ mix.T


def adjustment(sigma: np.ndarray, i: int, j: int, z: list[int]) -> tuple[float, float]:
    """Slope and variance of the integral of p(j | i, z) p(z) over z."""
    given = [i, *z]
    beta = np.linalg.solve(sigma[np.ix_(given, given)], sigma[given, j])
    residual = sigma[j, j] - beta @ sigma[given, j]
    return beta[0], residual + beta[1:] @ sigma[np.ix_(z, z)] @ beta[1:]
