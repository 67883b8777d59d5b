"""Scores of predicted probabilities of states: log-loss, Brier score, accuracy, ROC curves and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.checks import Integer
from veridag.display import aligned, table
from veridag.errors import InputError, suggest
from veridag.metrics import Estimate
from veridag.network.prediction import Prediction

Floats = NDArray[np.float64]


class CalibrationBin(NamedTuple):
    """The rows whose predicted probability is in a bin.

    Attributes:
        lower, upper: The ends of the bin.
        n: Number of observations.
        predicted: The mean predicted probability.
        observed: How often the state occurred.
    """

    lower: float
    upper: float
    n: int
    predicted: float
    observed: float


class Calibration(NamedTuple):
    """How well predicted probabilities agree with observed frequencies.

    Attributes:
        bins: The bins from 0 to 1 that have rows.
        error: The expected calibration error: the mean of |observed - predicted|.
    """

    bins: tuple[CalibrationBin, ...]
    error: float


@dataclass(frozen=True, eq=False)
class RocCurve:
    """The ROC curve of a state: true and false positive rates for each threshold of its probability.

    Attributes:
        thresholds: The state is predicted if its probability is at least this.
        false_positive: The false positive rates.
        true_positive: The true positive rates.
        auc: The area under the curve.
    """

    thresholds: Floats
    false_positive: Floats
    true_positive: Floats
    auc: float


@dataclass(frozen=True, eq=False, repr=False)
class PredictionScores:
    """How good the predicted probabilities of a discrete target are.

    Means over rows have a standard error.

    Attributes:
        target: The variable.
        states: Its states.
        probabilities: ``probabilities[i, k]`` is the predicted probability of ``states[k]`` in row i.
        truth: The number of the true state in each row.
        weights: The number of observations that each row counts as.
        left_out: Number of observations left out because the target was set by an intervention.

    See also:
        `evaluate_prediction`, `NumberScores`, docs/prediction.md
    """

    target: str
    states: tuple[str, ...]
    probabilities: Floats
    truth: NDArray[np.intp]
    weights: NDArray[np.int64]
    left_out: int = 0

    def __post_init__(self) -> None:
        if not self.weights.sum():
            raise InputError(
                f"data: no row has a value of {self.target!r}, so there are no true values to compare with"
            )

    @property
    def n(self) -> int:
        """The number of observations."""
        return int(self.weights.sum())

    @cached_property
    def _predicted(self) -> NDArray[np.intp]:
        return Prediction.of_states(self.target, self.states, self.probabilities.copy()).codes

    @property
    def _of_truth(self) -> Floats:
        return self.probabilities[np.arange(len(self.truth)), self.truth]

    @cached_property
    def log_loss(self) -> Estimate:
        """The mean of -log P(true state), in nats; infinite if a state came true that was ruled out."""
        with np.errstate(divide="ignore"):
            return Estimate.from_values(-np.log(self._of_truth), self.weights)

    @cached_property
    def brier(self) -> Estimate:
        """The mean of sum over states k of (P(k) - [k is true])^2, from 0 to 2 (Brier 1950)."""
        true = np.arange(len(self.states)) == self.truth[:, None]
        return Estimate.from_values(((self.probabilities - true) ** 2).sum(axis=1), self.weights)

    @cached_property
    def accuracy(self) -> Estimate:
        """The share of observations whose most probable state is the true one."""
        return Estimate.from_values((self._predicted == self.truth).astype(np.float64), self.weights)

    @cached_property
    def confusion(self) -> NDArray[np.int64]:
        """Observations by true state, the rows, and predicted state, the columns."""
        r = len(self.states)
        found = np.bincount(self.truth * r + self._predicted, self.weights, minlength=r * r)
        return found.astype(np.int64).reshape(r, r)

    @cached_property
    def auc(self) -> dict[str, float]:
        """The area under the ROC curve of each state against all others; of states that do not vary there is none.

        It is the probability that the state has a higher predicted probability in a random row that has it than in one
        that has not; ties count half (Hanley and McNeil 1982).
        """
        there = np.bincount(self.truth, self.weights, minlength=len(self.states))
        return {s: self.roc(s).auc for s, count in zip(self.states, there, strict=True) if 0 < count < self.n}

    @property
    def mean_auc(self) -> float:
        """The mean of `auc` over the states; not a number if there is none."""
        return float(np.mean(list(self.auc.values()))) if self.auc else float("nan")

    def roc(self, state: str) -> RocCurve:
        """The ROC curve of a state against all others, with a point for each different probability."""
        k = self._number(state)
        is_true = self.truth == k
        positive, negative = self.weights[is_true].sum(), self.weights[~is_true].sum()
        if not positive or not negative:
            raise InputError(f"state: {state!r} is in all rows or in none, so there is no ROC curve of it")
        counted = self.weights > 0
        is_true, weights = is_true[counted], self.weights[counted]
        p, which = np.unique(-self.probabilities[counted, k], return_inverse=True)
        hits = np.bincount(which, weights * is_true, minlength=len(p)).cumsum() / positive
        alarms = np.bincount(which, weights * ~is_true, minlength=len(p)).cumsum() / negative
        x, y = np.concatenate([[0.0], alarms]), np.concatenate([[0.0], hits])
        area = float((np.diff(x) * (y[1:] + y[:-1]) / 2).sum())
        return RocCurve(np.concatenate([[np.inf], -p]), x, y, area)

    def calibration(self, bins: int = 10, state: str | None = None) -> Calibration:
        """How often what was predicted with a probability came true, in bins of equal width.

        Of one state, its probability; without one, the probability of the predicted state (Guo et al. 2017).
        """
        bins = Integer(1)("bins", bins)
        k = self._predicted if state is None else np.full(len(self.truth), self._number(state))
        p, came_true = self.probabilities[np.arange(len(k)), k], (self.truth == k).astype(np.float64)
        number = np.minimum((p * bins).astype(np.intp), bins - 1)
        n, predicted, observed = (np.bincount(number, self.weights * x, minlength=bins) for x in (1.0, p, came_true))
        found = tuple(
            CalibrationBin(b / bins, (b + 1) / bins, int(n[b]), float(predicted[b] / n[b]), float(observed[b] / n[b]))
            for b in np.flatnonzero(n).tolist()
        )
        return Calibration(found, float(np.abs(observed - predicted).sum() / n.sum()))

    @property
    def calibration_error(self) -> float:
        """The expected calibration error of the predicted state, in ten bins."""
        return self.calibration().error

    def _number(self, state: str) -> int:
        if state not in self.states:
            raise InputError(f"state: {self.target!r} has no state {state!r}: {suggest(str(state), self.states)}")
        return self.states.index(state)

    def to_dict(self) -> dict[str, float]:
        """All scores by name."""
        return {
            "accuracy": float(self.accuracy),
            "log_loss": float(self.log_loss),
            "brier": float(self.brier),
            "auc": self.mean_auc,
            "calibration_error": self.calibration_error,
        }

    @property
    def _about(self) -> str:
        left_out = f", without {self.left_out} in which it was set" if self.left_out else ""
        return f"{self.target} on {self.n} observations{left_out}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("accuracy", str(self.accuracy)),
            ("log-loss", str(self.log_loss)),
            ("Brier score", str(self.brier)),
            ("AUC, mean over states", f"{self.mean_auc:.6g}"),
            ("expected calibration error", f"{self.calibration_error:.6g}"),
        ]

    def _repr_html_(self) -> str:
        return table(("score", "value"), self._rows(), f"prediction of {self._about}")

    def __repr__(self) -> str:
        return f"<PredictionScores of {self._about}>\n" + aligned(self._rows())
