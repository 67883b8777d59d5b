"""Bins with equal counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from veridag.checks import checked
from veridag.data.columns import Array, Column

from .base import BINS, NO_EDGES, Edges, Method, counted_values


@dataclass(frozen=True)
class Quantile(Method):
    """Bins of about equal counts: edge i is the smallest value that a share of i / bins or more does not exceed.

    Where these coincide, because values are tied, there are fewer bins.
    """

    name: ClassVar[str] = "quantile"
    bins: int = field(default=3, metadata=checked(BINS))

    def edges(self, columns: Mapping[str, Column], chosen: Sequence[str], weights: Array | None) -> dict[str, Edges]:
        """The quantiles of each column by itself."""
        return {name: quantile_edges(columns[name], weights, self.bins) for name in chosen}


def quantile_edges(column: Column, weights: Array | None, bins: int) -> Edges:
    """The inner edges; one at the largest value would leave the last bin empty, so it moves to the next smaller."""
    column, weights = column.present(), column.present_among(weights)
    values, counted = column.values, counted_values(column, weights)
    if not counted.size or counted.min() == counted.max():
        return NO_EDGES
    order = np.argsort(values, kind="stable")
    total = np.cumsum(np.ones(len(values), dtype=np.int64) if weights is None else weights[order])
    # In integers, since 3 * (1 / 3) need not be 1: the smallest row with total * bins >= i * n.
    rank = -(-np.arange(1, bins, dtype=np.int64) * total[-1] // bins)
    at_rank = values[order][np.searchsorted(total, rank, side="left")]
    edges: Edges = np.unique(np.minimum(at_rank, counted[counted < counted.max()].max()))
    return edges
