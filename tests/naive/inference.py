"""Inference by brute force, from the definition of conditional probability alone; and random networks to try it on."""

from __future__ import annotations

from itertools import product

import numpy as np

from veridag import Network, Table


def joint(network: Network) -> dict[tuple[str, ...], float]:
    """Every configuration of all variables with its probability, multiplied out."""
    found = {}
    for states in product(*(network.states[v] for v in network.names)):
        at = dict(zip(network.names, states, strict=True))
        p = 1.0
        for v in network.names:
            table = network.table(v)
            row = table.probabilities[tuple(network.states[u].index(at[u]) for u in table.parents)]
            p *= float(row[network.states[v].index(at[v])] / row.sum())
        found[states] = p
    return found


def conditional(network: Network, targets: list[str], evidence: dict[str, str]) -> dict[tuple[str, ...], float]:
    """P(targets | evidence), by adding up configurations; empty if the evidence is impossible."""
    found = dict.fromkeys(product(*(network.states[v] for v in targets)), 0.0)
    for states, p in joint(network).items():
        at = dict(zip(network.names, states, strict=True))
        if all(at[v] == state for v, state in evidence.items()):
            found[tuple(at[v] for v in targets)] += p
    total = sum(found.values())
    return {states: p / total for states, p in found.items()} if total > 0 else {}


def random_network(seed: int, n: int, zeros: float = 0.0, density: float = 0.5) -> Network:
    """Names in an order that is not topological, one to three states, tables with a share of zeros."""
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in rng.permutation(n)]
    states = {v: [f"s{k}" for k in range(rng.integers(1, 4))] for v in names}
    cpds = {}
    for i, v in enumerate(names):
        parents = [u for u in names[:i] if rng.random() < density][:3]
        p = rng.dirichlet(np.ones(len(states[v])), size=[len(states[u]) for u in parents])
        p = np.where(rng.random(p.shape) < zeros, 0.0, p)
        p[..., 0] += p.sum(axis=-1) == 0
        cpds[v] = Table(tuple(parents), p / p.sum(axis=-1, keepdims=True))
    order = sorted(names)
    return Network({v: cpds[v] for v in order}, {v: states[v] for v in order})
