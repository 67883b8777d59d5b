"""Draws that are a given list of DAGs, and data to fit them to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import veridag as vd
from veridag.data import Column
from veridag.posteriors.draws import Settings
from veridag.posteriors.source import Source


def discrete(rows: int, seed: int, n: int = 4) -> vd.Data:
    """Each variable copies one of those before it, half of the time."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    for i in range(1, n):
        columns.append(np.where(rng.random(rows) < 0.5, columns[rng.integers(0, i)], rng.integers(0, 2, rows)))
    columns[-1][::7] = 2
    states = ["ab"] * (n - 1) + ["abc"]
    return vd.Data([Column.discrete(f"v{i}", own, states[i]) for i, own in enumerate(columns)])


def continuous(rows: int, seed: int) -> vd.Data:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, 4))
    x[:, 1] += x[:, 0]
    x[:, 3] += 0.5 * x[:, 1] - x[:, 2]
    return vd.Data([Column.continuous(f"v{i}", 100 + x[:, i]) for i in range(4)])


def mixed(rows: int, seed: int) -> vd.Data:
    rng = np.random.default_rng(seed)
    k = rng.integers(0, 2, rows)
    x = rng.standard_normal((rows, 2)) + k[:, None]
    x[:, 1] += x[:, 0]
    other = np.where(rng.random(rows) < 0.7, k, rng.integers(0, 2, rows))
    return vd.Data(
        [
            Column.discrete("k", k, "ab"),
            Column.continuous("x", x[:, 0]),
            Column.discrete("l", other, "ab"),
            Column.continuous("y", x[:, 1]),
        ]
    )


def gaps(data: vd.Data, seed: int) -> vd.Data:
    """A quarter of the values are missing."""
    rng = np.random.default_rng(seed)
    return vd.Data([replace(c, observed=rng.random(data.nrows) > 0.25) for c in data.columns])


def score_for(data: vd.Data) -> vd.Score:
    return {"discrete": vd.BDeu(), "continuous": vd.BGe(), "mixed": vd.BCG()}[data.kind]


def some_dags(data: vd.Data, number: int, seed: int) -> list[vd.DAG]:
    """DAGs at random, some of them twice; none has an arc from a continuous to a discrete variable."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < number:
        order = rng.permutation(data.names).tolist()
        arcs = [
            (u, v)
            for i, v in enumerate(order)
            for u in order[:i]
            if rng.random() < 0.5 and not (v in data.states and u not in data.states)
        ]
        found.append(vd.DAG.from_arcs(arcs, data.names))
    return [*found[: number - 3], *found[:3]]


def draws_of(dags: list[vd.DAG], data: vd.Data, score: vd.Score, chains: int = 2) -> vd.Draws:
    """Draws that are a given list, with the variables of the core in another order."""
    core = tuple(reversed(data.names))
    words = [[sum(1 << core.index(u) for u in dag.parents(v)) for v in core] for dag in dags]
    parents = np.array(words, np.uint64).reshape(chains, -1, len(core), 1)
    made = Settings({"score": repr(score), "prior": "Fair()"})
    places = np.zeros((chains, 1, len(core)), np.int32)
    logs = np.zeros(parents.shape[:2])
    return vd.Draws(data.names, made, logs, parents, core, places, 0.0, "draws", Source(data, score))
