from __future__ import annotations

import datetime
import io
import sys
import zipfile
from xml.sax.saxutils import escape

import pytest
import xlsxwriter

from veridag.data import read
from veridag.data.reading import tables_of
from veridag.data.reading.formats import workbook
from veridag.errors import InputError, speaking_flags

HEADER = ["sex", "smoker", "age"]
BODY = [["f", "yes", 41], ["m", "no", 58], ["f", "no", 41], ["m", "yes", 63], ["f", "no", 58]]
TABLE = [HEADER, *BODY]
STATES = {"sex": ("f", "m"), "smoker": ("no", "yes"), "age": ("41", "58", "63")}


@pytest.fixture
def book(tmp_path):
    """Writes sheets, given as rows by name; None is an empty cell, and a date is one."""

    def make(name="cases.xlsx", hidden=(), merged=(), **sheets):
        path = tmp_path / name
        with xlsxwriter.Workbook(path) as file:
            date = file.add_format({"num_format": "dd.mm.yyyy"})
            for title, rows in sheets.items():
                sheet = file.add_worksheet(title)
                if title in hidden:
                    sheet.hide()
                for i, row in enumerate(rows):
                    for j, cell in enumerate(row):
                        if isinstance(cell, datetime.date):
                            sheet.write_datetime(i, j, cell, date)
                        elif isinstance(cell, str) and not cell.startswith("="):
                            sheet.write_string(i, j, cell)  # numbers too, if they are texts
                        elif cell is not None:
                            sheet.write(i, j, cell)
                for area in merged:
                    sheet.merge_range(*area)
        return path

    return make


def test_a_sheet_is_a_table(book):
    path = book(Data=TABLE)
    data = read(path)
    assert data.states == STATES
    assert data.notes == ()
    assert read(path, strict=False) == data
    with path.open("rb") as stream:
        assert read(stream) == data
    assert read(book("cases.xlsm", Data=TABLE)) == data


def open_document(path, rows):
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="float" office:value="{cell}"/>'
            if isinstance(cell, int)
            else f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'
            for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    names = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{short}:1.0"' for short in ("office", "table", "text")
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {names} office:version="1.2">'
        f'<office:body><office:spreadsheet><table:table table:name="Data">{cells}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("content.xml", content)
        file.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
            "</manifest:manifest>",
        )
    return path


def test_open_document(tmp_path):
    path = open_document(tmp_path / "cases.ods", TABLE)
    assert read(path).states == STATES
    with path.open("rb") as stream:
        assert read(stream).states == STATES


def test_an_encrypted_open_document(tmp_path):
    path = tmp_path / "cases.ods"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("content.xml", b"\x93\x1f\x00\xa7")
        file.writestr("META-INF/manifest.xml", "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>")
    with pytest.raises(InputError, match="it is protected by a password: save it without a password"):
        read(path)


# --- sheets ---------------------------------------------------------------------------------------------------------


def test_the_first_sheet_with_a_table_is_read_and_others_are_named(book):
    path = book(
        Empty=[], About=[["Written by us"], ["in May"]], Hidden=TABLE, Data=TABLE, Codes=TABLE, hidden=["Hidden"]
    )
    data = read(path, strict=False)
    assert data.states == STATES
    assert data.notes == (
        "read the sheet 'Data'; for the others ('Empty', 'About', 'Hidden', 'Codes') use, for example, sheet='Empty'",
    )
    with speaking_flags():
        assert read(path).notes[0].endswith("--sheet Empty")
    assert tables_of(path) == ["Empty", "About", "Hidden", "Data", "Codes"]
    assert read(path, sheet="Codes").notes == ()
    with pytest.raises(InputError, match=r"sheet='Dta' names no sheet of the file: did you mean 'Data'\?"):
        read(path, sheet="Dta")
    with pytest.raises(InputError, match="sheet=1 must be the name of a sheet, as a string: choose from 'Empty', "):
        read(path, sheet=1)
    with pytest.raises(InputError, match="the sheet 'Empty' is empty"):
        read(path, sheet="Empty")


def test_a_workbook_without_a_table(book):
    with pytest.raises(InputError, match="the sheet 'A' is empty"):
        read(book(A=[], B=[]))
    for strict in (True, False):
        with pytest.raises(InputError, match="there is a header, but there are no rows"):
            read(book(A=[HEADER]), strict=strict)


def test_a_table_of_one_column(book):
    assert read(book(A=[["X"], ["a"], ["b"]])).states == {"X": ("a", "b")}
    assert read(book(A=[["X"], ["a"], ["b"], ["a"]]), strict=False).states == {"X": ("a", "b")}


# --- layouts --------------------------------------------------------------------------------------------------------


def around(rows, left=1, above=2):
    return [[]] * above + [[None] * left + row for row in rows]


def test_blank_rows_and_columns_around_the_table(book):
    path = book(A=[*around(TABLE), [None, " "], []])
    assert read(path).states == STATES
    assert read(path, strict=False).notes == ()


def test_titles_above_the_header(book):
    path = book(A=[["Survey of 2020"], ["Source:", "us"], [], *TABLE])
    with pytest.raises(InputError, match="row 1 is the first that is not blank, and it names 1 of 3 columns: remove"):
        read(path)
    data = read(path, strict=False)
    assert data.states == STATES
    assert data.notes == ("skipped 2 rows above the header: 'Survey of 2020', 'Source:'",)


def test_remarks_below_and_beside_the_table(book):
    rows = [
        TABLE[0],
        [*TABLE[1], None, "see below"],
        *TABLE[2:],
        [],
        ["Source: us"],
        ["Asked in May", "and June"],
        [],
        ["end"],
    ]
    data = read(book(A=rows), strict=False)
    assert data.states == STATES
    assert data.notes == (
        "left out 3 rows below the table: 'Source: us', 'Asked in May', 'end'",
        "left out 1 cell next to the table",
    )


def test_blank_rows_between_rows(book):
    path = book(A=[*TABLE[:3], [], *TABLE[3:]])
    with pytest.raises(InputError, match="row 4 is blank: remove it"):
        read(path)
    assert read(path, strict=False).n == 5


def test_a_row_of_totals_is_no_case(book):
    data = read(book(A=[*TABLE, ["Total", None, 261]]), strict=False)
    assert data.states == STATES
    assert data.notes == ("left out the last row, which holds totals: 'Total'",)


def test_a_header_of_two_rows_with_merged_cells(book):
    rows = [
        ["id", None, None, "age"],
        [None, "left", "right", None],
        *([f"p{i % 3}", i % 2, i % 3, i % 2] for i in range(9)),
    ]
    data = read(book(A=rows, merged=[(0, 1, 0, 2, "eye")]), strict=False)
    assert data.names == ("id", "eye left", "eye right", "age")
    assert data.notes == ("the header has two rows, which give names such as 'eye right'",)


def test_groups_above_names_that_recur(book):
    rows = [["before", None, "after", None], ["x", "y", "x", "y"], *([i % 2, i % 3, i % 2, i % 3] for i in range(9))]
    data = read(book(A=[["Trial"], [], *rows]), strict=False)
    assert data.names == ("before x", "before y", "after x", "after y")
    assert data.notes[1] == "skipped 1 row above the header: 'Trial'"


def test_a_column_without_a_name_is_named(book):
    rows = [[None, *HEADER], *([i % 3, *row] for i, row in enumerate(BODY))]
    with pytest.raises(InputError, match="it names 3 of 4 columns"):
        read(book(A=rows))
    assert read(book(A=rows), strict=False).names == ("column 1", *HEADER)


def test_a_table_without_a_header(book):
    data = read(book(A=BODY * 3), strict=False)
    assert data.names == ("X1", "X2", "X3")


# --- cells ----------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:mixed data", "ignore:constant columns")
def test_kinds_of_cells(tmp_path):
    day = datetime.date(2020, 5, 1)
    rows = [
        ["when", "stored as text", "truth", "share", "formula", "error"],
        [day, "1", True, 0.1, 1, "a"],
        [day, "2", False, 1 / 3, 1, "b"],
        [day, "1", None, 2, 1, "a"],
    ]
    path = tmp_path / "cases.xlsx"
    with xlsxwriter.Workbook(path) as file:
        date = file.add_format({"num_format": "yyyy-mm-dd"})
        sheet = file.add_worksheet("A")
        sheet.write_row(0, 0, rows[0])
        for i, row in enumerate(rows[1:], 1):
            sheet.write_datetime(i, 0, row[0], date)
            sheet.write_string(i, 1, row[1])
            if row[2] is not None:
                sheet.write_boolean(i, 2, row[2])
            sheet.write_number(i, 3, row[3])
            sheet.write_formula(i, 4, "=1+1", value=i)
            sheet.write_formula(i, 5, "=NA()", value="#N/A" if i == 2 else row[5])
    with pytest.raises(InputError, match="column 'when' holds dates"):
        read(path, missing="state")
    data = read(path, missing="state", drop=["when"])
    assert data.states["stored as text"] == ("1", "2")
    assert data.states["truth"] == ("False", "True", "missing")
    assert data.states["formula"] == ("1", "2", "3")
    assert data.states["error"] == ("a", "missing")
    assert data.columns[2].values.tolist() == [0.1, 1 / 3, 2.0]
    assert "cells with an error are missing: 1 of '#N/A'" in read(path, strict=False).notes
    for strict in (True, False):
        dated = read(path, missing="state", columns=["when"], kinds={"when": "continuous"}, strict=strict)
        assert dated.column("when").tolist() == [0, 0, 0]
        texts = read(path, missing="state", columns=["when"], kinds={"when": "discrete"}, strict=strict)
        assert texts.states["when"] == ("2020-05-01",)
    assert "left out: 'when' (date or time, dates); to change that: kinds={'when': 'continuous'}" in (
        read(path, strict=False).notes
    )


def test_blanks_around_texts_belong_to_them_unless_read_with_care(book):
    rows = [["X"], ["a"], ["a "], ["b"], ["b"]]
    assert read(book(A=rows)).states == {"X": ("a", "a ", "b")}
    assert read(book(A=rows), strict=False).states == {"X": ("a", "b")}


# --- damage ---------------------------------------------------------------------------------------------------------


def test_damaged_workbooks_give_one_line(book, capfd):
    path = book(A=TABLE * 50)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"cases\.xlsx: the archive is damaged or is not zip"):
        read(path)
    with zipfile.ZipFile(io.BytesIO(whole)) as source, zipfile.ZipFile(path, "w") as target:
        for info in source.infolist():
            target.writestr(info, source.read(info)[:200])
    with pytest.raises(InputError, match=r"cannot be read as a workbook \(.*\): open it in a spreadsheet"):
        read(path)
    old = path.with_suffix(".xls")
    old.write_bytes(workbook._OLD + bytes(3000))
    with pytest.raises(InputError, match=r"cases\.xls: cannot be read as a workbook"):
        read(old)
    old.write_bytes(workbook._OLD + bytes(600) + workbook._PROTECTED)
    with pytest.raises(InputError, match="protected by a password: save it without a password"):
        read(old)
    old.write_bytes(b"\1\0\2\0" * 100)
    with pytest.raises(InputError, match="it is not a workbook: open it in its own program"):
        read(old)
    assert capfd.readouterr().err == ""


def test_text_under_the_name_of_a_workbook(tmp_path):
    path = tmp_path / "cases.xls"
    path.write_text("X\tY\na\tu\nb\tv\na\tu\n")
    with pytest.raises(InputError, match=r"it is not a workbook, but text: rename it to end in \.csv, \.tsv or \.txt"):
        read(path)
    data = read(path, strict=False)
    assert data.names == ("X", "Y")
    assert data.notes[0] == "it is text, although its suffix is that of a workbook"
    with pytest.raises(InputError, match="sheet='A' names a sheet, but the file is text and not a workbook"):
        read(path, strict=False, sheet="A")
    path.write_text("X\tY\na\tu\nb\tv\na\tu\n", "utf-16")  # "Unicode text" of Excel
    assert read(path, strict=False).states == {"X": ("a", "b"), "Y": ("u", "v")}


def test_a_workbook_under_the_name_of_text(book):
    path = book(A=TABLE)
    other = path.rename(path.with_suffix(".csv"))
    with pytest.raises(InputError, match=r"ends in \.csv, but it is a workbook: rename it to end in \.xlsx"):
        read(other)
    assert read(other, strict=False).states == STATES


def test_a_workbook_larger_than_it_looks_is_refused_before_it_is_unpacked(book, monkeypatch):
    monkeypatch.setattr(workbook, "LARGEST", 1 << 10)
    with pytest.raises(InputError, match=r"it is larger than 0 MB when unpacked: save the sheet as \.csv"):
        read(book(A=TABLE * 50))


def test_a_sheet_in_an_archive(book, tmp_path):
    path = book(A=TABLE, B=[["Z", "W"], ["a", "b"], ["c", "d"]])
    with zipfile.ZipFile(tmp_path / "cases.zip", "w") as file:
        file.write(path, "cases.xlsx")
    assert read(tmp_path / "cases.zip").states == STATES
    assert read(tmp_path / "cases.zip", sheet="B").names == ("Z", "W")


def test_without_the_package_the_command_that_installs_it_is_named(book, monkeypatch):
    path = book(A=TABLE)
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(InputError, match=r"a workbook needs the package fastexcel, .* 'veridag\[files\]'"):
        read(path)
