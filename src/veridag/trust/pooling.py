"""How much related data sets say about each other: pooled, partially pooled and separate parameters compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from veridag.data import Data
from veridag.display import aligned, table
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.metrics import Estimate
from veridag.network.fitting import Pooling, RelatedNetworks, fit
from veridag.progress import Progress
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor

from .cross_validation import validate_folds

if TYPE_CHECKING:
    from distributed import Client

METHODS: tuple[Pooling, ...] = ("hierarchical", "pooled", "separate")


@dataclass(frozen=True)
class PoolingComparison:
    """The mean log-likelihood of a held-out observation by kind of pooling, in nats; higher is better.

    Attributes:
        hierarchical: With partial pooling.
        pooled: With complete pooling.
        separate: Without pooling.
        gain: How much partial pooling gains over the better of the other two. Its standard error is that of the
            differences of the rows.

    See also:
        `compare_pooling`, docs/related.md
    """

    hierarchical: Estimate
    pooled: Estimate
    separate: Estimate
    gain: Estimate

    @property
    def best(self) -> str:
        """The kind of pooling with the highest value."""
        return max(METHODS, key=lambda method: float(getattr(self, method)))

    def _rows(self) -> list[tuple[str, str]]:
        return [(method, str(getattr(self, method))) for method in (*METHODS, "gain")]

    def __str__(self) -> str:
        return aligned([("pooling", "held-out log-likelihood of an observation"), *self._rows()])

    def _repr_html_(self) -> str:
        return table(("pooling", "held-out log-likelihood of an observation"), self._rows())


def compare_pooling(
    dag: DAG,
    data: Data,
    folds: int = 10,
    ess: float = 1.0,
    alpha0: float = 1.0,
    *,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
) -> PoolingComparison:
    """Compare the held-out log-likelihood of a structure under each kind of pooling, by cross-validation.

    The observations are split at random into folds. Each fold is evaluated under the networks of the groups that `fit`
    estimates from the other folds with ``method="hierarchical"``, ``"pooled"`` and ``"separate"``.

    Args:
        dag: The structure.
        data: The table, as a `Data` with groups.
        folds: Number of folds.
        ess, alpha0: As in `fit`.
        seed: Seed of the random numbers. The same seed gives the same result with any number of jobs.
        jobs, client: As in `bootstrap`.

    See also:
        `PoolingComparison`, `fit`, docs/related.md
    """
    if not isinstance(data, Data) or data.group is None:
        raise InputError("data: it has no groups: name the column of the groups in group= when reading")
    found = validate_folds(data, folds, seed, _FitAll(dag, ess, alpha0), executor_of(jobs, client))
    weights = np.concatenate([fold.weights for fold in found])
    rows = {m: np.concatenate([-fold.losses[i] for fold in found]) for i, m in enumerate(METHODS)}
    means = {method: Estimate.from_values(values, weights) for method, values in rows.items()}
    other: Pooling = "pooled" if means["pooled"] > means["separate"] else "separate"
    gain = Estimate.from_values(rows["hierarchical"] - rows[other], weights)
    return PoolingComparison(means["hierarchical"], means["pooled"], means["separate"], gain)


@dataclass(frozen=True)
class _FitAll:
    """Parameters of each kind of pooling."""

    dag: DAG
    ess: float
    alpha0: float

    def __call__(self, i: int, train: Data, heartbeat: Progress) -> tuple[RelatedNetworks, ...]:
        del i, heartbeat
        return tuple(fit(self.dag, train, self.ess, method=method, alpha0=self.alpha0) for method in METHODS)
