"""The rows from which effects are estimated: complete, the same ones together, and resampled by their weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.data.columns import Array, listed
from veridag.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Different rows of some variables, each with the number of observations it stands for.

    The rows are in an order that follows from their values, so that the same seed draws the same bootstrap samples
    whatever the order of the rows, and whether observations that are the same are one row or several.
    """

    columns: Mapping[str, Array]
    states: Mapping[str, tuple[str, ...]]  # of the discrete variables
    weights: Floats
    group: Array  # within which rows are resampled
    notes: tuple[str, ...]

    @classmethod
    def of(cls, data: Data, names: Iterable[str], unset: Sequence[str] = ()) -> Self:
        """The observations in which all these variables have a value, and none of `unset` was set by intervention."""
        names = sorted(set(names))
        data, notes = _without_set(data, unset)
        part = data.where_observed(names)
        if not part.nrows or not part.n:
            raise InputError(
                f"data: no row has values of all of {', '.join(names)}, which the effect is estimated from"
            )
        if part.n < data.n:
            notes = (
                *notes,
                f"uses the {part.n} of {data.n} observations in which {', '.join(names)} are all observed",
            )
        group = np.zeros(part.nrows, np.intp) if part.group is None else np.asarray(part.group, np.intp)
        keys = [*(part.column(name) for name in names), group]
        order = np.lexsort(keys)
        new = np.zeros(part.nrows, bool)
        new[0] = True
        for key in keys:
            new[1:] |= key[order][1:] != key[order][:-1]
        weights = np.ones(part.nrows) if part.weights is None else part.weights.astype(np.float64)
        total = np.bincount(np.cumsum(new) - 1, weights[order]).astype(np.float64)
        kept = order[new][total > 0]
        columns = {name: part.column(name)[kept] for name in names}
        states = {name: data.states[name] for name in names if name in data.states}
        return cls(columns, states, total[total > 0], group[kept], notes)

    @property
    def n(self) -> int:
        """The number of observations."""
        return int(self.weights.sum())

    def resampled(self, seed: np.random.SeedSequence) -> Floats:
        """The weights of a bootstrap sample: as many observations as there are, within each group."""
        generator, drawn = np.random.default_rng(seed), np.zeros_like(self.weights)
        for code in np.unique(self.group):
            own = np.flatnonzero(self.group == code)
            n = self.weights[own].sum()
            drawn[own] = generator.multinomial(int(n), self.weights[own] / n)
        return drawn


def _without_set(data: Data, names: Sequence[str]) -> tuple[Data, tuple[str, ...]]:
    """The rows in which none of these variables was set, with a note if some were."""
    left = data.not_set(names)
    if left.n == data.n:
        return left, ()
    shown = listed(tuple(names))
    if not left.n:
        raise InputError(
            f"data: {shown} was set in every row, or one of them, and the effect depends on how it comes about: add "
            "rows in which nothing but x was set"
        )
    return left, (f"uses the {left.n} of {data.n} observations in which {shown} was not set",)
