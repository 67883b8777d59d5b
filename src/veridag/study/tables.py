"""The results of a study as a table: a line a measured row, with the settings of its cell and how it went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from veridag.display import plain_cell
from veridag.files.writing import write_bytes

from .kind import Settings, Value
from .plan import Plan, shown
from .store import Record, Store

#: The columns that say how a cell went.
ENDING = ("status", "error", "calls_of_cell", "seconds_of_cell", "started", "version")

#: How many characters of a key are in a compact table.
SHORT_KEY = 16

#: Columns, besides those that start with "seconds", in which a study that is run again may differ.
TIMING = ("started", "version")


@dataclass(frozen=True)
class Table:
    """Lines of values by column, each of the type that was measured; a value that is not there is None."""

    columns: tuple[str, ...]
    lines: tuple[Mapping[str, Value], ...]

    @property
    def frame(self) -> pl.DataFrame:
        """As a data frame, in which a column has one type."""
        return pl.DataFrame({c: _column(line.get(c) for line in self.lines) for c in self.columns}, strict=False)


def results(plan: Plan, store: Store, *, only_done: bool = False) -> pl.DataFrame:
    """The rows of all cells that are over, in the order of the plan; a cell without rows has one with its settings.

    Columns are the key, the settings, what was measured, and status, error, calls of the cell, version, start and
    seconds.
    """
    return _table(plan, store, {}, only_done=only_done).frame


def exported(plan: Plan, store: Store) -> Table:
    """What `results` has, with the names that the study file gives to cells: their `Kind.labels`."""
    return _table(plan, store, _labels(plan))


def compact(plan: Plan, store: Store) -> Table:
    """The finished cells in few columns, from which `resuming.read_cells` has them again.

    It is the same whenever the study is run: columns of seconds are empty. Keys have half of their characters, which
    is enough to tell cells apart. Settings are left out that are paths, that are the same for all cells, or that
    follow from the labels.
    """
    labels = _labels(plan)
    table = _table(plan, store, labels, only_done=True)
    settings = {name for cell in plan.cells for name in cell.settings}
    left_out = {*ENDING, *_implied(plan, settings, labels)} - {"version"}
    no_time = {name: None for name in table.columns if name.startswith("seconds") and name not in settings}
    lines = ({**line, "key": str(line["key"])[:SHORT_KEY], **no_time} for line in table.lines)
    return Table(tuple(c for c in table.columns if c not in left_out), tuple(lines))


def spreadsheet_csv(table: pl.DataFrame) -> str:
    """The table as CSV in which no text is a formula; see `veridag.display.plain_cell`."""
    text = pl.col(pl.String).map_elements(plain_cell, return_dtype=pl.String)
    return table.with_columns(text).rename(lambda name: str(plain_cell(name))).write_csv()


def write_parquet(table: pl.DataFrame, path: str | Path) -> None:
    """Write the table as Parquet, whole or not at all; polars has an error of its own for a full disk."""
    content = BytesIO()
    table.write_parquet(content)
    write_bytes(path, content.getvalue())


def _table(plan: Plan, store: Store, labels: Mapping[str, Mapping[str, str]], *, only_done: bool = False) -> Table:
    records = store.records()
    over = [cell for cell in plan.cells if cell.key in records]
    cells = [cell for cell in over if not only_done or records[cell.key].status == "done"]
    settings = {cell.key: _shown(cell.settings) for cell in cells}
    lines: list[Mapping[str, Value]] = []
    measured: dict[str, None] = {}
    for key, rows in store.rows(settings):
        head = {"key": key, **labels.get(key, {}), **settings[key]}
        for row in rows or ([] if only_done else [{}]):
            measured.update(dict.fromkeys(row))
            lines.append({**head, **row, **_ending(records[key])})
    heads = [name for own in (*labels.values(), *settings.values()) for name in own]
    columns = dict.fromkeys(("key", *heads, *measured, *ENDING)) if lines else {}
    return Table(tuple(columns), tuple(lines))


def _shown(settings: Settings) -> dict[str, Value]:
    return {name: shown(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def _labels(plan: Plan) -> dict[str, dict[str, str]]:
    """The labels of each cell by its key; one that several parts ask for has those of all, in their order."""
    found: dict[str, dict[str, str]] = {}
    for settings, names in plan.kind.labels(plan.spec):
        own = found.setdefault(plan.key(settings), {})
        for name, text in names.items():
            own[name] = f"{own[name]}; {text}" if name in own else text
    return found


def _implied(plan: Plan, settings: Iterable[str], labels: Mapping[str, Mapping[str, str]]) -> set[str]:
    """The settings that a compact table leaves out."""
    values: dict[tuple[str, ...], dict[str, set[object]]] = {}
    for cell in plan.cells:
        found = values.setdefault(tuple(labels.get(cell.key, {}).values()), {})
        for name in settings:
            found.setdefault(name, set()).add(cell.settings.get(name))
    paths = {name for name in settings if name == "path" or name.startswith("path_")}
    return paths | {name for name in settings if all(len(found[name]) == 1 for found in values.values())}


def _ending(record: Record) -> dict[str, Any]:
    return {
        "status": record.status,
        "error": record.error,
        "calls_of_cell": record.calls,
        "seconds_of_cell": record.seconds,
        "started": datetime.fromtimestamp(record.started, UTC).isoformat(timespec="milliseconds"),
        "version": record.version,
    }


def _column(values: Iterable[Any]) -> list[Any]:
    """Values of one type: integers beside others become floats, anything beside text becomes text."""
    found = list(values)
    kinds = {type(value) for value in found if value is not None}
    if len(kinds) < 2:
        return found
    if kinds <= {int, float}:
        return [None if value is None else float(value) for value in found]
    return [None if value is None else str(value) for value in found]
