"""CSV in which each value keeps its type: 1, 1.5, true, text, and nothing for None.

Text that would be read as another type has an apostrophe before it, and so has text that is a formula to a spreadsheet.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from io import StringIO

from veridag.display import FORMULA_MARKS
from veridag.errors import InputError

from .kind import Value
from .tables import Table

_INTEGER = re.compile(r"-?[0-9]{1,4000}")  # of more digits, Python makes no integer
_FLOAT = re.compile(r"-?([0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?|inf)|NaN")

_SPECIAL = re.compile(r'[,"\r\n]')


def write(table: Table) -> str:
    """The table as text."""
    lines = ([line.get(column) for column in table.columns] for line in table.lines)
    return "".join(",".join(map(_field, line)) + "\n" for line in (table.columns, *lines))


def read(text: str, name: str) -> Iterator[list[Value]]:
    """The header and the lines of a text that `write` has made; `name` is that of the file, for messages."""
    lines = csv.reader(StringIO(text, newline=""), strict=True)
    width = None
    try:
        for fields in lines:
            width = width or len(fields)
            if len(fields) != width:
                raise InputError(
                    f"{name}: line {lines.line_num} has {len(fields)} fields, and the header {width}: export it again"
                )
            yield [_read(field) for field in fields]
    except csv.Error as error:
        raise InputError(f"{name}: line {lines.line_num} is no CSV ({error}): export it again") from error


def _field(value: Value) -> str:
    """A value with quotes if it needs some; the module csv forgets those of a carriage return."""
    text = _written(value)
    return '"{}"'.format(text.replace('"', '""')) if _SPECIAL.search(text) else text


def _written(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "NaN" if value != value else repr(value)
    if isinstance(value, int):
        return str(value)
    is_odd = value.startswith(("'", *FORMULA_MARKS)) or not isinstance(_read(value), str)
    return f"'{value}" if is_odd else value


def _read(field: str) -> Value:
    if not field:
        return None
    if field.startswith("'"):
        return field[1:]
    if field in ("true", "false"):
        return field == "true"
    if _INTEGER.fullmatch(field):
        return int(field)
    return float(field) if _FLOAT.fullmatch(field) else field
