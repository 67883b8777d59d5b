"""The log-loss of a learner on rows it has not seen, for data in groups: each row under its own group's network."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.metrics import Estimate
from veridag.network.fitting import RelatedNetworks, fit
from veridag.progress import Progress
from veridag.search import Algorithm
from veridag.trust.cross_validation import mean_loss, validate_folds
from veridag.trust.defaults import default_pooling
from veridag.work.pieces import Executor

#: Larger tables, in all groups together, of one variable and of all would take long to fit, and no clock stops that.
MOST_ENTRIES, MOST_ENTRIES_OF_ALL = 50_000, 400_000


def fit_groups(dag: DAG, data: Data) -> RelatedNetworks:
    """A network for each group: partially pooled parameters, or separate ones of continuous variables."""
    pooling = default_pooling(data)
    if pooling == "separate":
        return fit(dag, data, method=pooling)
    entries = {name: prod(data.arities[v] for v in (name, *dag.parents(name))) * len(data.groups) for name in dag.names}
    largest = max(entries, key=entries.__getitem__)
    if entries[largest] > MOST_ENTRIES:
        raise InputError(
            f"the table of {largest!r} would have {entries[largest]} entries in all groups, too many to fit here"
        )
    if sum(entries.values()) > MOST_ENTRIES_OF_ALL:
        raise InputError(f"the tables would have {sum(entries.values())} entries in all groups, too many to fit here")
    return fit(dag, data, method=pooling)


def grouped_loss(
    data: Data,
    algorithm: Algorithm,
    folds: int,
    knowledge: Knowledge | None,
    seed: int,
    executor: Executor,
    progress: Progress | None,
    seconds: float | None,
) -> Estimate:
    """The mean of -log q(x) over rows held out, in nats, by cross-validation; lower is better.

    One structure is learned without the fold, and partially pooled parameters for each group; continuous variables have
    separate ones.
    """
    learn = _Learn(algorithm, knowledge, seed)
    return mean_loss(validate_folds(data, folds, seed, learn, executor, progress, seconds))


@dataclass(frozen=True)
class _Learn:
    """Learns a structure from the training set of a fold, and parameters for each group."""

    algorithm: Algorithm
    knowledge: Knowledge | None
    seed: int

    def __call__(self, i: int, train: Data, heartbeat: Progress) -> tuple[RelatedNetworks]:
        del i
        dag = self.algorithm.learn(train, self.knowledge, self.seed, heartbeat).dag
        heartbeat("fit", 0, None, {})  # the time may be over, and fitting heeds no deadline
        return (fit_groups(dag, train),)
