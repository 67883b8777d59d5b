"""From edges to discrete columns, and the notes that say how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from veridag.data.columns import Array, Column
from veridag.errors import InputError

from .base import Edges, Method, counted_values
from .labels import bin_labels, constant_label, shown_edges


def discretized(
    columns: Mapping[str, Column], weights: Array | None, methods: Mapping[str, Method]
) -> tuple[dict[str, Column], list[str]]:
    """All columns, those that have a method cut by it; and a note for each of these."""
    result, notes = dict(columns), {}
    require_observations(columns, weights, methods)
    by_method: dict[Method, list[str]] = {}
    for name, method in methods.items():
        by_method.setdefault(method, []).append(name)
    for stage in sorted({method.stage for method in by_method}):
        # Methods of one stage all see the columns as they were before it, so that their order does not matter.
        found = [(m, m.edges(result, names, weights)) for m, names in by_method.items() if m.stage == stage]
        for method, edges in found:
            for name in edges:
                result[name], notes[name] = cut(columns[name], weights, edges[name], method)
    return result, [notes[name] for name in methods]


def require_observations(columns: Mapping[str, Column], weights: Array | None, names: Iterable[str]) -> None:
    """Raise an error for a column that has none, and so no edges."""
    for name in names:
        if not counted_values(columns[name], weights).size:
            raise InputError(f"column {name!r} has no observations, so it cannot be discretized: leave it out")


def cut(column: Column, weights: Array | None, edges: Edges, method: Method) -> tuple[Column, str]:
    """A continuous column cut at these edges, and the note that says how they were found; missing values stay so."""
    if column.observed is not None:
        there, note = cut(column.present(), column.present_among(weights), edges, method)
        return there.spread_over(column.observed), note
    counted = counted_values(column, weights)
    if counted.min() == counted.max():
        states = (constant_label(float(counted[0])),)
        constant = Column.discrete(column.name, np.zeros(len(column.values), np.uint8), states, "discretized")
        return constant, f"discretized {column.name!r}: constant, so one state"
    codes = np.searchsorted(edges, column.values, side="left")
    if not len(edges):
        note = f"discretized {column.name!r} by {method.words}: no cut improves the criterion, so one state"
        return Column.discrete(column.name, codes, bin_labels(edges), f"cut nowhere, by {method.words}"), note
    wanted = getattr(method, "bins", 0)
    fewer = f" ({len(edges) + 1} bins and not {wanted}, because of ties)" if len(edges) < wanted - 1 else ""
    places = ", ".join(shown_edges(edges))
    note = f"discretized {column.name!r} by {method.words} at {places}{fewer}"
    reason = f"cut at {places} by {method.words}"
    return Column.discrete(column.name, codes, bin_labels(edges), reason, edges.tolist()), note
