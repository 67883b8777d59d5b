"""The parameters of one variable given its parents: a probability table, or a linear Gaussian."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Table:
    """The distributions of a discrete variable: ``probabilities[j1, ..., jk]`` is the one given its parents' states."""

    parents: tuple[str, ...]
    probabilities: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "parents", tuple(self.parents))
        object.__setattr__(self, "probabilities", _frozen(self.probabilities))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.parents == other.parents and np.array_equal(self.probabilities, other.probabilities)

    def __hash__(self) -> int:
        return hash((self.parents, self.probabilities.tobytes()))


@dataclass(frozen=True, eq=False)
class LinearGaussian:
    """A normal variable with mean ``intercept + coefficients . parents`` and standard deviation `sd`."""

    parents: tuple[str, ...]
    intercept: float
    coefficients: Floats
    sd: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "parents", tuple(self.parents))
        object.__setattr__(self, "intercept", float(self.intercept))
        object.__setattr__(self, "coefficients", _frozen(self.coefficients))
        object.__setattr__(self, "sd", float(self.sd))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearGaussian):
            return NotImplemented
        mine, theirs = (self.parents, self.intercept, self.sd), (other.parents, other.intercept, other.sd)
        return mine == theirs and np.array_equal(self.coefficients, other.coefficients)

    def __hash__(self) -> int:
        return hash((self.parents, self.intercept, self.sd, self.coefficients.tobytes()))


def _frozen(values: ArrayLike) -> Floats:
    array = np.array(values, dtype=np.float64, order="C")
    array.flags.writeable = False
    return array
