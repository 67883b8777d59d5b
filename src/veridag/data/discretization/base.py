"""The base class of discretization methods."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from veridag.checks import Checked, Integer
from veridag.data.columns import MAX_STATES, Array, Column

#: The inner edges of the bins of a column, increasing; a bin holds its upper edge.
Edges = NDArray[np.float64]

BINS = Integer(2, MAX_STATES)
NO_EDGES: Edges = np.zeros(0)

#: Sums over n observations that differ by no more than n times this are equal: the order of rows changes last digits.
TIE = 1e-9

_MOST_LOOKED_UP = 2**20


class Method(Checked, ABC):
    """A method of discretization: its fields are its settings, and `edges` is what it does."""

    name: ClassVar[str]
    #: Methods of an earlier stage are applied first; later ones see their bins.
    stage: ClassVar[int] = 0

    @abstractmethod
    def edges(self, columns: Mapping[str, Column], chosen: Sequence[str], weights: Array | None) -> dict[str, Edges]:
        """Where to cut each of the chosen columns, which are continuous and have observations; the others may help.

        Edges do not depend on the order of rows or columns, nor on names, and a row of weight w counts as w rows.
        """

    @property
    def words(self) -> str:
        """The method as notes name it."""
        return self.name

    def __str__(self) -> str:
        """The method as it is written in options and arguments: see `parse_method`."""
        first, *others = [(field.name, getattr(self, field.name)) for field in fields(self)]
        said = [str(first[1]), *(f"{name}={value}" for name, value in others)]
        return f"{self.name}({', '.join(said)})"


def counted_values(column: Column, weights: Array | None) -> Array:
    """The observed values, without missing ones and those in rows of weight 0."""
    there, weights = column.present(), column.present_among(weights)
    return there.values if weights is None else there.values[weights > 0]


def n_log_n(counts: Array) -> NDArray[np.float64]:
    """x log x of each count x, and 0 of 0."""
    product: NDArray[np.float64] = counts * np.log(np.maximum(counts, 1))
    return product


def looked_up_n_log_n(total: int) -> Callable[[Array], NDArray[np.float64]]:
    """x log x of counts up to a total: looked up if a table of them is small, which is far quicker."""
    if total > _MOST_LOOKED_UP:
        return n_log_n
    table = n_log_n(np.arange(total + 1))
    return lambda counts: table[counts]
