"""Continuous columns in bins: where the edges lie, and what the bins are called."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from veridag.errors import InputError

from .columns import Array, Column

Method = Literal["quantile", "interval"]
METHODS: tuple[Method, ...] = get_args(Method)


def cut(column: Column, weights: Array | None, bins: int, method: Method) -> tuple[Column, str]:
    """A continuous column in bins, and the note that says how."""
    values = column.values
    counted = values if weights is None else values[weights > 0]
    if not counted.size:
        raise InputError(f"column {column.name!r} has no observations to place edges by")
    if counted.min() == counted.max():
        label = f"{counted[0]:.6g}"
        constant = Column.discrete(column.name, np.zeros(len(values), dtype=np.uint8), (label,), "discretized")
        return constant, f"discretized {column.name!r}: constant, so one state"
    edges = _quantiles(values, weights, bins) if method == "quantile" else _intervals(counted, bins)
    merged = f" ({len(edges) + 1} bins and not {bins}, because of ties)" if len(edges) < bins - 1 else ""
    codes = np.searchsorted(edges, values, side="left")
    note = f"discretized {column.name!r} by {method} at {', '.join(map(repr, edges.tolist()))}{merged}"
    return Column.discrete(column.name, codes, _bin_labels(edges), f"discretized by {method}"), note


def _quantiles(values: Array, weights: Array | None, bins: int) -> Array:
    """The inner edges; one at the largest value would leave the last bin empty, so it moves to the next smaller."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(np.ones(len(values), dtype=np.int64) if weights is None else weights[order])
    # In integers, since 3 * (1 / 3) need not be 1: the smallest row with total * bins >= i * n.
    rank = -(-np.arange(1, bins, dtype=np.int64) * total[-1] // bins)
    at_rank = values[order][np.searchsorted(total, rank, side="left")]
    counted = values if weights is None else values[weights > 0]
    edges: Array = np.unique(np.minimum(at_rank, counted[counted < counted.max()].max()))
    return edges


def _intervals(values: Array, bins: int) -> Array:
    low, high = values.min(), values.max()
    width = high / bins - low / bins  # not (high - low) / bins, which may overflow
    edges: Array = np.unique(np.clip(low + width * np.arange(1, bins), low, np.nextafter(high, low)))
    return edges


def _bin_labels(edges: Array) -> list[str]:
    """Labels with as few digits as tell the edges apart, but no fewer than four."""
    shown = [repr(e) for e in edges.tolist()]
    for digits in range(4, 17):
        short = [f"{e:.{digits}g}" for e in edges]
        if len({float(e) for e in short}) == len(edges):
            shown = short
            break
    inner = [f"({a},{b}]" for a, b in pairwise(shown)]
    return [f"<={shown[0]}", *inner, f">{shown[-1]}"]
