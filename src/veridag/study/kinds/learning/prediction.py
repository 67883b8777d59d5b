"""How well a learned structure predicts rows it has not seen, whatever the number of its parents' configurations."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.graph import DAG
from veridag.network.fitting import fit

Ints = NDArray[np.int64]


def log_likelihood(dag: DAG, data: Data, test: Data, ess: float = 1.0) -> float:
    """log P(test) with the parameters that `fit` estimates from the data.

    Discrete families are looked up configuration by configuration, (n_ijk + ess / (r_i q_i)) / (n_ij + ess / q_i), so
    that no table is made of all q_i configurations, which a greedy search on few rows makes too many.
    """
    if data.kind != "discrete":
        return fit(dag, data, ess).log_likelihood(test)
    return float(sum(_family(v, dag.parents(v), data, test, ess) for v in dag.names))


def _family(child: str, parents: tuple[str, ...], data: Data, test: Data, ess: float) -> float:
    r = data.arities[child]
    q = prod(data.arities[u] for u in parents)
    j = _configurations(parents, data, test)
    k = _stacked(child, data, test)
    cell = j * r + k
    n_ijk = np.bincount(cell[: data.nrows], minlength=int(cell.max()) + 1)
    n_ij = np.bincount(j[: data.nrows], minlength=int(j.max()) + 1)
    tested = slice(data.nrows, None)
    return float(np.log((n_ijk[cell[tested]] + ess / (r * q)) / (n_ij[j[tested]] + ess / q)).sum())


def _configurations(parents: tuple[str, ...], data: Data, test: Data) -> Ints:
    """The configuration of the parents in every row, numbered as they occur: at most as many as there are rows."""
    j = np.zeros(data.nrows + test.nrows, dtype=np.int64)
    for u in parents:
        j = np.unique(j * data.arities[u] + _stacked(u, data, test), return_inverse=True)[1].astype(np.int64)
    return j


def _stacked(name: str, data: Data, test: Data) -> Ints:
    return np.concatenate([data.column(name), test.column(name)]).astype(np.int64)
