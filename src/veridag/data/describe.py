"""Descriptions of data, variable by variable: numbers, aligned text and a small HTML table."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .columns import Array, Column
from .completeness import missing_in
from .packed import code_counts
from .remembering import remembered


@dataclass(frozen=True)
class Description:
    """The description of a table that `Data.describe` returns; as text, an aligned table.

    Attributes:
        rows: A mapping for each variable, with its kind, its states or range, and the rule that decided.
        heading: The first line of the text.
        notes: What was done to the data since it was read.

    See also:
        `Data.describe`, docs/data.md
    """

    rows: Sequence[Mapping[str, Any]]
    heading: str
    notes: tuple[str, ...]

    def cells(self) -> list[tuple[str, ...]]:
        """The cells of the table as text, with the headings first."""
        incomplete = any("missing" in r for r in self.rows)
        body = [
            (r["name"], r["kind"], _states_shown(r), _range_shown(r), *_missing_shown(r, incomplete), r["rule"])
            for r in self.rows
        ]
        missing = ("missing",) if incomplete else ()
        return [("name", "kind", "states", "commonest or range", *missing, "rule"), *body]

    def __str__(self) -> str:
        cells = self.cells()
        widths = [max(len(row[j]) for row in cells) for j in range(len(cells[0]))]
        lines = ["  ".join(f"{v:<{w}}" for v, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        return "\n".join([self.heading, *lines, *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        head, *body = self.cells()
        rows = ["".join(f"<td>{html.escape(v)}</td>" for v in row) for row in body[:20]]
        more = f"<p>and {len(body) - 20} more variables</p>" if len(body) > 20 else ""
        table = "".join(f"<tr>{row}</tr>" for row in ["".join(f"<th>{v}</th>" for v in head), *rows])
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        done = f"<p>Changes to the table:</p><ul>{notes}</ul>" if notes else ""
        return f"<p>{html.escape(self.heading)}</p><table>{table}</table>{more}{done}"


@remembered
def described(column: Column, weights: Array | None) -> dict[str, Any]:
    """The facts about one variable by name, as `Description.rows` has them."""
    row: dict[str, Any] = {"name": column.name, "kind": column.kind}
    there, counted = column.present(), column.present_among(weights)
    row |= _state_summary(there, counted) if column.kind == "discrete" else _number_summary(there.values, counted)
    if column.observed is not None:
        row["missing"] = missing_in(column, weights)
    return row | {"rule": column.reason}


def _state_summary(column: Column, weights: Array | None) -> dict[str, Any]:
    counts = code_counts(column.values, len(column.states), weights)
    top, total = int(counts.argmax()), counts.sum()
    share = float(counts[top] / total) if total else float("nan")
    observed = int(np.count_nonzero(counts))
    summary = {"states": len(column.states), "observed": observed, "commonest": column.states[top], "share": share}
    return {**summary, "edges": list(column.edges)} if column.edges else summary


def _number_summary(values: Array, weights: Array | None) -> dict[str, Any]:
    w = np.ones(len(values)) if weights is None else weights
    n, x = w.sum(), values[w > 0]
    if not n:
        return dict.fromkeys(("mean", "sd", "min", "max"), float("nan"))
    mean = float(w @ values / n)
    sd = float(np.sqrt(w @ (values - mean) ** 2 / (n - 1))) if n > 1 else float("nan")
    return {"mean": mean, "sd": sd, "min": float(x.min()), "max": float(x.max())}


def _states_shown(row: Mapping[str, Any]) -> str:
    if row["kind"] == "continuous":
        return ""
    return f"{row['states']}" if row["observed"] == row["states"] else f"{row['states']} ({row['observed']} observed)"


def _missing_shown(row: Mapping[str, Any], incomplete: bool) -> tuple[str, ...]:
    """How many values are missing, in a table where any are."""
    return (str(row.get("missing", "")),) if incomplete else ()


def _range_shown(row: Mapping[str, Any]) -> str:
    if row["kind"] == "discrete":
        return f"{row['commonest']} {row['share']:.1%}"
    return f"mean {row['mean']:.4g}, sd {row['sd']:.4g}, {row['min']:.4g} to {row['max']:.4g}"
