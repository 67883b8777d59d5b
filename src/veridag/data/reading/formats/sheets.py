"""Where the table is in a sheet: titles above it, blank rows and columns around it, and notes below are common."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from veridag.data.columns import NUMBER, frozen, listed
from veridag.data.reading.coding import numeric_type
from veridag.data.reading.raw import Numbers, Raw, RawTable, Unusable, field_levels, with_nulls
from veridag.data.reading.rules import Rules
from veridag.data.reading.tidying import counted, named
from veridag.errors import InputError

_ROWS = 200  # looked at to find how many cells a row of the table has
_HEADER = 0.6  # share of them that a header has at least; a title has fewer
_STRAY = 0.1  # share of the rows up to which a column without a name is no column but a remark
_DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?")  # a cell of a date, as a text
_TOTALS = ("total", "totals", "grand total", "sum", "mean", "average")
_LONGEST = 40

Row = list[str]


@dataclass(frozen=True)
class Grid:
    """The rows of a sheet that are not blank, without blank columns, and where each is in the sheet, from 1 on."""

    rows: list[Row]
    lines: list[int]

    @classmethod
    def of(cls, cells: Sequence[Sequence[str | None]]) -> Grid:
        """The cells of a sheet; those that hold only blanks are empty."""
        texts = [["" if cell is None or not cell.strip() else cell for cell in row] for row in cells]
        lines = [line for line, row in enumerate(texts, 1) if any(row)]
        used = [j for j in range(len(texts[0]) if texts else 0) if any(row[j] for row in texts)]
        return cls([[texts[line - 1][j] for j in used] for line in lines], lines)

    @property
    def is_table(self) -> bool:
        """Whether it is more than some words."""
        return len(self.rows) > 1 and len(self.rows[0]) > 1


def read_strictly(grid: Grid, rules: Rules) -> RawTable:
    """The first row has the names, and every other one values."""
    header = grid.rows[0]
    if not all(header):
        raise InputError(
            f"row {grid.lines[0]} is the first that is not blank, and it names {_filled(header)} of {len(header)} "
            f"columns: remove what is above the header or beside the table, and name every column"
        )
    for before, line in pairwise(grid.lines):
        if line > before + 1:
            raise InputError(f"row {before + 1} is blank: remove it")
    return _table(header, grid.rows[1:], rules, ())


def read_carefully(grid: Grid, rules: Rules) -> RawTable:
    """The table is found, and what is left out around it is said."""
    notes: list[str] = []
    counts = sorted(_filled(row) for row in grid.rows[:_ROWS])
    typical = counts[len(counts) // 2]
    numeric = _numeric(grid.rows)
    grid = _without_end(grid, typical, numeric, notes)
    start, last = _header(grid, typical, numeric, rules)
    rows, above = [list(row) for row in grid.rows[last:]], grid.rows[:start]
    upper = above[-1] if above and grid.lines[start] == grid.lines[start - 1] + 1 else None
    if last > start:
        rows[0] = _joined(grid.rows[start], rows[0])
    elif upper is not None and _filled(upper) > 1 and (_fills(upper, rows[0]) or len({*rows[0]}) < len(rows[0])):
        above = above[:-1]
        rows[0] = _joined(upper, rows[0])
    if rows[0] != grid.rows[last]:
        notes.append(f"the header has two rows, which give names such as {_longest(rows[0])!r}")
    if above:
        notes.append(f"skipped {counted(len(above), 'row')} above the header: {_shown(above)}")
    rows = _without_remarks(rows, notes)
    if len(rows) == 1:
        raise InputError("there is a header, but there are no rows")
    names, rows = named(rows, notes)
    return _table(names, rows, rules, tuple(notes))


def _filled(row: Row) -> int:
    return sum(map(bool, row))


def _shown(rows: Sequence[Row]) -> str:
    texts = [next(filter(None, row)) for row in rows]
    return listed([text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..." for text in texts], 3)


def _longest(names: Sequence[str]) -> str:
    return max(names, key=len)


def _numeric(rows: Sequence[Row]) -> list[int]:
    """The columns in which most cells are numbers."""
    columns = [[row[j] for row in rows[:_ROWS] if row[j]] for j in range(len(rows[0]))]
    return [j for j, cells in enumerate(columns) if _numbers(cells) > max(len(cells) / 2, 1)]


def _numbers(cells: Sequence[str]) -> int:
    return sum(NUMBER.fullmatch(cell) is not None for cell in cells)


def _header(grid: Grid, typical: int, numeric: Sequence[int], rules: Rules) -> tuple[int, int]:
    """The first and the last row of the header: the longest with words above numbers, or the first that is long enough.

    A row before a blank one has to be as long as the others: it is more often the last of a title.
    """
    rows = grid.rows
    words = [sum(_is_word(row[j], rules) for j in numeric) for row in rows[:_ROWS]]
    named_numbers = [2 * count >= len(numeric) > 0 for count in words]
    # A number above words is in a title.
    titles = [*named_numbers[1:], False]
    first = next((i for i, title in enumerate(titles) if not title and _numbers([rows[i][j] for j in numeric])), 0)
    if any(named_numbers[:first]):
        start = max((i for i in range(first) if named_numbers[i]), key=lambda i: (_filled(rows[i]), -i))
        units = start + 1 < first and words[start + 1] == len(numeric) > 1
        return start, start + 1 if units or _are_two_rows(rows[start], rows[start + 1], rows[start + 2 :]) else start
    for i, row in enumerate(rows):
        ends = i + 1 < len(rows) and grid.lines[i + 1] > grid.lines[i] + 1
        if _filled(row) >= (typical if ends else max(_HEADER * typical, min(typical, 2))):
            two = len(rows) > i + 2 and _are_two_rows(row, rows[i + 1], rows[i + 2 :])
            return i, i + 1 if two else i
    return 0, 0


def _is_word(cell: str, rules: Rules) -> bool:
    return bool(cell) and cell not in rules.tokens() and not NUMBER.fullmatch(cell)


def _without_end(grid: Grid, typical: int, numeric: Sequence[int], notes: list[str]) -> Grid:
    """Without remarks below the table, and without a last row of totals."""
    last = len(grid.rows)
    short = typical - 1 if numeric else typical // 2
    for gap in [i for i in range(last - 1, 2, -1) if grid.lines[i] > grid.lines[i - 1] + 1]:
        if all(_filled(row) <= short and not _numbers([row[j] for j in numeric]) for row in grid.rows[gap:]):
            last = gap
    while last > 2 and typical > 2 and _is_remark(grid.rows[last - 1], numeric):
        last -= 1
    if last < len(grid.rows):
        left = grid.rows[last:]
        notes.append(f"left out {counted(len(left), 'row')} below the table: {_shown(left)}")
    first = next(filter(None, grid.rows[last - 1]))
    if last > 3 and first.casefold().rstrip(":") in _TOTALS and not any(first in row for row in grid.rows[: last - 1]):
        last -= 1
        notes.append(f"left out the last row, which holds totals: {first!r}")
    return Grid(grid.rows[:last], grid.lines[:last])


def _is_remark(row: Row, numeric: Sequence[int]) -> bool:
    return _filled(row) == 1 and not _numbers([row[j] for j in numeric])


def _fills(upper: Row, lower: Row) -> bool:
    """Whether one row has cells where the other has none."""
    return any(a and not b for a, b in zip(upper, lower, strict=True))


def _are_two_rows(upper: Row, lower: Row, body: Sequence[Row]) -> bool:
    """Whether a header goes on in the next row: cells were merged, so each row has names where the other has none."""
    if all(upper) or not _fills(upper, lower) or not all(a or b for a, b in zip(upper, lower, strict=True)):
        return False
    if any(NUMBER.fullmatch(cell) for cell in lower):
        return False
    return not any(cell and any(row[j] == cell for row in body) for j, cell in enumerate(lower))


def _joined(upper: Row, lower: Row) -> Row:
    """One row of names: a cell of the upper row belongs to all cells below it, up to the next one."""
    names, group = [], ""
    for above, below in zip(upper, lower, strict=True):
        if above or not below:
            group = above if below else ""
        names.append(f"{group} {below}".strip() if below else above)
    return names


def _without_remarks(rows: list[Row], notes: list[str]) -> list[Row]:
    """Without columns that are blank below the header, and those of a few cells without a name."""
    counts = [sum(bool(row[j]) for row in rows[1:]) for j in range(len(rows[0]))]
    kept = [j for j, count in enumerate(counts) if rows[0][j] or count > max(_STRAY * len(rows), 1)]
    stray = sum(count for j, count in enumerate(counts) if j not in kept)
    if stray and kept:
        notes.append(f"left out {counted(stray, 'cell')} beside the table")
    return [[row[j] for j in kept] for row in rows] if kept else rows


def _table(names: Sequence[str], rows: Sequence[Row], rules: Rules, notes: tuple[str, ...]) -> RawTable:
    if not rows:
        raise InputError("there is a header, but there are no rows")
    columns = zip(*rows, strict=True)
    return RawTable([_column(*pair, rules) for pair in zip(names, columns, strict=True)], len(rows), notes)


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
    return Numbers(name, frozen(np.array([float(cell) if cell in present else np.nan for cell in cells])))
