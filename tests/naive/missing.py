"""Slow, obvious versions of what is done with missing values, written from the papers alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf, log, prod

import numpy as np

from veridag.data import Column, Data

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
