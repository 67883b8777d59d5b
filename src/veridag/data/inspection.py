"""Inspecting a table: how each column is read and why, all problems, and what is done about them."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from veridag.errors import InputError, setting, suggest

from .columns import Array, Column, listed
from .data import Data
from .describe import Description
from .files import Loaded, load
from .missingness import MissingPattern
from .packed import code_counts
from .reading import Finding, notes_of
from .remembering import remembered
from .settings import TableSettings

_MOST_PAIRS = 500  # columns up to which near-duplicates are looked for among all pairs
_MOST_ROWS = 2000  # rows that are compared for that
_ALIKE = 0.99
_SKEWED = 2.0
_MOST_LINES = 40  # columns that are listed one by one
_MOST_ALIKE = 5  # findings of a kind that have a line each
_MANY = 20  # states that are usual


@dataclass(frozen=True)
class Inspection:
    """What `inspect` found in a table. As text, it fits on one screen.

    Attributes:
        source: The name of the file.
        data: The table as it is read with these settings.
        columns: The names of all columns of the file, including those that are left out.
        findings: Everything that was found, in the order of the columns.
        missing: The pattern of missing values, before rows are dropped or missing values become a state. None if it is
            unknown because groups or weights are missing too.
        group: The column that has the groups.
        weights: The column that has the weights.
        targets: The column that has the targets of interventions.

    See also:
        `inspect`, `MissingPattern`, docs/data.md
    """

    source: str
    data: Data
    columns: Sequence[str]
    findings: Sequence[Finding]
    missing: MissingPattern | None = None
    group: str | None = None
    weights: str | None = None
    targets: str | None = None

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns that are not variables."""
        return tuple(name for name in self.columns if name not in self.data.names)

    def counts(self, column: str) -> dict[str, int]:
        """The states of a discrete column, in order, with the number of observations of each."""
        if column not in self.data.names:
            raise InputError(f"column {column!r} is not a variable: {suggest(column, self.data.names)}")
        if self.data.kinds[column] != "discrete":
            raise InputError(f"column {column!r} is continuous, so it has no states to count: name a discrete column")
        own = next(one for one in self.data.columns if one.name == column)
        return dict(zip(own.states, _state_counts(own, self.data.weights), strict=True))

    def states_shown(self, columns: Sequence[str] | None = None) -> str:
        """The states of columns with their counts, one line per column, most frequent first; of all columns if None."""
        discrete = [name for name in self.data.names if self.data.kinds[name] == "discrete"]
        lines = []
        for name in discrete if columns is None else columns:
            counts = sorted(self.counts(name).items(), key=lambda item: -item[1])
            lines.append(f"{name}: {len(counts)} states")
            width = len(str(counts[0][1]))
            lines += [f"  {count:>{width}}  {state}" for state, count in counts]
        return "\n".join(lines)

    def to_json(self) -> str:
        """The inspection as JSON. `counts` has the number of observations of each state of discrete columns."""
        described = {row["name"]: dict(row) for row in self.data.describe().rows}
        for name, row in described.items():
            if row["kind"] == "discrete":
                row["counts"] = self.counts(name)
        facts = {
            "source": self.source,
            "rows": self.data.nrows,
            "columns": [described.get(name, {"name": name, "kind": None}) for name in self._all_columns],
            "findings": [vars(finding) for finding in self.findings],
            "notes": list(self.data.notes),
            "missing": None if self._gaps is None else self._gaps.to_dict(),
        }
        return json.dumps(facts, indent=1, ensure_ascii=False)

    @property
    def _all_columns(self) -> tuple[str, ...]:
        """The columns of the file, and those that were added."""
        return (*self.columns, *(name for name in self.data.names if name not in self.columns))

    @property
    def _gaps(self) -> MissingPattern | None:
        """What is missing, if anything is."""
        return self.missing if self.missing is not None and self.missing.variables else None

    def _rows(self) -> list[tuple[str, ...]]:
        """A line for each column, including those left out; as many as fit on a screen."""
        head, *described = self.data.describe().cells()
        taken = {cells[0]: cells for cells in described}
        missing = ("",) * head.count("missing")
        why = {f.column: f.problem for f in self.findings if f.done == "left out"}
        roles = {self.targets: "targets", self.group: "group", self.weights: "weights"}
        rows: list[tuple[str, ...]] = [("name", "kind", *head[2:-1], "reason")]
        for name in self._all_columns[:_MOST_LINES]:
            role = roles.get(name)
            reason = why.get(name, setting("drop" if role is None else role))
            rows.append(taken.get(name, (name, role or "left out", "", "", *missing, reason)))
        return rows

    def _kinds(self) -> str:
        counts: Counter[str] = Counter(self.data.kinds.values())
        counts["left out"] = len(self.left_out)
        return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)

    @property
    def other_notes(self) -> tuple[str, ...]:
        """Changes that no finding describes."""
        told = notes_of(self.findings)
        return tuple(note for note in self.data.notes if note not in told)

    def __str__(self) -> str:
        rows = self._rows()
        widths = [min(max(len(row[j]) for row in rows), 40) for j in range(len(rows[0]))]
        lines = [f"{self.source}: {self.data!r}"]
        lines += ["  ".join(f"{_short(v):<{w}}" for v, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        if len(self._all_columns) > _MOST_LINES:
            more = len(self._all_columns) - _MOST_LINES
            lines.append(f"and {more} more column{'' if more == 1 else 's'}, of {self._kinds()} in all")
        if self.findings:
            lines.append("problems in the columns:")
        lines += [f"  {line}" for line in _together(self.findings)]
        if rest := self.other_notes:
            lines.append("and changes to the table:")
        lines += [f"  {note}" for note in rest]
        if self._gaps is not None:
            lines.append(self._gaps.brief())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        table = Description(self.data.describe().rows, repr(self.data), ())._repr_html_()
        items = "".join(f"<li>{html.escape(line)}</li>" for line in _together(self.findings))
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.other_notes)
        missing = "" if self._gaps is None else self._gaps._repr_html_()
        return (
            f"{table}<p>Problems in the columns:</p><ul>{items}</ul><p>Changes to the "
            f"table:</p><ul>{notes}</ul>{missing}"
        )


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


def _found(finding: Finding, several: bool = False) -> str:
    """A finding and the option that changes it; of several columns it is the option for the first."""
    if not finding.change:
        return str(finding)
    lead = "to change that" if finding.done else "proposed"
    return f"{finding} ({lead}{', for example' if several else ''}: {finding.change})"


def _together(findings: Sequence[Finding]) -> list[str]:
    """A line for each finding; where many columns have the same problem, one for all of them."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.problem, finding.done), []).append(finding)
    lines = []
    for (problem, done), members in groups.items():
        if len(members) <= _MOST_ALIKE:
            lines += [_found(member) for member in members]
            continue
        named = Finding(
            "", f"{problem}: {listed([m.column for m in members], _MOST_ALIKE)}", "", done, members[0].change
        )
        lines.append(_found(named, several=True))
    return lines


def inspect(
    path: str | Path | BinaryIO, settings: TableSettings | None = None, *, beside: bool = True, pattern: bool = True
) -> Inspection:
    """Check a table for problems: list every problem of every column, as `read` with ``strict=False`` sees it.

    Args:
        path: The file, or an open binary stream.
        settings: How to read the table; the settings of ``strict=False`` if None.
        beside: Whether settings stored next to the table apply where `settings` gives none.
        pattern: Whether to analyse how missing values depend on other columns. That takes most of the time if many
            values are missing. With False, `missing` of the result is None.

    See also:
        `read`, `TableSettings`, docs/data.md
    """
    loaded = load(path, TableSettings(strict=False) if settings is None else settings, beside=beside)
    found = [*loaded.findings, *_of_columns(loaded.data), *_duplicates(loaded.data)]
    order = {name: position for position, name in enumerate(loaded.columns)}
    found.sort(key=lambda finding: order.get(finding.column, -1))
    source = str(path) if isinstance(path, str | Path) else str(getattr(path, "name", "stream"))
    return Inspection(
        source,
        _with_what_follows(loaded),
        loaded.columns,
        tuple(found),
        loaded.missing_pattern() if pattern else None,
        loaded.rules.group,
        loaded.rules.weight_column,
        loaded.rules.target_column,
    )


def _with_what_follows(loaded: Loaded) -> Data:
    """The data, with a note on what is done to it after reading."""
    data, later = loaded.data, loaded.later
    if later is None:
        return data
    names = [v for v in data.names if data.kinds[v] == "continuous"] if isinstance(later, str) else later
    note = f"discretized by blanket, alternating with learning, when a command uses it: {listed(names)}"
    return replace(data, notes=(*data.notes, note))


def _of_columns(data: Data) -> list[Finding]:
    """What is to be said of single columns that is no reason to change them."""
    found = [_of_column(column, data.n, data.weights) for column in data.columns if not column.indicates]
    return [finding for finding in found if finding is not None]


@remembered
def _of_column(column: Column, n: int, weights: Array | None) -> Finding | None:
    if column.is_constant():
        return Finding(column.name, "constant", "", "", setting("drop", [column.name]))
    if column.kind == "discrete" and len(column.states) > max(_MANY, n / 10):
        change = setting("merge_rare", {column.name: _least_common(column, weights)})
        return Finding(column.name, "many states", f"{len(column.states)} in {n} rows", "", change)
    if column.kind == "continuous" and abs(skew := _skewness(column.present().values)) > _SKEWED:
        method = "log" if skew > 0 and column.present().values.min() > 0 else "rank"
        change = setting("transform", {column.name: method})
        return Finding(column.name, "skewed", f"skewness {skew:.1f}", "", change)
    return None


@remembered
def _state_counts(column: Column, weights: Array | None) -> list[int]:
    """How many observations each state of a discrete column has."""
    there, counted = column.present(), column.present_among(weights)
    return list(map(int, code_counts(there.values, len(column.states), counted)))


def _least_common(column: Column, weights: Array | None) -> int:
    """A number of observations that no more than a few states have."""
    there, weights = column.present(), column.present_among(weights)
    counts = np.sort(np.bincount(there.values, weights=weights, minlength=len(column.states)))[::-1]
    return max(5, int(counts[_MANY - 1]) + 1)


def _skewness(values: Array) -> float:
    centred = values - values.mean()
    spread = float((centred**2).mean())
    return float((centred**3).mean()) / spread**1.5 if spread > 0 else 0.0


def _duplicates(data: Data) -> list[Finding]:
    """Columns that say the same as an earlier one, under whatever names of states; only complete ones are compared."""
    seen: dict[bytes, str] = {}
    found, distinct = [], []
    for column in data.columns:
        if column.is_constant() or column.observed is not None or column.indicates:
            continue
        key = _pattern(column)
        if key in seen:
            evidence = f"it determines and is determined by {seen[key]!r}"
            found.append(Finding(column.name, "duplicate", evidence, "", setting("drop", [column.name])))
        else:
            seen[key] = column.name
            distinct.append(column)
    if len(distinct) <= _MOST_PAIRS:
        found += _near_duplicates(distinct)
    return found


@remembered
def _pattern(column: Column) -> bytes:
    """What is the same for two columns that determine each other: values numbered as they first appear."""
    if column.kind == "continuous":
        return b"c" + column.values.tobytes()
    _, first, codes = np.unique(column.values, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return b"d" + rank[codes].astype(np.uint16).tobytes()


def _near_duplicates(columns: Sequence[Column]) -> list[Finding]:
    """Columns that agree with an earlier one in at least 99 of 100 rows, or correlate as much."""
    found = []
    named: set[str] = set()
    for position, later in enumerate(columns):
        for earlier in columns[:position]:
            if later.kind != earlier.kind or later.name in named or earlier.name in named:
                continue
            share = _likeness(earlier, later)
            if share >= _ALIKE:
                named.add(later.name)
                evidence = f"{share:.1%} like {earlier.name!r}"
                found.append(Finding(later.name, "near-duplicate", evidence, "", setting("drop", [later.name])))
    return found


@remembered
def _likeness(a: Column, b: Column) -> float:
    """How much two columns of one kind tell of each other."""
    return _correlation(a, b) if a.kind == "continuous" else _agreement(a, b)


def _correlation(a: Column, b: Column) -> float:
    return abs(float(np.corrcoef(a.values[:_MOST_ROWS], b.values[:_MOST_ROWS])[0, 1]))


def _agreement(a: Column, b: Column) -> float:
    """The share of rows in which the state of the one tells that of the other, beyond the commonest state alone."""
    if len(a.states) != len(b.states):
        return 0.0
    x, y = a.values[:_MOST_ROWS].astype(np.int64), b.values[:_MOST_ROWS].astype(np.int64)
    counts = np.bincount(x * len(b.states) + y, minlength=len(a.states) ** 2).reshape(len(a.states), -1)
    commonest = counts.sum(axis=0).max()
    told = counts.max(axis=1).sum()
    return float((told - commonest) / (len(x) - commonest)) if len(x) > commonest else 0.0
