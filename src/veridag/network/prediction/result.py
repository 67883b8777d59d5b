"""`Prediction`: what a network says about one variable in each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from veridag.display import ROWS, aligned, more, table
from veridag.errors import import_optional

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

#: States whose probabilities differ by less than this share are equally probable, and the first is predicted.
TIE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Prediction:
    """The distribution of a variable in each row, given the other values of the row.

    `values` are the most probable states of a discrete target (the first of equally probable ones), or the means of a
    continuous one.

    Attributes:
        target: The variable.
        states: Its states; empty for a continuous target.
        probabilities: ``probabilities[i, k]`` is the probability of ``states[k]`` in row i; no columns for a continuous
            target.
        mean: The means of a continuous target.
        sd: Its standard deviations.

    See also:
        `Network.predict`, `evaluate_prediction`, docs/prediction.md
    """

    target: str
    states: tuple[str, ...]
    probabilities: Floats
    mean: Floats
    sd: Floats

    def __post_init__(self) -> None:
        for array in (self.probabilities, self.mean, self.sd):
            array.flags.writeable = False

    @classmethod
    def of_states(cls, target: str, states: tuple[str, ...], probabilities: Floats) -> Prediction:
        """The prediction of a discrete target."""
        return cls(target, states, probabilities, np.empty(0), np.empty(0))

    @classmethod
    def of_numbers(cls, target: str, mean: Floats, sd: Floats) -> Prediction:
        """The prediction of a continuous target."""
        return cls(target, (), np.empty((len(mean), 0)), mean, sd)

    @property
    def is_discrete(self) -> bool:
        """Whether the target has states."""
        return bool(self.states)

    @property
    def codes(self) -> NDArray[np.intp]:
        """The number of the most probable state in each row."""
        highest = self.probabilities.max(axis=1, keepdims=True)
        return np.asarray((self.probabilities >= highest * (1 - TIE)).argmax(axis=1))

    @property
    def values(self) -> NDArray[Any]:
        """The most probable state of each row, or the mean."""
        return np.array(self.states, dtype=object)[self.codes] if self.is_discrete else self.mean

    def __len__(self) -> int:
        return len(self.probabilities)

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """The columns of a table: the prediction, and the probability of each state or the standard deviation."""
        name = f"predicted {self.target}"
        if not self.is_discrete:
            return {name: self.mean, f"sd of {self.target}": self.sd}
        return {name: self.values} | {
            f"P({self.target} = {state})": self.probabilities[:, k] for k, state in enumerate(self.states)
        }

    def to_pandas(self) -> pd.DataFrame:
        """A row for every row of the data, with the columns of `to_dict`."""
        return import_optional("pandas", "to_pandas").DataFrame(self.to_dict())

    def _rows(self) -> list[tuple[str, ...]]:
        columns = [values[:ROWS].tolist() for values in self.to_dict().values()]
        return [tuple(x if isinstance(x, str) else f"{x:.6g}" for x in row) for row in zip(*columns, strict=True)]

    def _repr_html_(self) -> str:
        return table(tuple(self.to_dict()), self._rows(), f"{self.target} given the rest of each row") + more(len(self))

    def __repr__(self) -> str:
        left = f"\n... and {len(self) - ROWS} more" if len(self) > ROWS else ""
        return (
            f"<Prediction of {self.target} in {len(self)} rows>\n"
            + aligned([tuple(self.to_dict()), *self._rows()])
            + left
        )
