"""Where the table is in a sheet or a text file: titles above it, blank rows around it, and notes below are common."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from veridag.data.columns import NUMBER, listed
from veridag.errors import InputError

from .header import counted, named
from .rules import Rules

_ROWS = 200  # looked at to find how many cells a row of the table has
_HEADER = 0.6  # share of them that a header has at least; a title has fewer
_STRAY = 0.1  # share of the rows up to which a column without a name is no column but a remark
_NUMERAL = re.compile(rf"{NUMBER.pattern}|[+-]?[0-9]+(?:[.,' \u00a0][0-9]+)*\s?%?")
_TOTALS = """
total | totals | grand total | subtotal | sum | sums | mean | average | avg | overall | summe | gesamt |
gesamtsumme | insgesamt | mittelwert | durchschnitt | somme | total général | moyenne | ensemble | totale |
somma | media | suma | total general | promedio | totaal | som | gemiddelde | ogółem | razem | średnia | soma |
total geral | média | totalt | summa | i alt | yhteensä | keskiarvo | celkem | součet | összesen | toplam |
итого | всего | сумма | среднее | σύνολο | 合計 | 总计 | 合计 | 總計 | 小計 | 平均 | 합계 | 평균
"""  # as the first cell of a last row
_LONGEST = 40

Row = list[str]


@dataclass(frozen=True)
class Grid:
    """The rows of a sheet that are not blank, without blank columns, and where each is in the sheet, from 1 on."""

    rows: list[Row]
    lines: list[int]

    @classmethod
    def of(cls, cells: Sequence[Sequence[str | None]]) -> Grid:
        """The cells of a sheet; those with only spaces are empty."""
        texts = [["" if cell is None or not cell.strip() else cell for cell in row] for row in cells]
        lines = [line for line, row in enumerate(texts, 1) if any(row)]
        used = [j for j in range(len(texts[0]) if texts else 0) if any(row[j] for row in texts)]
        return cls([[texts[line - 1][j] for j in used] for line in lines], lines)

    @property
    def is_table(self) -> bool:
        """Whether it is more than some words."""
        return len(self.rows) > 1 and len(self.rows[0]) > 1


def locate(grid: Grid, rules: Rules) -> tuple[list[str], list[Row], list[str]]:
    """The names and the rows of the table that is in a grid, and what was left out around it."""
    notes: list[str] = []
    counts = sorted(filled(row) for row in grid.rows[:_ROWS])
    typical = counts[len(counts) // 2]
    grid = _without_questions(grid, notes)
    numeric = _numeric(grid.rows)
    grid = _without_end(grid, typical, numeric, notes)
    start, last = _header(grid, typical, numeric, rules)
    rows, above = [list(row) for row in grid.rows[last:]], grid.rows[:start]
    upper = above[-1] if above and grid.lines[start] == grid.lines[start - 1] + 1 else None
    if last > start:
        rows[0] = _joined(grid.rows[start], rows[0])
    elif upper is not None and filled(upper) > 1 and (_fills(upper, rows[0]) or len({*rows[0]}) < len(rows[0])):
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
    return names, rows, notes


def _without_questions(grid: Grid, notes: list[str]) -> Grid:
    """Without the wording of questions below the names, and the import codes that Qualtrics writes below them."""
    codes = next((i for i, row in enumerate(grid.rows[1:4], 1) if _are_import_codes(row)), 0)
    last = codes or (1 if len(grid.rows) > 3 and _are_questions(grid.rows[1], grid.rows[2:_ROWS]) else 0)
    if not last:
        return grid
    notes.append(f"left out {counted(last, 'row')} below the names: {_shown(grid.rows[1 : last + 1])}")
    return Grid([grid.rows[0], *grid.rows[last + 1 :]], [grid.lines[last], *grid.lines[last + 1 :]])


def _are_import_codes(row: Row) -> bool:
    filled = [cell for cell in row if cell]
    return bool(filled) and all(cell.lstrip().startswith('{"ImportId"') for cell in filled)


def _are_questions(row: Row, body: Sequence[Row]) -> bool:
    """Whether a row has sentences where the rows below have short values."""
    if not all(row) or any(map(_NUMERAL.fullmatch, row)) or len(row) < 2:
        return False
    below = [[other[j] for other in body if other[j]] for j in range(len(row))]
    if any(cell in cells for cell, cells in zip(row, below, strict=True)):
        return False
    long = sum(len(cell.split()) for cell in row) / len(row)
    usual = [len(cell.split()) for cells in below for cell in cells]
    return long >= 3 and bool(usual) and long > 2 * sum(usual) / len(usual)


def filled(row: Row) -> int:
    """The number of cells that are not empty."""
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
    return sum(_NUMERAL.fullmatch(cell.strip()) is not None for cell in cells)


def _header(grid: Grid, typical: int, numeric: Sequence[int], rules: Rules) -> tuple[int, int]:
    """The first and the last row of the header: the longest with words above numbers, or the first that is long enough.

    A row before a blank row must be as long as the others: it is more often the last of a title.
    """
    rows = grid.rows
    words = [sum(_is_word(row[j], rules) for j in numeric) for row in rows[:_ROWS]]
    named_numbers = [2 * count >= len(numeric) > 0 for count in words]
    # A number above words is in a title.
    titles = [*named_numbers[1:], False]
    first = next((i for i, title in enumerate(titles) if not title and _numbers([rows[i][j] for j in numeric])), 0)
    if any(named_numbers[:first]):
        start = max((i for i in range(first) if named_numbers[i]), key=lambda i: (filled(rows[i]), -i))
        units = start + 1 < first and words[start + 1] == len(numeric) > 1
        return start, start + 1 if units or _are_two_rows(rows[start], rows[start + 1], rows[start + 2 :]) else start
    for i, row in enumerate(rows):
        ends = i + 1 < len(rows) and grid.lines[i + 1] > grid.lines[i] + 1
        if filled(row) >= (typical if ends else max(_HEADER * typical, min(typical, 2))):
            two = len(rows) > i + 2 and _are_two_rows(row, rows[i + 1], rows[i + 2 :])
            return i, i + 1 if two else i
    return 0, 0


def _is_word(cell: str, rules: Rules) -> bool:
    text = cell.strip()
    return bool(text) and text not in rules.tokens() and not _NUMERAL.fullmatch(text)


def _without_end(grid: Grid, typical: int, numeric: Sequence[int], notes: list[str]) -> Grid:
    """Without remarks below the table, and without a last row of totals."""
    last = len(grid.rows)
    short = typical - 1 if numeric else typical // 2
    for gap in [i for i in range(last - 1, 2, -1) if grid.lines[i] > grid.lines[i - 1] + 1]:
        if all(filled(row) <= short and not _numbers([row[j] for j in numeric]) for row in grid.rows[gap:]):
            last = gap
    while last > 2 and typical > 2 and _is_remark(grid.rows[last - 1], numeric):
        last -= 1
    if last < len(grid.rows):
        left = grid.rows[last:]
        notes.append(f"left out {counted(len(left), 'row')} below the table: {_shown(left)}")
    totals = []
    while last > 3 and (first := _totals(grid.rows[last - 1], grid.rows[: last - 1])) is not None:
        last -= 1
        totals.append(first)
    if totals:
        several = "the last row, which holds" if len(totals) == 1 else f"the last {len(totals)} rows, which hold"
        notes.append(f"left out {several} totals: {listed(totals, 3)}")
    return Grid(grid.rows[:last], grid.lines[:last])


def _totals(row: Row, others: Sequence[Row]) -> str | None:
    """The first word of a row of totals, if it is one, and no such word stands in another row."""
    first = next(filter(None, row)).strip()
    word = first.casefold().rstrip(": .")
    known = {" ".join(text.split()) for text in _TOTALS.split("|")}
    if word not in known or any(first in map(str.strip, other) for other in others):
        return None
    return first


def _is_remark(row: Row, numeric: Sequence[int]) -> bool:
    return filled(row) == 1 and not _numbers([row[j] for j in numeric])


def _fills(upper: Row, lower: Row) -> bool:
    """Whether one row has cells where the other has none."""
    return any(a and not b for a, b in zip(upper, lower, strict=True))


def _are_two_rows(upper: Row, lower: Row, body: Sequence[Row]) -> bool:
    """Whether a header goes on in the next row: cells were merged, so each row has names where the other has none."""
    if all(upper) or not _fills(upper, lower) or not all(a or b for a, b in zip(upper, lower, strict=True)):
        return False
    if any(_NUMERAL.fullmatch(cell.strip()) for cell in lower):
        return False
    # A box that was ticked has the text of its name, and no other value.
    below = [{row[j] for row in body} - {""} for j in range(len(lower))]
    return not any(cell in values and len(values) > 1 for cell, values in zip(lower, below, strict=True))


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
        notes.append(f"left out {counted(stray, 'cell')} next to the table")
    return [[row[j] for j in kept] for row in rows] if kept else rows
