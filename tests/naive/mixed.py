"""Mixed networks by brute force: a joint Gaussian for every configuration of the discrete variables."""

from __future__ import annotations

from itertools import product

import numpy as np

from veridag import ConditionalGaussian, LinearGaussian, Network, Table


def random_network(seed: int, n: int, density: float = 0.5, zeros: float = 0.0) -> Network:
    """Discrete variables d0, ... of one to three states and continuous ones x0, ..., named in no topological order.

    `zeros` is the share of probabilities that are zero.
    """
    rng = np.random.default_rng(seed)
    cut = int(rng.integers(0, n + 1))
    discrete, continuous = [f"d{i}" for i in range(cut)], [f"x{i}" for i in range(n - cut)]
    rng.shuffle(discrete)
    rng.shuffle(continuous)
    states = {v: [f"s{k}" for k in range(rng.integers(1, 4))] for v in discrete}
    cpds: dict[str, Table | LinearGaussian | ConditionalGaussian] = {}
    for i, v in enumerate(discrete):
        parents = [u for u in discrete[:i] if rng.random() < density][:3]
        p = rng.dirichlet(np.ones(len(states[v])), size=[len(states[u]) for u in parents])
        p = np.where(rng.random(p.shape) < zeros, 0.0, p)
        p[..., 0] += p.sum(axis=-1) == 0
        cpds[v] = Table(tuple(parents), p / p.sum(axis=-1, keepdims=True))
    for i, x in enumerate(continuous):
        given = [u for u in discrete if rng.random() < density][:2]
        parents = [u for u in continuous[:i] if rng.random() < density][:3]
        shape = [len(states[u]) for u in given]
        intercepts, slopes = rng.normal(size=shape), rng.normal(size=(*shape, len(parents)))
        sds = rng.uniform(0.3, 1.5, size=shape)
        if given:
            cpds[x] = ConditionalGaussian(tuple(given), tuple(parents), intercepts, slopes, sds)
        else:
            cpds[x] = LinearGaussian(tuple(parents), float(intercepts), slopes, float(sds))
    order = sorted(cpds)
    return Network({v: cpds[v] for v in order}, {v: states[v] for v in order if v in states})


def components(network: Network) -> list[tuple[dict[str, str], float, dict[str, float], np.ndarray]]:
    """Every configuration of the discrete variables: its probability, and means and covariance of the others."""
    discrete = [v for v in network.names if isinstance(network.cpds[v], Table)]
    order = [v for v in network.dag.topological_order() if v not in discrete]
    found = []
    for states in product(*(network.states[v] for v in discrete)):
        at = dict(zip(discrete, states, strict=True))
        p = 1.0
        for v in discrete:
            table = network.table(v)
            p *= float(table.probabilities[tuple(network.states[u].index(at[u]) for u in (*table.parents, v))])
        mean: dict[str, float] = {}
        cov = np.zeros((len(order), len(order)))
        for i, x in enumerate(order):
            intercept, slopes, parents, sd = regression(network, x, at)
            mean[x] = intercept + sum(b * mean[u] for b, u in zip(slopes, parents, strict=True))
            j = [order.index(u) for u in parents]
            cov[i, :] = slopes @ cov[j, :] if parents else 0.0
            cov[:, i] = cov[i, :]
            cov[i, i] = sd**2 + (slopes @ cov[np.ix_(j, j)] @ slopes if parents else 0.0)
        found.append((at, p, mean, cov))
    return found


def regression(network: Network, x: str, at: dict[str, str]) -> tuple[float, np.ndarray, tuple[str, ...], float]:
    """Intercept, slopes, continuous parents and deviation of a variable, given the states of the discrete ones."""
    cpd = network.cpds[x]
    if isinstance(cpd, LinearGaussian):
        return cpd.intercept, cpd.coefficients, cpd.parents, cpd.sd
    assert isinstance(cpd, ConditionalGaussian)
    cell = tuple(network.states[u].index(at[u]) for u in cpd.discrete)
    return float(cpd.intercepts[cell]), cpd.coefficients[cell], cpd.continuous, float(cpd.sds[cell])
