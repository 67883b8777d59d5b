"""File formats, one a file: what each is called, its suffixes, how it begins, and how it is read.

To add a format, write a module with a `Format` and add it to `FORMATS`. What a reader needs beyond Python itself
and numpy is in the extra ``files``.
"""

from __future__ import annotations

from dataclasses import replace

from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules
from veridag.errors import InputError, setting

from .arrow import ARROW
from .content import Content, FileOptions, Format
from .duckdb import DUCKDB
from .json import JSON, JSON_LINES
from .packing import tables_packed, unpack
from .parquet import PARQUET
from .sas import SAS, SAS_TRANSPORT
from .spss import SPSS
from .sqlite import SQLITE
from .stata import STATA
from .text import CSV, TEXT, TSV
from .workbook import WORKBOOK

__all__ = ["FORMATS", "Content", "FileOptions", "Format", "read_content", "tables_in"]

FORMATS: tuple[Format, ...] = (
    CSV,
    TSV,
    TEXT,
    JSON_LINES,
    JSON,
    WORKBOOK,
    PARQUET,
    ARROW,
    STATA,
    SPSS,
    SAS,
    SAS_TRANSPORT,
    SQLITE,
    DUCKDB,
)

_SUFFIXES = [suffix for format in FORMATS for suffix in format.suffixes]
_AMBIGUOUS = ".db"  # of any database
_FOR = {
    "separator": "text files, such as .csv and .tsv",
    "encoding": "text files, and for those of Stata, SPSS and SAS",
    "sheet": "workbooks, databases and archives with several tables",
}


def read_content(name: str, content: Content, rules: Rules, options: FileOptions) -> RawTable:
    """The table in a file of this name; a stream has none, and its first bytes tell the format."""
    if name:
        _named(_without_packing(name))
    file = unpack(name, content, options, _SUFFIXES)
    if not file.content.head.strip() and not file.content.data.strip():
        raise InputError("the file is empty")
    format, notes = _format(file.name, file.content, rules)
    for option, place in _FOR.items():
        given = getattr(file.options, option)
        if given is not None and option not in format.takes:
            raise InputError(f"{setting(option, given)} is only for {place}")
    table = format.read(file.content, rules, file.options)
    return replace(table, notes=(*file.notes, *notes, *table.notes))


def tables_in(name: str, content: Content) -> list[str]:
    """What ``sheet=`` can name in a file of this name: sheets, tables of a database, files of an archive."""
    packed = tables_packed(name, content, _SUFFIXES)
    if len(packed) > 1:
        return packed
    file = unpack(name, content, FileOptions(), _SUFFIXES)
    format, _ = _format(file.name, file.content, Rules(strict=False))
    return list(format.tables(file.content))


def _without_packing(name: str) -> str:
    lower = name.lower()
    return CSV.suffixes[0] if lower.endswith(".zip") else lower.removesuffix(".gz")


def _named(name: str) -> Format:
    for format in FORMATS:
        if name.lower().endswith(format.suffixes):
            return format
    raise InputError(
        f"the suffix decides the format and must be one of {', '.join(_SUFFIXES)}, or one of them with .gz or .zip"
    )


def _format(name: str, content: Content, rules: Rules) -> tuple[Format, tuple[str, ...]]:
    """The format that the name promises, unless the first bytes are those of another."""
    found = next((format for format in FORMATS if format.begins(content)), None)
    if not name:
        return found or CSV, ()
    promised = _named(name)
    if found is None or found is promised or found.is_text or (promised.is_text and b"\0" not in content.head):
        return promised, ()  # a header may well start with PAR1
    if name.lower().endswith(_AMBIGUOUS):
        return found, ()
    suffix = next(suffix for suffix in promised.suffixes if name.lower().endswith(suffix))
    if rules.strict:
        raise InputError(f"the name ends in {suffix}, but it is {found.name}: rename it to end in {found.suffixes[0]}")
    return found, (f"it is {found.name}, although its name ends in {suffix}",)
