"""The parameters of one variable given its parents: a probability table, or regressions with normal errors.

What a whole network needs, and whether its parts fit together, does not belong here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Table:
    """The conditional distributions of a discrete variable.

    Args:
        parents: The parents, in the order of the axes.
        probabilities: ``probabilities[j1, ..., jk]`` is the distribution given the states of the parents; the last axis
            is for the states of the variable.

    See also:
        `Network`, `LinearGaussian`
    """

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
    """A normal variable with mean ``intercept + coefficients . parents`` and standard deviation `sd`.

    Args:
        parents: The parents, all continuous.
        intercept: The mean if all parents are 0.
        coefficients: One coefficient for each parent.
        sd: The standard deviation.

    See also:
        `Network`, `ConditionalGaussian`
    """

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


@dataclass(frozen=True, eq=False)
class ConditionalGaussian:
    """A normal variable with a regression on its continuous parents for each configuration of its discrete ones.

    Given the states d of the discrete parents and the values y of the continuous ones, it has the mean ``intercepts[d]
    + coefficients[d] . y`` and the standard deviation ``sds[d]`` (Lauritzen 1992). A variable without discrete parents
    has a `LinearGaussian`.

    Args:
        discrete: The discrete parents.
        continuous: The continuous parents.
        intercepts: The intercepts, with an axis for each discrete parent, along its states.
        coefficients: The coefficients. They have one more axis, the last, along the continuous parents.
        sds: The standard deviations, in the shape of the intercepts.

    See also:
        `Network`, `LinearGaussian`, docs/mixed.md
    """

    discrete: tuple[str, ...]
    continuous: tuple[str, ...]
    intercepts: Floats
    coefficients: Floats
    sds: Floats

    def __post_init__(self) -> None:
        for names in ("discrete", "continuous"):
            object.__setattr__(self, names, tuple(getattr(self, names)))
        for numbers in ("intercepts", "coefficients", "sds"):
            object.__setattr__(self, numbers, _frozen(getattr(self, numbers)))

    @classmethod
    def of(cls, cpd: LinearGaussian | ConditionalGaussian) -> ConditionalGaussian:
        """The regressions of any continuous variable; those of a `LinearGaussian` have no axes of discrete parents."""
        if isinstance(cpd, ConditionalGaussian):
            return cpd
        return cls((), cpd.parents, np.array(cpd.intercept), cpd.coefficients, np.array(cpd.sd))

    @classmethod
    def from_rows(
        cls, discrete: Sequence[str], continuous: Sequence[str], shape: Sequence[int], rows: ArrayLike
    ) -> ConditionalGaussian:
        """The regressions in a matrix such as `rows` gives; `shape` has the discrete parents' numbers of states."""
        matrix = np.asarray(rows, dtype=np.float64).reshape(*shape, len(continuous) + 2)
        return cls(tuple(discrete), tuple(continuous), matrix[..., 0], matrix[..., 1:-1], matrix[..., -1])

    @property
    def parents(self) -> tuple[str, ...]:
        """The discrete parents, then the continuous ones."""
        return (*self.discrete, *self.continuous)

    @property
    def rows(self) -> Floats:
        """A row for each configuration of the discrete parents, the last fastest: intercept, coefficients, sd."""
        stacked = np.concatenate([self.intercepts[..., None], self.coefficients, self.sds[..., None]], axis=-1)
        return stacked.reshape(-1, stacked.shape[-1])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConditionalGaussian):
            return NotImplemented
        if (self.discrete, self.continuous) != (other.discrete, other.continuous):
            return False
        pairs = [(getattr(self, name), getattr(other, name)) for name in ("intercepts", "coefficients", "sds")]
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    def __hash__(self) -> int:
        return hash((self.parents, self.intercepts.tobytes(), self.coefficients.tobytes(), self.sds.tobytes()))


#: The parameters of a variable.
CPD = Table | LinearGaussian | ConditionalGaussian


def _frozen(values: ArrayLike) -> Floats:
    array = np.array(values, dtype=np.float64, order="C")
    array.flags.writeable = False
    return array
