"""Bins of equal width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from veridag.checks import checked
from veridag.data.columns import Array, Column

from .base import BINS, NO_EDGES, Edges, Method, counted_values


@dataclass(frozen=True)
class Interval(Method):
    """Bins of equal widths from the smallest to the largest value; some may be empty."""

    name: ClassVar[str] = "interval"
    bins: int = field(default=3, metadata=checked(BINS))

    def edges(self, columns: Mapping[str, Column], chosen: Sequence[str], weights: Array | None) -> dict[str, Edges]:
        """The edges of each column by itself."""
        return {name: _edges(counted_values(columns[name], weights), self.bins) for name in chosen}


def _edges(values: Array, bins: int) -> Edges:
    low, high = values.min(), values.max()
    if low == high:
        return NO_EDGES
    width = high / bins - low / bins  # not (high - low) / bins, which may overflow
    edges: Edges = np.unique(np.clip(low + width * np.arange(1, bins), low, np.nextafter(high, low)))
    return edges
