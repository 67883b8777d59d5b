"""Slow, obvious versions of what is done with missing values, written from the papers alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import inf, log, prod

import numpy as np
from numpy.typing import NDArray

from veridag.data import Column, Data
from veridag.network import Network
from veridag.network.query.gaussian import condition

from .mixed import conditional_gaussian


def with_gaps(data: Data, share: float, seed: int) -> Data:
    """The same data with values missing at random; the first two rows stay as they are."""
    rng = np.random.default_rng(seed)
    columns = []
    for c in data.columns:
        observed = (rng.random(data.nrows) >= share) | (np.arange(data.nrows) < 2)
        columns.append(Column(c.name, c.kind, c.values, c.states, observed=observed))
    return Data(columns, data.weights, data.group, data.groups)


def where_complete(data: Data, names: Sequence[str]) -> Data:
    """The rows in which all of these have a value, one by one."""
    columns = {c.name: c for c in data.columns}
    masks = [columns[v].observed for v in names]
    rows = [i for i in range(data.nrows) if all(mask is None or mask[i] for mask in masks)]
    kept = [Column(v, columns[v].kind, columns[v].values[rows], columns[v].states) for v in names]
    return Data(kept, None if data.weights is None else data.weights[rows])


def pnal(data: Data, child: str, parents: Sequence[str], k: float) -> float:
    """n times the node-average log-likelihood less lambda = k / n for each parameter (Bodewes and Scutari 2021).

    A discrete child has discrete parents here.
    """
    n = data.n
    part = where_complete(data, [*parents, child])
    if part.n == 0 or (parents and part.n < min(n, 2 * n / log(n))):
        return -inf
    if data.kinds[child] == "continuous":
        average = conditional_gaussian(part, child, parents, 0.0) / part.n
        q = prod(len(data.states[p]) for p in parents if data.kinds[p] == "discrete")
        parameters = q * (sum(data.kinds[p] == "continuous" for p in parents) + 2)
    else:
        average = _discrete_loglik(part, child, parents) / part.n
        parameters = prod(len(data.states[p]) for p in parents) * (len(data.states[child]) - 1)
    return n * (average - k / n * parameters)


def _discrete_loglik(part: Data, child: str, parents: Sequence[str]) -> float:
    weights = [1] * part.nrows if part.weights is None else part.weights.tolist()
    cells: Counter[tuple[int, ...]] = Counter()
    configurations: Counter[tuple[int, ...]] = Counter()
    for i, w in enumerate(weights):
        j = tuple(int(part.column(p)[i]) for p in parents)
        cells[(*j, int(part.column(child)[i]))] += w
        configurations[j] += w
    return sum(n * log(n / configurations[cell[:-1]]) for cell, n in cells.items() if n > 0)


def expected_counts(network: Network, data: Data, names: Sequence[str]) -> NDArray[np.float64]:
    """The sum over rows of P(names | what the row has): all completions of each row, one by one.

    Network and data have their states in the same order.
    """
    counts = np.zeros([len(network.states[v]) for v in names])
    for i in range(data.nrows):
        row = {c.name: None if c.observed is not None and not c.observed[i] else int(c.values[i]) for c in data.columns}
        choices = [range(len(network.states[v])) if row[v] is None else [row[v]] for v in network.names]
        own = np.zeros(counts.shape)
        for states in product(*choices):
            full = dict(zip(network.names, states, strict=True))
            p = prod(
                network.table(v).probabilities[tuple(full[u] for u in (*network.table(v).parents, v))]
                for v in network.names
            )
            own[tuple(full[v] for v in names)] += p
        counts += own / own.sum() * (1 if data.weights is None else data.weights[i])
    return counts


def expected_moments(network: Network, data: Data) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The expected mean and scatter of continuous data, from E[x] and E[x x^T] of one row after the other."""
    k = len(data.names)
    first, second = np.zeros(k), np.zeros((k, k))
    for i in range(data.nrows):
        w = 1 if data.weights is None else data.weights[i]
        known = {c.name: float(c.values[i]) for c in data.columns if c.observed is None or c.observed[i]}
        x, spread = np.array([known.get(v, 0.0) for v in data.names]), np.zeros((k, k))
        missing = [v for v in data.names if v not in known]
        if missing:
            at = [data.names.index(v) for v in missing]
            x[at], spread[np.ix_(at, at)] = condition(network, missing, known)
        first += w * x
        second += w * (np.outer(x, x) + spread)
    mean = first / data.n
    return mean, second - data.n * np.outer(mean, mean)
