"""How much related data sets say about each other: pooled, partially pooled and separate parameters compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.metrics import Estimate
from veridag.network.fitting import Pooling, fit

METHODS: tuple[Pooling, ...] = ("hierarchical", "pooled", "separate")


@dataclass(frozen=True)
class PoolingComparison:
    """The mean log-likelihood of an observation that was not seen, in nats and higher is better, by kind of pooling.

    `gain` over the better of the other two is what partial pooling adds; its standard error is that of the difference
    row by row, which the three have in common.
    """

    hierarchical: Estimate
    pooled: Estimate
    separate: Estimate
    gain: Estimate

    @property
    def best(self) -> str:
        """The kind of pooling with the highest value."""
        return max(METHODS, key=lambda method: float(getattr(self, method)))


def compare_pooling(
    dag: DAG, data: Data, folds: int = 10, ess: float = 1.0, alpha0: float = 1.0, *, seed: int = 0
) -> PoolingComparison:
    """Held-out log-likelihood of a structure with parameters of each kind of pooling, by cross-validation.

    The observations are parted at random into `folds` test sets, each evaluated under the networks of the groups that
    `fit` estimates from the rest with ``method="hierarchical"``, ``"pooled"`` and ``"separate"``.
    """
    if not isinstance(data, Data) or data.group is None:
        raise InputError("data: related data sets are needed: name the column that holds them in group= when reading")
    values: dict[Pooling, list[NDArray[np.float64]]] = {method: [] for method in METHODS}
    weights = []
    for train, test in data.folds(folds, seed):
        parts = test.by_group()
        weights += [np.ones(part.nrows, np.int64) if part.weights is None else part.weights for part in parts.values()]
        for method in METHODS:
            networks = fit(dag, train, ess, method=method, alpha0=alpha0)
            values[method] += [np.asarray(networks[g].log_likelihood(part, by_row=True)) for g, part in parts.items()]
    joined = {method: np.concatenate(rows) for method, rows in values.items()}
    weight = np.concatenate(weights)
    found = {method: Estimate.from_values(rows, weight) for method, rows in joined.items()}
    other: Pooling = "pooled" if found["pooled"] > found["separate"] else "separate"
    gain = Estimate.from_values(np.subtract(joined["hierarchical"], joined[other]), weight)
    return PoolingComparison(found["hierarchical"], found["pooled"], found["separate"], gain)
