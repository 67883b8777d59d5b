"""Bins by the Markov blanket (Friedman and Goldszmidt 1996): the settings; `veridag.trust.discretizing` does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from veridag.checks import Integer, checked
from veridag.data.columns import Array, Column
from veridag.errors import InputError

from .base import BINS, Edges, Method


@dataclass(frozen=True)
class Blanket(Method):
    """Bins that describe a column and its Markov blanket best, found in turns with the network.

    - ``most``: the most bins of a column. More show an effect in detail; learners find more edges with three.
    - ``candidates``: edges are chosen among those of so many bins of equal counts.
    - ``rounds``: how many networks are learned at most.
    """

    name: ClassVar[str] = "blanket"
    most: int = field(default=3, metadata=checked(BINS))
    candidates: int = field(default=100, metadata=checked(BINS))
    rounds: int = field(default=20, metadata=checked(Integer(1)))

    def __str__(self) -> str:
        return "blanket" if self == Blanket() else super().__str__()

    def edges(self, columns: Mapping[str, Column], chosen: Sequence[str], weights: Array | None) -> dict[str, Edges]:
        """Refused: it takes learning, which data knows nothing of."""
        raise InputError(
            "blanket learns networks, so Data.discretize cannot use it: use veridag.discretize(data, 'blanket')"
        )
