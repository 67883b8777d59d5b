"""The log-loss of a learner on rows it has not seen, for data in groups: each row under its own group's network."""

from __future__ import annotations

import time
from math import prod

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.metrics import Estimate
from veridag.network.fitting import RelatedNetworks, fit
from veridag.progress import Progress
from veridag.search import Algorithm
from veridag.work.threads import OutOfTime, run_pieces

#: Larger tables, in all groups together, of one variable and of all would take long to fit, and no clock stops that.
MOST_ENTRIES, MOST_ENTRIES_OF_ALL = 50_000, 400_000

Rows = tuple[NDArray[np.float64], NDArray[np.int64]]


def fit_groups(dag: DAG, data: Data) -> RelatedNetworks:
    """A network for each group: partially pooled parameters, or separate ones of continuous variables."""
    if data.kind != "discrete":
        return fit(dag, data, method="separate")
    entries = {name: prod(data.arities[v] for v in (name, *dag.parents(name))) * len(data.groups) for name in dag.names}
    largest = max(entries, key=entries.__getitem__)
    if entries[largest] > MOST_ENTRIES:
        raise InputError(
            f"the table of {largest!r} would have {entries[largest]} entries in all groups, too many to fit here"
        )
    if sum(entries.values()) > MOST_ENTRIES_OF_ALL:
        raise InputError(f"the tables would have {sum(entries.values())} entries in all groups, too many to fit here")
    return fit(dag, data, method="hierarchical")


def grouped_loss(
    data: Data,
    algorithm: Algorithm,
    folds: int,
    knowledge: Knowledge | None,
    seed: int,
    jobs: int,
    progress: Progress | None,
    seconds: float | None,
) -> Estimate:
    """The mean of -log q(x) over rows held out, in nats, by cross-validation; lower is better.

    One structure is learned without the fold, and partially pooled parameters for each group; continuous variables have
    separate ones.
    """
    parts = data.folds(folds, seed)

    def validate(i: int, heartbeat: Progress) -> Rows:
        train, test = parts[i]
        dag = algorithm.learn(train, knowledge, seed, heartbeat).dag
        heartbeat("fit", 0, None, {})  # the time may be over, and fitting heeds no deadline
        networks = fit_groups(dag, train)
        groups = test.by_group().items()
        losses = [-np.asarray(networks[label].log_likelihood(part, by_row=True)) for label, part in groups]
        weights = [np.ones(part.nrows, np.int64) if part.weights is None else part.weights for _, part in groups]
        return np.concatenate(losses), np.concatenate(weights)

    done: dict[int, Rows] = {}
    deadline = None if seconds is None else time.monotonic() + seconds

    def describe(i: int) -> str:
        return f"fold {i + 1} of {folds}"

    if not run_pieces(validate, folds, jobs, done, describe=describe, progress=progress, deadline=deadline):
        raise OutOfTime(f"there was time for {len(done)} of {folds} folds only")
    losses, weights = (np.concatenate([done[i][k] for i in range(folds)]) for k in (0, 1))
    return Estimate.from_values(losses, weights)
