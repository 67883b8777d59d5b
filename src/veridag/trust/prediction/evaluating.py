"""`evaluate_prediction` and its cross-validated version."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from veridag.checks import SECONDS, Instance, Integer
from veridag.data import Column, Data, DataWarning
from veridag.errors import InputError, setting, suggest
from veridag.graph.knowledge import Knowledge
from veridag.network import Network
from veridag.network.fitting import fit
from veridag.network.frames import column_names
from veridag.network.matching import check_columns, state_map
from veridag.network.prediction import Prediction
from veridag.progress import Progress
from veridag.search import Algorithm
from veridag.trust.defaults import learner_or_default
from veridag.trust.seeds import nth_seed, seed_number
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor, OutOfTime, deadline_after, run_pieces

from .numbers import NumberScores
from .states import PredictionScores

if TYPE_CHECKING:
    from distributed import Client

Scores = PredictionScores | NumberScores


def evaluate_prediction(
    network: Network,
    data: Data | Any,
    target: str,
    given: Iterable[str] | None = None,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """Evaluate how well a network predicts a variable, on held-out rows in which its value is known.

    Rows without a value of the target are left out, and so are rows in which it was set by an intervention: `left_out`
    of the scores counts these. A row of weight w counts w times.

    Args:
        network: The network.
        data: The held-out rows: a `Data` or a data frame.
        target: The variable to predict.
        given: The columns to predict from; all other variables of the network if None.
        jobs: Number of threads.
        progress: Progress callback, see `ProgressBar`.

    Returns:
        `PredictionScores` for a discrete target: accuracy, log-loss, Brier score, ROC curves and calibration.
        `NumberScores` for a continuous one.

    See also:
        `Network.predict`, `cross_validate_prediction`, docs/prediction.md
    """
    Instance(Network, "a network, such as vd.fit(dag, data)")("network", network)
    if target in network.names and target not in (data.names if isinstance(data, Data) else column_names(data)):
        raise InputError(f"data: there is no column {target!r}: it must have the true values to compare with")
    data, left_out = _not_set(data, target)
    prediction = network.predict(data, target, given, jobs=jobs, progress=progress)
    return _scores([(network, prediction, _truth(network, data, target))], left_out)


def cross_validate_prediction(
    data: Data | Any,
    target: str,
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
) -> Scores:
    """Evaluate how well a learner predicts a variable on unseen rows, by k-fold cross-validation.

    For each fold, the algorithm learns a structure from the other folds, `fit` estimates its parameters from the same
    rows, and the target is predicted in the fold. The scores are over all rows, each predicted by the network learned
    without it. The splits are those of `cross_validate`.

    Args:
        data: The table: a `Data` or a data frame.
        target: The variable to predict.
        algorithm, folds, ess, knowledge, seed, jobs, client, progress, seconds: As in `cross_validate`.

    Returns:
        `PredictionScores` for a discrete target, `NumberScores` for a continuous one.

    See also:
        `evaluate_prediction`, `cross_validate`, docs/prediction.md
    """
    data = Data.of(data)
    if target not in data.kinds:
        raise InputError(f"target: there is no column {target!r}: {suggest(str(target), data.names)}")
    if data.group is not None:
        raise InputError(f"data: it has groups, and one network predicts all rows here: leave out {setting('group')}")
    _, left_out = _not_set(data, target)
    learner = learner_or_default(algorithm, data, knowledge)
    folds = Integer(2)("folds", folds)
    done: dict[int, _Predicted] = {}
    if not run_pieces(
        _Predict(data, target, learner, knowledge, ess, seed, folds),
        folds,
        executor_of(jobs, client),
        done,
        describe=lambda i: f"fold {i + 1} of {folds}",
        progress=progress,
        deadline=deadline_after(SECONDS("seconds", seconds)),
    ):
        raise OutOfTime(
            f"seconds={seconds:g}: there was time for only {len(done)} of {folds} folds: allow more seconds"
        )
    return _scores([done[i] for i in range(folds)], left_out)


#: A network, what it predicts, and the true values with the weights of the rows.
_Predicted = tuple[Network, Prediction, tuple[Column, NDArray[np.int64]]]


@dataclass(frozen=True)
class _Predict:
    """Learns a network without a fold, and predicts the target in the fold."""

    data: Data
    target: str
    learner: Algorithm
    knowledge: Knowledge | None
    ess: float
    seed: int
    folds: int

    def __call__(self, i: int, heartbeat: Progress) -> _Predicted:
        train, held_out = self.data.fold(i, self.folds, nth_seed(self.seed, 0))
        test, _ = _not_set(held_out, self.target)
        own = seed_number(nth_seed(self.seed, 1 + i))
        try:
            network = fit(self.learner.learn(train, self.knowledge, own, heartbeat).dag, train, self.ess)
            return network, network.predict(test, self.target), _truth(network, test, self.target)
        except InputError as error:
            raise InputError(f"fold {i + 1} of {self.folds}: {error}") from error


def _not_set(data: Data | Any, target: str) -> tuple[Data | Any, int]:
    """The data without observations in which the target was set, and how many these are."""
    if not isinstance(data, Data) or data.targets is None or target not in data.targets.names:
        return data, 0
    is_set = data.targets.is_set([target])
    if is_set.all():
        raise InputError(f"data: {target!r} was set in all rows, so there are no true values to compare with")
    return data.rows(~is_set), int(is_set.sum() if data.weights is None else data.weights[is_set].sum())


def _truth(network: Network, data: Data | Any, target: str) -> tuple[Column, NDArray[np.int64]]:
    """The column of the target, and the weights of the rows."""
    if not isinstance(data, Data):
        states = {target: network.states[target]} if target in network.states else None
        kinds: dict[str, Any] = {target: "discrete" if states else "continuous"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # a constant column is no matter here
            data = Data.from_frame(data, columns=[target], kinds=kinds, states=states, missing="keep")
    check_columns([target], network.states, data)
    [column] = [c for c in data.columns if c.name == target]
    return column, np.ones(data.nrows, np.int64) if data.weights is None else data.weights


def _scores(parts: Sequence[_Predicted], left_out: int) -> Scores:
    """The scores of predictions together, without rows that have no value of the target."""
    first = parts[0][1]
    kept = [np.ones(len(own), bool) if c.observed is None else c.observed for _, own, (c, _) in parts]
    pairs = list(zip(parts, kept, strict=True))
    weights = np.concatenate([w[rows] for (_, _, (_, w)), rows in pairs])
    if not first.is_discrete:
        mean = np.concatenate([own.mean[rows] for (_, own, _), rows in pairs])
        sd = np.concatenate([own.sd[rows] for (_, own, _), rows in pairs])
        truth = np.concatenate([c.values[rows] for (_, _, (c, _)), rows in pairs])
        return NumberScores(first.target, mean, sd, truth, weights, left_out)
    codes = [state_map(network.states, c)[c.values[rows]] for (network, _, (c, _)), rows in pairs]
    probabilities = np.concatenate([own.probabilities[rows] for (_, own, _), rows in pairs])
    return PredictionScores(first.target, first.states, probabilities, np.concatenate(codes), weights, left_out)
