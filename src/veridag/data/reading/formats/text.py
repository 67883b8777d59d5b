"""Text with separators: CSV, TSV, and text files whose name does not promise a separator."""

from __future__ import annotations

from functools import partial

from veridag.data.reading.delimited import read_csv, read_tidied
from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules
from veridag.errors import InputError, setting

from .content import Content, FileOptions, Format

_BOM = b"\xef\xbb\xbf"
_OTHERS = {  # how files begin that are no table, although they are text or have its suffix
    b"<!doctype html": "a web page",
    b"<html": "a web page",
    b"<head": "a web page",
    b"<table": "a web page",
    b"<?xml": "XML",
    b"%pdf": "a PDF document",
    b"{\\rtf": "a document with layout (RTF)",
}


def check_text(content: Content) -> None:
    """Refuse what is no table, such as the page with an error that was downloaded in place of one."""
    start = content.head.lstrip(_BOM + b" \t\r\n").lower()
    found = next((name for sign, name in _OTHERS.items() if start.startswith(sign)), None)
    if found is not None:
        raise InputError(
            f"it is {found} and not a table: get the table itself, or open it in its own program and save it as .csv"
        )


def _read(usual: str | None, content: Content, rules: Rules, options: FileOptions) -> RawTable:
    check_text(content)
    if not rules.strict:
        return read_tidied(content.data, options.separator, options.encoding, usual or "\t", rules)
    separator = usual if options.separator is None else options.separator
    if separator is None:
        raise InputError(
            f"the file name does not determine the field separator: pass {setting('separator')}, for example "
            f"{setting('separator', ',')}"
        )
    return read_csv(content.data, separator, "utf-8" if options.encoding is None else options.encoding, rules)


_TAKES = ("separator", "encoding")
CSV = Format("a CSV file", (".csv",), partial(_read, ","), takes=_TAKES, is_text=True)
TSV = Format("a TSV file", (".tsv", ".tab"), partial(_read, "\t"), takes=_TAKES, is_text=True)
TEXT = Format("a text file", (".txt", ".dat", ".data"), partial(_read, None), takes=_TAKES, is_text=True)
