"""Text with separators: CSV, TSV, and text files whose name does not promise a separator."""

from __future__ import annotations

from functools import partial

from veridag.data.reading.delimited import read_csv, read_tidied
from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules
from veridag.errors import InputError, setting

from .content import Content, FileOptions, Format

_WEB_PAGE = (b"<!doctype html", b"<html", b"<head", b"<table")


def _read(usual: str | None, content: Content, rules: Rules, options: FileOptions) -> RawTable:
    if content.head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_WEB_PAGE):
        raise InputError(
            "it is a web page and not a table: download the table itself, or open the page in a spreadsheet program "
            "and save it as .csv"
        )
    if not rules.strict:
        return read_tidied(content.data, options.separator, options.encoding, usual or "\t", rules)
    separator = usual if options.separator is None else options.separator
    if separator is None:
        raise InputError(
            f"the name does not say what separates the fields: pass {setting('separator')}, for example "
            f"{setting('separator', ',')}"
        )
    return read_csv(content.data, separator, "utf-8" if options.encoding is None else options.encoding, rules)


_TAKES = ("separator", "encoding")
CSV = Format("a CSV file", (".csv",), partial(_read, ","), takes=_TAKES, is_text=True)
TSV = Format("a TSV file", (".tsv", ".tab"), partial(_read, "\t"), takes=_TAKES, is_text=True)
TEXT = Format("a text file", (".txt", ".dat", ".data"), partial(_read, None), takes=_TAKES, is_text=True)
