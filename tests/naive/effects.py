"""Causal effects from the definitions: the truncated factorization, and path coefficients. And data that is exact."""

from __future__ import annotations

from itertools import product

import numpy as np

from veridag import DAG, Data, Network
from veridag.data import Column

from .graphs import Arcs

OBSERVATIONS = 10**15


def joint(network: Network, without: str | None = None) -> np.ndarray:
    """The product of all tables but one, with an axis for each variable."""
    names = network.names
    total = np.ones([len(network.states[v]) for v in names])
    for v in names:
        if v == without:
            continue
        table = network.table(v)
        scope = [*table.parents, v]
        order = sorted(range(len(scope)), key=lambda i: names.index(scope[i]))
        shape = [len(network.states[u]) if u in scope else 1 for u in names]
        total = total * np.transpose(table.probabilities, order).reshape(shape)
    return total


def do_probabilities(network: Network, x: str, y: str, given: dict[str, int] | None = None) -> np.ndarray:
    """P(y | do(x), given), [state of x, state of y]."""
    names = network.names
    table = joint(network, without=x)
    for name, state in (given or {}).items():
        keep = np.zeros(len(network.states[name]))
        keep[state] = 1
        table = table * keep.reshape([-1 if v == name else 1 for v in names])
    others = tuple(i for i, v in enumerate(names) if v not in (x, y))
    pair = table.sum(axis=others)
    pair = pair if names.index(x) < names.index(y) else pair.T
    return pair / pair.sum(axis=1, keepdims=True)


def exact_table(network: Network) -> Data:
    """A row for every configuration, with its probability as weight: estimates from it are those of the network."""
    cells = np.array(list(product(*(range(len(network.states[v])) for v in network.names))))
    weights = np.round(joint(network).reshape(-1) * OBSERVATIONS).astype(np.int64)
    columns = [Column.discrete(v, cells[:, i].astype(np.uint8), network.states[v]) for i, v in enumerate(network.names)]
    return Data(columns, weights)


def random_coefficients(dag: DAG, seed: int) -> np.ndarray:
    """A coefficient for each arc, none near 0; b[i, j] is that of i in the equation of j."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.3, 1.5, dag.adjacency.shape) * rng.choice([-1, 1], dag.adjacency.shape)
    return np.where(dag.adjacency, size, 0.0)


def covariance(b: np.ndarray, variances: np.ndarray) -> np.ndarray:
    paths = np.linalg.inv(np.eye(len(b)) - b)
    return paths.T @ np.diag(variances) @ paths


def exact_rows(sigma: np.ndarray, names: tuple[str, ...], seed: int = 0) -> Data:
    """Rows with exactly this covariance matrix."""
    k, n = len(sigma), 4 * len(sigma) + 5
    drawn = np.random.default_rng(seed).normal(size=(n, k))
    drawn -= drawn.mean(axis=0)
    basis = np.linalg.qr(drawn)[0] * np.sqrt(n)
    rows = basis @ np.linalg.cholesky(sigma).T
    return Data([Column.continuous(name, rows[:, i].copy()) for i, name in enumerate(names)])


def total_effects(n: int, arcs: Arcs, sigma: np.ndarray) -> np.ndarray:
    """effects[x, y], by the regressions of each variable on its parents and the sum over all directed paths."""
    return np.linalg.inv(np.eye(n) - _fitted(n, arcs, sigma))


def joint_effects(n: int, arcs: Arcs, sigma: np.ndarray, xs: list[int], y: int) -> np.ndarray:
    """The effects of all x at once: along the paths that go through no other x."""
    b = _fitted(n, arcs, sigma)
    b[:, xs] = 0.0
    return np.linalg.inv(np.eye(n) - b)[xs, y]


def _fitted(n: int, arcs: Arcs, sigma: np.ndarray) -> np.ndarray:
    b = np.zeros((n, n))
    for v in range(n):
        parents = [i for i, j in arcs if j == v]
        if parents:
            b[parents, v] = np.linalg.solve(sigma[np.ix_(parents, parents)], sigma[parents, v])
    return b
