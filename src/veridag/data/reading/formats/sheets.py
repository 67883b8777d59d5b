"""Sheets of workbooks: cells into columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from veridag.data.columns import frozen
from veridag.data.reading.coding import numeric_type
from veridag.data.reading.locating import Grid, Row, filled, locate
from veridag.data.reading.raw import Numbers, Raw, RawTable, Unusable, field_levels, with_nulls
from veridag.data.reading.rules import Rules
from veridag.data.remembering import memory_now
from veridag.errors import InputError

_DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?")  # a cell of a date, as a text


def read_strictly(grid: Grid, rules: Rules) -> RawTable:
    """The first row has the names, and every other one values."""
    header = grid.rows[0]
    if not all(header):
        raise InputError(
            f"row {grid.lines[0]} is the first that is not blank, and it names {filled(header)} of {len(header)} "
            "columns: remove everything above the header and next to the table, and name every column"
        )
    for before, line in pairwise(grid.lines):
        if line > before + 1:
            raise InputError(f"row {before + 1} is blank: remove it")
    return _table(header, grid.rows[1:], rules, ())


def read_carefully(grid: Grid, rules: Rules) -> RawTable:
    """Find the table, and note what is left out around it."""
    names, rows, notes = locate(grid, rules)
    return _table(names, rows, rules, tuple(notes))


def _table(names: Sequence[str], rows: Sequence[Row], rules: Rules, notes: tuple[str, ...]) -> RawTable:
    if not rows:
        raise InputError("there is a header, but there are no rows")
    cells = dict(zip(names, zip(*rows, strict=True), strict=True))
    again = None if memory_now() is None or len(cells) < len(names) else partial(_column_again, cells)
    columns = [_column(*pair, rules) for pair in zip(names, zip(*rows, strict=True), strict=True)]
    return RawTable(columns, len(rows), notes, again=again)


def _column_again(cells: Mapping[str, Sequence[str]], name: str, rules: Rules) -> Raw:
    return _column(name, cells[name], rules)


def _column(name: str, cells: Sequence[str], rules: Rules) -> Raw:
    """Cells are taken as the fields of a text file, but for dates and cells that are true or false."""
    values = {*cells} - {""}
    if values and all(map(_DATE.fullmatch, values)):
        return Unusable(name, "dates", True, lambda: list(cells))
    if values and values <= {"true", "false"}:
        codes = np.fromiter((cell == "true" for cell in cells), dtype=np.uint8, count=len(cells))
        return with_nulls(name, "boolean", ["False", "True"], frozen(codes), np.array([not cell for cell in cells]))
    present = values - {*rules.tokens(name)}
    chosen = rules.kind(name) == "discrete" or name in rules.as_written
    if chosen or numeric_type(present) != "number":
        return field_levels(name, cells)
    # Of decimal numbers nearly all differ, and coding them first would take long.
    numbers = frozen(np.array([float(cell) if cell in present else np.nan for cell in cells]))
    return Numbers(name, numbers, absent_texts=Counter(cell for cell in cells if cell and cell not in present))
