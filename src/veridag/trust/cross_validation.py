"""Cross-validation: how well what is learned from some of the rows predicts the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from veridag.checks import SECONDS, Integer
from veridag.data import Data
from veridag.data.resampling import Seed
from veridag.display import aligned, table
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.metrics import Estimate
from veridag.network import Network
from veridag.network.fitting import RelatedNetworks, fit
from veridag.progress import Progress
from veridag.search import Algorithm
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor, OutOfTime, deadline_after, run_pieces

from .defaults import default_pooling, learner_or_default
from .seeds import nth_seed, seed_number

if TYPE_CHECKING:
    from distributed import Client

#: A network, or of data in groups one for each group.
Model = Network | RelatedNetworks


_HEAD = ("fold", "loss", "standard error", "rows")


@dataclass(frozen=True)
class CrossValidation:
    """The losses of a learner on held-out rows, as `cross_validate` returns them.

    Attributes:
        loss: The mean over all observations of -log q(x), each under the network learned without its fold, with its
            standard error.
        folds: The loss of each fold.
        networks: What was learned without each fold: a `Network`, or `RelatedNetworks` if the data has groups.
        settings: The learner.
        seed: The seed of the folds.

    See also:
        `cross_validate`, docs/resampling.md
    """

    loss: Estimate
    folds: tuple[Estimate, ...]
    networks: tuple[Model, ...]
    settings: str
    seed: int

    def __float__(self) -> float:
        return float(self.loss)

    def _rows(self) -> list[tuple[str, str, str, str]]:
        parts = [*((f"{i + 1}", fold) for i, fold in enumerate(self.folds)), ("all", self.loss)]
        return [(name, f"{float(loss):.6g}", f"{loss.standard_error:.2g}", f"{loss.n}") for name, loss in parts]

    def __str__(self) -> str:
        return aligned([_HEAD, *self._rows()])

    def _repr_html_(self) -> str:
        return table(_HEAD, self._rows(), f"mean of -log q(x) on held-out rows, {self.settings}")

    def __repr__(self) -> str:
        return f"<CrossValidation of {self.settings}: loss {self.loss} in {len(self.folds)} folds>"


def cross_validate(
    data: Data | Any,
    algorithm: Algorithm | None = None,
    folds: int = 10,
    ess: float = 1.0,
    *,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> CrossValidation:
    """Estimate the log-loss of a learner on unseen rows by k-fold cross-validation.

    The observations are split at random into folds. For each fold, the algorithm learns a structure from the other
    folds, `fit` estimates its parameters from the same rows, and the fold is evaluated. The mean of -log q(x) estimates
    the cross-entropy between the distribution of the data and the learned network (Viinikka 2019, section 2.7.3); lower
    is better. Its standard error treats the losses as independent, which they are given the networks.

    If the data has groups, there is one structure and a network for each group, with partially pooled parameters
    (``method="hierarchical"`` of `fit`; ``"separate"`` for continuous variables). Each row is evaluated under the
    network of its group. Every fold uses the states of all the data.

    Args:
        data: The table: a `Data` or a data frame.
        algorithm: The learner; the default of `learn` for all of the data if None.
        folds: Number of folds.
        ess: Equivalent sample size of the prior on parameters, as in `fit`. With 0, an unseen configuration can have an
            infinite loss.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        seed: Seed of the random numbers. The same seed gives the same result with any number of jobs.
        jobs, client: As in `bootstrap`.
        progress: Progress callback, see `ProgressBar`.
        seconds: Time limit in seconds; no limit if None.

    Raises:
        InputError: If the time limit ends the work: the loss needs all folds.

    See also:
        `CrossValidation`, `log_loss`, `cross_validate_prediction`, docs/resampling.md
    """
    data = Data.of(data)
    learner = learner_or_default(algorithm, data, knowledge)
    folds, executor = Integer(2)("folds", folds), executor_of(jobs, client)
    _fitted(DAG.empty(data.names), data, ess)  # refuses what cannot be fitted, before anything is learned
    learn = _Learn(learner, knowledge, ess, seed, folds)
    found = validate_folds(data, folds, nth_seed(seed, 0), learn, executor, progress, SECONDS("seconds", seconds))
    return CrossValidation(
        loss=mean_loss(found),
        folds=tuple(mean_loss([fold]) for fold in found),
        networks=tuple(fold.models[0] for fold in found),
        settings=repr(learner),
        seed=seed,
    )


@dataclass(frozen=True)
class _Learn:
    """Learns a structure from the training set of a fold, and its parameters."""

    learner: Algorithm
    knowledge: Knowledge | None
    ess: float
    seed: int
    folds: int

    def __call__(self, i: int, train: Data, heartbeat: Progress) -> tuple[Model]:
        try:
            own = seed_number(nth_seed(self.seed, 1 + i))
            return (_fitted(self.learner.learn(train, self.knowledge, own, heartbeat).dag, train, self.ess),)
        except InputError as error:
            raise InputError(f"fold {i + 1} of {self.folds}: {error}") from error


def _fitted(dag: DAG, data: Data, ess: float) -> Model:
    if data.group is None:
        return fit(dag, data, ess)
    return fit(dag, data, ess, method=default_pooling(data))


@dataclass(frozen=True)
class Fold:
    """The models made without a fold, the losses -log q(x) of its rows under each model, and the rows' weights."""

    models: tuple[Model, ...]
    losses: tuple[NDArray[np.float64], ...]
    weights: NDArray[np.int64]


#: Makes models from the training set of a fold, with the number of the fold and a heartbeat.
Make = Callable[[int, Data, Progress], tuple[Model, ...]]


def validate_folds(
    data: Data,
    folds: int,
    seed: Seed,
    make: Make,
    executor: Executor | None = None,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> list[Fold]:
    """The loop of every cross-validation: `make` gives models of the training set of a fold, and its test set judges.

    The folds are those of ``data.folds(folds, seed)``. Raises `OutOfTime` when the seconds are over.
    """
    done: dict[int, Fold] = {}
    if not run_pieces(
        _Validate(data, folds, seed, make),
        folds,
        executor_of() if executor is None else executor,
        done,
        describe=lambda i: f"fold {i + 1} of {folds}",
        progress=progress,
        deadline=deadline_after(seconds),
    ):
        raise OutOfTime(
            f"seconds={seconds:g}: there was time for only {len(done)} of {folds} folds: allow more seconds"
        )
    return [done[i] for i in range(folds)]


@dataclass(frozen=True)
class _Validate:
    """Has a model made without a fold, and judges it by the fold."""

    data: Data
    folds: int
    seed: Seed
    make: Make

    def __call__(self, i: int, heartbeat: Progress) -> Fold:
        train, test = self.data.fold(i, self.folds, self.seed)
        models = self.make(i, train, heartbeat)
        parts = _evaluated_parts(models[0], test)
        losses = tuple(_row_losses(model, parts) for model in models)
        weights = [np.ones(part.nrows, np.int64) if part.weights is None else part.weights for _, part in parts]
        return Fold(models, losses, np.concatenate(weights))


def mean_loss(folds: Sequence[Fold], model: int = 0) -> Estimate:
    """The mean loss of all rows of the folds under one of the models, with its standard error."""
    weights = np.concatenate([fold.weights for fold in folds])
    return Estimate.from_values(np.concatenate([fold.losses[model] for fold in folds]), weights)


def _evaluated_parts(model: Model, test: Data) -> list[tuple[str, Data]]:
    """The rows of a test set that one network evaluates together, with the label of their group."""
    return list(test.by_group().items()) if isinstance(model, RelatedNetworks) else [("", test)]


def _row_losses(model: Model, parts: Sequence[tuple[str, Data]]) -> NDArray[np.float64]:
    networks = [model[label] if isinstance(model, RelatedNetworks) else model for label, _ in parts]
    rows = [network.log_likelihood(part, by_row=True) for network, (_, part) in zip(networks, parts, strict=True)]
    return -np.concatenate(rows)
