"""Scores of predicted means and standard deviations of a continuous target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from veridag.checks import Number
from veridag.display import aligned, table
from veridag.errors import InputError
from veridag.metrics import Estimate

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class NumberScores:
    """How good the predicted means and standard deviations of a continuous target are.

    Attributes:
        target: The variable.
        mean: The predicted means.
        sd: The predicted standard deviations.
        truth: The true values.
        weights: The number of observations that each row counts as.
        left_out: Number of observations left out because the target was set by an intervention.

    See also:
        `evaluate_prediction`, `PredictionScores`, docs/prediction.md
    """

    target: str
    mean: Floats
    sd: Floats
    truth: Floats
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
    def rmse(self) -> float:
        """The root of the mean squared error."""
        return float(np.sqrt(np.average((self.truth - self.mean) ** 2, weights=self.weights)))

    @cached_property
    def mae(self) -> Estimate:
        """The mean absolute error."""
        return Estimate.from_values(np.abs(self.truth - self.mean), self.weights)

    @cached_property
    def r2(self) -> float:
        """The share of the variance of the truth that the means explain; not a number if it does not vary."""
        centre = np.average(self.truth, weights=self.weights)
        variance = float(np.average((self.truth - centre) ** 2, weights=self.weights))
        return 1 - self.rmse**2 / variance if variance > 0 else float("nan")

    @cached_property
    def log_loss(self) -> Estimate:
        """The mean of -log of the normal density with the predicted mean and standard deviation."""
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (self.truth - self.mean) / self.sd
            losses = 0.5 * np.log(2 * np.pi) + np.log(self.sd) + 0.5 * z**2
        certain = np.where(self.truth == self.mean, -np.inf, np.inf)
        return Estimate.from_values(np.where(self.sd > 0, losses, certain), self.weights)

    def coverage(self, level: float = 0.95) -> Estimate:
        """The share of observations inside the central normal interval of a probability, which it should be near."""
        from scipy.special import ndtri

        level = Number(above=0, below=1, example=0.95)("level", level)
        inside = np.abs(self.truth - self.mean) <= ndtri((1 + level) / 2) * self.sd
        return Estimate.from_values(inside.astype(np.float64), self.weights)

    def to_dict(self) -> dict[str, float]:
        """All scores by name."""
        return {
            "rmse": self.rmse,
            "mae": float(self.mae),
            "r2": self.r2,
            "log_loss": float(self.log_loss),
            "coverage_95": float(self.coverage()),
        }

    @property
    def _about(self) -> str:
        left_out = f", without {self.left_out} in which it was set" if self.left_out else ""
        return f"{self.target} on {self.n} observations{left_out}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("root mean squared error", f"{self.rmse:.6g}"),
            ("mean absolute error", str(self.mae)),
            ("R squared", f"{self.r2:.6g}"),
            ("log-loss", str(self.log_loss)),
            ("coverage of 95 % intervals", str(self.coverage())),
        ]

    def _repr_html_(self) -> str:
        return table(("score", "value"), self._rows(), f"prediction of {self._about}")

    def __repr__(self) -> str:
        return f"<NumberScores of {self._about}>\n" + aligned(self._rows())
