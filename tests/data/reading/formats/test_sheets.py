from __future__ import annotations

import pytest

from veridag.data.reading import Rules
from veridag.data.reading.formats.sheets import read_carefully
from veridag.data.reading.locating import Grid

HEADER = ["id", "sex", "age", "ill"]
BODY = [[f"p{i}", "mf"[i % 2], 20 + i % 7, ["yes", "no"][i // 2 % 2]] for i in range(20)]
TEXTS = [["xy"[i % 2], "xy"[i // 2 % 2], "xy"[i // 3 % 2]] for i in range(20)]
YEARS = [["country", 2019, 2020, 2021], *([f"c{i % 4}", i, i + 1, i + 2] for i in range(20))]
SIZES = [[f"p{i % 4}", 170 + i, 60 + i] for i in range(20)]
SPARSE = [[(i + j) % 2 + 1 if (i * j) % 5 == 1 else None for j in range(8)] for i in range(1, 31)]

LAYOUTS = {
    "plain": ([HEADER, *BODY], HEADER, 20, []),
    "a title right above the header": ([["Report", "2020"], HEADER, *BODY], HEADER, 20, ["skipped 1 row above"]),
    "a long title": ([["Report", "by", "me"], HEADER, *BODY], HEADER, 20, ["skipped 1 row above"]),
    "a title with a number": ([["Year", None, 2020], [], HEADER, *BODY], HEADER, 20, ["skipped 1 row above"]),
    "texts alone": ([["Report", "of"], [], ["a", "b", "c"], *TEXTS], ["a", "b", "c"], 20, ["skipped 1 row above"]),
    "years as names": (YEARS, ["country", "2019", "2020", "2021"], 20, []),
    "years as names below a title": ([["GDP"], *YEARS], ["country", "2019", "2020", "2021"], 20, ["skipped 1 row"]),
    "units below some names": (
        [["id", "height", "weight"], [None, "cm", "kg"], *SIZES],
        ["id", "height cm", "weight kg"],
        20,
        ["two rows, which give names such as 'height cm'"],
    ),
    "units below all names": (
        [["height", "weight"], ["cm", "kg"], *(row[1:] for row in SIZES)],
        ["height cm", "weight kg"],
        20,
        ["two rows"],
    ),
    "groups that are not needed": (
        [["Person", None, None, "Outcome"], HEADER, *BODY],
        HEADER,
        20,
        ["skipped 1 row above the header: 'Person'"],
    ),
    "a blank row below the header": ([HEADER, [], *BODY], HEADER, 20, []),
    "a first row without numbers": ([HEADER, ["p", "m", None, "yes"], *BODY], HEADER, 21, []),
    "a word in the first row": ([HEADER, ["p", "m", "unknown", "yes"], *BODY], HEADER, 21, []),
    "few values": ([["Survey", "of", "May"], [], [f"q{j}" for j in range(8)], *SPARSE], None, None, ["skipped 1 row"]),
    "a remark below": (
        [HEADER, *BODY, [], ["Source:", "us"]],
        HEADER,
        20,
        ["left out 1 row below the table: 'Source:'"],
    ),
    "a total below": ([HEADER, *BODY, [], ["Total", None, 455]], HEADER, 20, ["which holds totals: 'Total'"]),
    "totals in another language": (
        [HEADER, *BODY, ["Razem:", None, 455], ["Średnia", None, 22.5]],
        HEADER,
        20,
        ["left out the last 2 rows, which hold totals: 'Średnia', 'Razem:'"],
    ),
    "import codes below questions": (
        [HEADER, ["Who?", "Which sex?", "How old?", "Ill?"], ['{"ImportId":"Q1"}'] * 4, *BODY],
        HEADER,
        20,
        ["left out 2 rows below the names: 'Who?'"],
    ),
    "a number alone in the last row": ([HEADER, *BODY, [None, None, 33]], HEADER, 21, []),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_table_is_found(layout):
    rows, names, count, notes = LAYOUTS[layout]
    width = max(map(len, rows))
    cells = [[None if cell is None else str(cell) for cell in row] + [None] * (width - len(row)) for row in rows]
    table = read_carefully(Grid.of(cells), Rules(strict=False))
    assert [column.name for column in table.columns] == (names or [f"q{j}" for j in range(8)])
    assert table.nrows == (count or sum(any(row) for row in SPARSE))
    assert len(table.notes) == len(notes)
    assert all(said in note for said, note in zip(notes, table.notes, strict=True))
