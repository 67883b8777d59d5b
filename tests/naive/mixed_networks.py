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
    states = {v: [f"s{k}" for k in range(rng.integers(1, 4))] for v in discrete}
    return random_parameters(rng, states, continuous, density, zeros)


def random_parameters(
    rng: np.random.Generator, states: dict[str, list[str]], continuous: list[str], density: float, zeros: float
) -> Network:
    """Random arcs and parameters for these variables."""
    discrete = [str(v) for v in rng.permutation(list(states))]
    continuous = [str(v) for v in rng.permutation(continuous)]
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


def posterior(
    network: Network, discrete: list[str], continuous: list[str], evidence: dict[str, str | float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The table of discrete targets, and mean and covariance of continuous ones in each cell, by conditioning each
    joint Gaussian by hand; a table of zeros if the evidence is impossible."""
    order = [v for v in network.dag.topological_order() if v not in network.states]
    seen = [order.index(v) for v in evidence if v in order]
    values = np.array([float(evidence[order[i]]) for i in seen])
    wanted = [order.index(v) for v in continuous]
    parts = []
    for at, p, mean, cov in components(network):
        if p == 0 or any(at[v] != state for v, state in evidence.items() if v in at):
            continue
        m = np.array([mean[v] for v in order])
        log_p, inside, spread = np.log(p), m[wanted], cov[np.ix_(wanted, wanted)]
        if seen:
            s_ee, s_te, d = cov[np.ix_(seen, seen)], cov[np.ix_(wanted, seen)], values - m[seen]
            log_p -= 0.5 * (d @ np.linalg.solve(s_ee, d) + np.linalg.slogdet(2 * np.pi * s_ee)[1])
            inside = inside + s_te @ np.linalg.solve(s_ee, d)
            spread = spread - s_te @ np.linalg.solve(s_ee, s_te.T)
        parts.append((tuple(network.states[v].index(at[v]) for v in discrete), log_p, inside, spread))
    shape, k = [len(network.states[v]) for v in discrete], len(continuous)
    table, means, covs = np.zeros(shape), np.full((*shape, k), np.nan), np.full((*shape, k, k), np.nan)
    if not parts:
        return table, means, covs
    largest = max(log_p for _, log_p, _, _ in parts)
    for cell in {cell for cell, *_ in parts}:
        own = [(np.exp(log_p - largest), m, s) for c, log_p, m, s in parts if c == cell]
        weight = sum(w for w, _, _ in own)
        table[cell] = weight
        means[cell] = sum(w * m for w, m, _ in own) / weight
        covs[cell] = sum(w * (s + np.outer(m - means[cell], m - means[cell])) for w, m, s in own) / weight
    return table / table.sum(), means, covs


def cross_entropy(p: Network, q: Network) -> float:
    """-E_p log q, configuration by configuration, with the closed form for two joint Gaussians."""
    theirs = {tuple(sorted(at.items())): rest for at, *rest in components(q)}
    order_p = [v for v in p.dag.topological_order() if v not in p.states]
    order_q = [v for v in q.dag.topological_order() if v not in q.states]
    total = 0.0
    for at, weight, mean, cov in components(p):
        if weight == 0:
            continue
        other, q_mean, q_cov = theirs[tuple(sorted(at.items()))]
        total -= weight * np.log(other)
        if order_p:
            d = np.array([mean[v] - q_mean[v] for v in order_q])
            j = [order_p.index(v) for v in order_q]
            square = np.trace(np.linalg.solve(q_cov, cov[np.ix_(j, j)] + np.outer(d, d)))
            total += weight * 0.5 * (np.linalg.slogdet(2 * np.pi * q_cov)[1] + square)
    return float(total)
