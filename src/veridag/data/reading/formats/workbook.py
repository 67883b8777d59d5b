"""A sheet of a workbook: Excel, old and new, and OpenDocument."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from veridag.data.columns import listed
from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules
from veridag.errors import InputError, import_optional, require, setting

from .choosing import check_name
from .content import Content, FileOptions, Format
from .faults import faults_note
from .packing import ZIP, is_workbook, member, opened_zip
from .panics import one_line
from .text import TEXT, check_text

if TYPE_CHECKING:
    from veridag.data.reading.locating import Grid

LARGEST = 1 << 30  # bytes of all parts of a workbook, which are far less than what they become in memory
_OLD = bytes.fromhex("d0cf11e0a1b11ae1")
_MANIFEST = "META-INF/manifest.xml"  # of OpenDocument, which encrypts the parts one by one
_PROTECTED = "EncryptedPackage".encode("utf-16-le")


def _read(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    from .sheets import read_carefully, read_strictly

    if not content.head.startswith((ZIP, _OLD)):
        return _read_text(content, rules, options)
    with _opened(content) as book:
        name, grid, notes = _sheet(book, options.sheet)
    if not grid.rows:
        raise InputError(f"the sheet {name!r} is empty")
    if rules.strict:
        return replace(read_strictly(grid, rules), notes=notes)
    table = read_carefully(grid, rules)
    return replace(table, notes=(*notes, *table.notes, *faults_note(content, name)))


@contextmanager
def _opened(content: Content) -> Iterator[Any]:
    import logging

    fastexcel = import_optional("fastexcel", "a workbook", "files")
    require("polars", "a workbook", "files")
    _check_content(content)
    for logger in map(logging.getLogger, ("calamine", "fastexcel")):
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())  # or Python prints what they log
    with one_line(
        "a workbook", "open it in a spreadsheet program and save it again, or as .csv", fastexcel.FastExcelError
    ):
        yield fastexcel.read_excel(content.data)


def _tables(content: Content) -> list[str]:
    if not content.head.startswith((ZIP, _OLD)):
        return []
    with _opened(content) as book:
        return list(book.sheet_names)


def _read_text(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    """Many programs write text under the suffix of a workbook, since Excel opens it."""
    if b"\0" in content.head and not content.head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise InputError("it is not a workbook: open it in its own program, and save it as .csv")
    check_text(content)
    if rules.strict:
        raise InputError("it is not a workbook, but text: rename it to end in .csv, .tsv or .txt")
    if options.sheet is not None:
        raise InputError(
            f"{setting('sheet', options.sheet)} names a sheet, but the file is text and not a workbook: leave it out"
        )
    table = TEXT.read(content, rules, options)
    return replace(table, notes=("it is text, although its suffix is that of a workbook", *table.notes))


def _check_content(content: Content) -> None:
    """What no reader should be given: a protected workbook, and one that is much larger than it looks."""
    if content.head.startswith(_OLD):
        protected = _PROTECTED in content.data
    else:
        with opened_zip(content) as archive:
            if sum(info.file_size for info in archive.infolist()) > LARGEST:
                raise InputError(f"it is larger than {LARGEST >> 20} MB when unpacked: save the sheet as .csv")
            protected = _MANIFEST in archive.namelist() and b"encryption-data" in member(archive, _MANIFEST)
    if protected:
        raise InputError("it is protected by a password: save it without a password")


def _sheet(book: Any, sheet: object) -> tuple[str, Grid, tuple[str, ...]]:
    """The sheet that is named, or the first with a table that is not hidden."""
    names = list(book.sheet_names)
    if sheet is not None:
        check_name(sheet, names, "sheet")
        return str(sheet), _grid(book, str(sheet))[0], ()
    name, grid = _first_table(book, names)
    others = [other for other in names if other != name]
    if not others:
        return name, grid, ()
    change = setting("sheet", others[0])
    return name, grid, (f"read the sheet {name!r}; for the others ({listed(others, 6)}) use, for example, {change}",)


def _first_table(book: Any, names: Iterable[str]) -> tuple[str, Grid]:
    found: list[tuple[bool, str, Grid]] = []
    for name in names:
        grid, visible = _grid(book, name)
        if grid.is_table and visible:
            return name, grid
        found.append((len(grid.rows) > 1, name, grid))
    if not found:
        raise InputError("the workbook has no sheets")
    _, name, grid = max(found, key=lambda item: item[0])  # the first of those
    return name, grid


def _load(book: Any, name: str, kind: str) -> Any:
    return book.load_sheet(name, header_row=None, skip_rows=0, dtypes=kind)


def _grid(book: Any, name: str) -> tuple[Grid, bool]:
    """The cells as texts, and whether the sheet is visible.

    Numbers as texts have nine decimals at most, so they are read as numbers too, which have all.
    """
    import polars as pl

    from veridag.data.reading.locating import Grid

    loaded = _load(book, name, "string")
    if not loaded.width:
        return Grid([], []), False
    columns = []
    for text, number in zip(loaded.to_polars(), _load(book, name, "float").to_polars(), strict=True):
        rounded = (text.cast(pl.Float64, strict=False) != number).fill_null(False)
        columns.append(number.cast(pl.String).zip_with(rounded, text).to_list())
    return Grid.of(list(zip(*columns, strict=True))), loaded.visible == "visible"


def _begins(content: Content) -> bool:
    return content.head.startswith(_OLD) or is_workbook(content)


WORKBOOK = Format(
    "a workbook",
    (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"),
    _read,
    _begins,
    takes=("sheet",),
    tables=_tables,
)
