"""What is read of a text file with separators: its names, and the bytes of its rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from veridag.errors import InputError

from .coding import numeric_type
from .rules import Rules

SAMPLE = 1000  # rows looked at to guess which columns are worth reading as numbers
_THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}(?:\.[0-9]{3})?")


@dataclass(frozen=True)
class CsvText:
    """A CSV file in UTF-8: its header, and the bytes of its rows, the last of which ends with a newline."""

    names: list[str]
    body: bytes
    separator: str
    line: int  # where the body starts

    @property
    def quoted(self) -> bool:
        """Whether there may be separators and newlines within fields."""
        return b'"' in self.body

    def check_ragged(self) -> None:
        """Name the first row that does not have as many fields as the header, if there is one."""
        reader, line, width = records(self.body, self.separator), self.line, len(self.names)
        try:
            for record in reader:
                if not record and width > 1:
                    raise InputError(f"line {line} is blank: remove it")
                if record and len(record) != width:
                    raise InputError(
                        f"line {line} has {len(record)} fields where the header has {width}: complete it, or quote "
                        f"fields that contain the separator {self.separator!r}"
                    )
                line = self.line + reader.line_num
        except csv.Error as error:
            raise InputError(f"line {line}: a quoted field is not closed properly ({error})") from None

    def fault(self) -> InputError:
        """What to say of rows that cannot be split."""
        try:
            self.check_ragged()
        except InputError as error:
            return error
        return InputError("a field has a quote inside it: put the field in quotes, and double the quote")


def text_lines(data: bytes) -> io.TextIOWrapper:
    """The lines of a text in UTF-8, which end with a newline and nothing else, as they do for polars."""
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="\n")


def records(data: bytes, separator: str) -> Any:
    """A reader of the csv module that takes quotes by the letter; its type has no public name before Python 3.13."""
    csv.field_size_limit(1 << 30)
    return csv.reader(text_lines(data), delimiter=separator, strict=True)


def promises_numbers(name: str, first: Iterable[str | None], rules: Rules) -> bool:
    """Whether the first fields of a column, or what differs among them, are those of one of decimal numbers.

    Nearly all fields of such a column differ, so that coding them would take long.
    """
    tokens = rules.tokens(name)
    start = {field for field in first if field is not None and field not in tokens}
    if rules.kind(name) == "discrete" or numeric_type(start) != "number":
        return False
    # 1.234 is more than a thousand where the decimal mark is a comma
    return rules.strict or not all(map(_THOUSANDS.fullmatch, start))
