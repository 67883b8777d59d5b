"""Rows with gaps by brute force: every configuration of all discrete variables, and for each a joint Gaussian."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from naive.mixed_networks import components
from veridag import Network
from veridag.data import Data


class Completion(NamedTuple):
    """A configuration of all discrete variables that agrees with a row: log P(configuration, observed values), and mean
    and covariance of all continuous variables given both, in the order of `names`; observed ones do not vary."""

    states: dict[str, str]
    log_p: float
    names: list[str]
    mean: np.ndarray
    covariance: np.ndarray


def row_of(data: Data, i: int) -> dict[str, str | float]:
    """What a row has, by name."""
    there = [c for c in data.columns if c.observed is None or c.observed[i]]
    return {c.name: c.states[c.values[i]] if c.kind == "discrete" else float(c.values[i]) for c in there}


def completions(network: Network, row: dict[str, str | float]) -> list[Completion]:
    """All configurations of positive probability."""
    names = [v for v in network.dag.topological_order() if v not in network.states]
    seen = [i for i, v in enumerate(names) if v in row]
    free = [i for i, v in enumerate(names) if v not in row]
    found = []
    for at, p, means, cov in components(network):
        if p == 0 or any(at[v] != state for v, state in row.items() if v in at):
            continue
        log_p, mean, covariance = float(np.log(p)), np.array([means[v] for v in names]), cov
        if seen:
            d = np.array([row[names[i]] for i in seen]) - mean[seen]
            s_ee, s_fe = cov[np.ix_(seen, seen)], cov[np.ix_(free, seen)]
            log_p -= 0.5 * float(d @ np.linalg.solve(s_ee, d) + np.linalg.slogdet(2 * np.pi * s_ee)[1])
            covariance = np.zeros_like(cov)
            covariance[np.ix_(free, free)] = cov[np.ix_(free, free)] - s_fe @ np.linalg.solve(s_ee, s_fe.T)
            mean = mean.copy()
            mean[free] += s_fe @ np.linalg.solve(s_ee, d)
            mean[seen] = [row[names[i]] for i in seen]
        found.append(Completion(at, log_p, names, mean, covariance))
    return found


def log_likelihood(network: Network, data: Data) -> np.ndarray:
    """log P(what the row has) of each row."""
    rows = [[c.log_p for c in completions(network, row_of(data, i))] for i in range(data.nrows)]
    return np.array([np.logaddexp.reduce(logs) if logs else -np.inf for logs in rows])


def most_probable(network: Network, row: dict[str, str | float]) -> dict[str, str | float]:
    """The most probable configuration, and the means of the continuous variables given it."""
    best = max(completions(network, row), key=lambda c: c.log_p)
    return {**best.states, **dict(zip(best.names, best.mean.tolist(), strict=True))}


def expected_statistics(network: Network, data: Data) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Expected counts of discrete families, and expected sums of z z' of continuous ones, by all completions.

    A family counts in a row unless its child and all descendants of that are missing.
    """
    counts = {v: np.zeros(network.table(v).probabilities.shape) for v in network.states}
    moments = {}
    for x in set(network.names) - set(network.states):
        cpd = network.conditional_gaussian(x)
        moments[x] = np.zeros((*cpd.intercepts.shape, len(cpd.continuous) + 2, len(cpd.continuous) + 2))
    for i in range(data.nrows):
        row, w = row_of(data, i), 1 if data.weights is None else int(data.weights[i])
        whole = completions(network, row)
        total = np.logaddexp.reduce([c.log_p for c in whole])
        for v in network.names:
            if v not in row and not any(u in row for u in network.dag.descendants([v])):
                continue
            for c in whole:
                p = w * np.exp(c.log_p - total)
                if v in network.states:
                    family = (*network.cpds[v].parents, v)
                    counts[v][tuple(network.states[u].index(c.states[u]) for u in family)] += p
                    continue
                cpd = network.conditional_gaussian(v)
                at = [c.names.index(u) for u in (*cpd.continuous, v)]
                z = np.array([1.0, *c.mean[at]])
                square = np.outer(z, z)
                square[1:, 1:] += c.covariance[np.ix_(at, at)]
                moments[v][tuple(network.states[u].index(c.states[u]) for u in cpd.discrete)] += p * square
    return counts, moments
