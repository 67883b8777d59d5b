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
