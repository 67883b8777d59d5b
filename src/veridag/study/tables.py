"""The results of a study as a table: a line a measured row, with the settings of its cell and how it went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from veridag.display import plain_cell
from veridag.files.writing import write_bytes

from .plan import Cell, Plan
from .store import Record, Store

#: Columns, besides those that start with "seconds", in which a study that is run again may differ.
TIMING = ("started", "version")


def results(plan: Plan, store: Store, *, only_done: bool = False) -> pl.DataFrame:
    """The rows of all cells that are over, in the order of the plan; a cell without rows has one with its settings.

    Columns are the key, the settings, what was measured, and status, error, calls of the cell, version, start and
    seconds.
    """
    records = store.records()
    over = [cell for cell in plan.cells if cell.key in records]
    cells = [cell for cell in over if not only_done or records[cell.key].status == "done"]
    return _frame(list(_lines(cells, records, store, bare=not only_done)))


def spreadsheet_csv(table: pl.DataFrame) -> str:
    """The table as CSV in which no text is a formula; see `veridag.display.plain_cell`."""
    text = pl.col(pl.String).map_elements(plain_cell, return_dtype=pl.String)
    return table.with_columns(text).rename(lambda name: str(plain_cell(name))).write_csv()


def write_parquet(table: pl.DataFrame, path: str | Path) -> None:
    """Write the table as Parquet, whole or not at all; polars has an error of its own for a full disk."""
    content = BytesIO()
    table.write_parquet(content)
    write_bytes(path, content.getvalue())


def _lines(cells: list[Cell], records: Mapping[str, Record], store: Store, bare: bool) -> Iterator[dict[str, Any]]:
    settings = {cell.key: cell.settings for cell in cells}
    for key, rows in store.rows(settings):
        shown = {name: "; ".join(v) if isinstance(v, tuple) else v for name, v in settings[key].items()}
        record = records[key]
        for row in rows or ([{}] if bare else []):
            yield {"key": key, **shown, **row, **_ending(record)}


def _ending(record: Record) -> dict[str, Any]:
    return {
        "status": record.status,
        "error": record.error,
        "calls_of_cell": record.calls,
        "seconds_of_cell": record.seconds,
        "started": datetime.fromtimestamp(record.started, UTC).isoformat(timespec="milliseconds"),
        "version": record.version,
    }


def _frame(lines: list[dict[str, Any]]) -> pl.DataFrame:
    names: dict[str, None] = {}
    for line in lines:
        names.update(dict.fromkeys(line))
    last = [name for name in _ENDING if name in names]
    columns = [name for name in names if name not in last] + last
    return pl.DataFrame({name: _column(line.get(name) for line in lines) for name in columns}, strict=False)


_ENDING = ("status", "error", "calls_of_cell", "seconds_of_cell", "started", "version")


def _column(values: Iterable[Any]) -> list[Any]:
    """Values of one type: integers beside others become floats, anything beside text becomes text."""
    found = list(values)
    kinds = {type(value) for value in found if value is not None}
    if len(kinds) < 2:
        return found
    if kinds <= {int, float}:
        return [None if value is None else float(value) for value in found]
    return [None if value is None else str(value) for value in found]
