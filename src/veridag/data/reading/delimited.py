"""Text with separators: CSV and TSV, read without losing what the fields look like."""

from __future__ import annotations

import csv
from collections.abc import Collection
from dataclasses import replace

from veridag.data.remembering import memory_now
from veridag.errors import InputError, is_installed, setting

from .coding import check_names
from .csv_text import CsvText, records
from .raw import RawTable
from .rules import Rules
from .splitting import Fields, split_part, split_table
from .tidying import decode_text, tidy_text

_SMALL = 1 << 21  # bytes that are split here in less time than it takes to load polars


def read_csv(data: bytes, separator: str, encoding: str, rules: Rules) -> RawTable:
    """The content of a text file, a variable for each name in its header, by the letter."""
    check_separator(separator)
    file = split_header(utf8_text(data, encoding), separator)
    check_header(file, rules)
    return _raw_table(file, rules)


def check_header(file: CsvText, rules: Rules) -> None:
    """Refuse names that no columns can have, and the one name that a wrong separator gives."""
    check_names(file.names, rules)
    if len(file.names) == 1:
        _check_separator(file, rules)


def utf8_text(data: bytes, encoding: str, line: int = 1) -> bytes:
    """The bytes of a text in UTF-8; what is no text in this encoding is refused, with its line."""
    data = _utf8(data, encoding, line)
    if b"\0" in data:
        line += data.count(b"\n", 0, data.index(b"\0"))
        raise InputError(
            f"line {line} holds a NUL byte, so it is not text in {encoding}: pass {setting('encoding', 'utf-16')} (or "
            "utf-16-be), or remove the byte"
        )
    return data


def read_tidied(data: bytes, separator: str | None, encoding: str | None, usual: str, rules: Rules) -> RawTable:
    """The content of a text file as people have them: what the rules of `read_csv` would refuse is put right."""
    if separator is not None:
        check_separator(separator)
    decoded = decode_text(data, separator, encoding, usual)
    if decoded.is_plain(rules):
        try:
            file = split_header(decoded.text.encode(), decoded.separator)
            return replace(_raw_table(file, rules), notes=decoded.notes)
        except InputError:
            pass  # rows further down are not what they should be
    text = tidy_text(decoded, rules)
    return replace(_raw_table(CsvText(text.names, text.body, text.separator, 2), rules), notes=text.notes)


def check_separator(separator: object) -> None:
    """Refuse what cannot separate fields."""
    if not isinstance(separator, str) or len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
        raise InputError(f"separator={separator!r} must be one character, for example ',', ';' or '\\t'")


def _raw_table(file: CsvText, rules: Rules) -> RawTable:
    if file.body.strip(b"\r\n") == b"" and file.body.count(b"\n") <= 1:
        raise InputError("there is a header, but there are no rows")
    if _is_for_polars(file):
        from .by_polars import read_table

        return read_table(file, rules)
    table = split_table(file, rules)
    return table if memory_now() is None else replace(table, again=Fields(file, table).column)


def read_part(file: CsvText, wanted: Collection[str], numeric: Collection[str], rules: Rules) -> RawTable:
    """The wanted columns of some rows: as fields, or as numbers those of which rows before say that they are numeric.

    What kind of column it is may depend on rows that are not among these.
    """
    if _is_for_polars(file):
        from . import by_polars

        return by_polars.read_part(file, wanted, numeric, rules)
    return split_part(file, wanted)


def _is_for_polars(file: CsvText) -> bool:
    return len(file.body) > _SMALL and is_installed("polars")


def _utf8(data: bytes, encoding: str, line: int = 1) -> bytes:
    if not isinstance(encoding, str):
        raise InputError(f"encoding={encoding!r} must be the name of one, for example 'utf-8', 'latin-1' or 'utf-16'")
    data = data.removeprefix(b"\xef\xbb\xbf")
    utf8 = encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
    if utf8 and data.isascii():
        return data
    try:
        text = data.decode(encoding)
    except LookupError:
        raise InputError(f"encoding={encoding!r} is not known, for example: 'utf-8', 'latin-1', 'utf-16'") from None
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        line += data.count(b"\n", 0, at)
        raise InputError(
            f"line {line} is not in {encoding}: the byte 0x{data[at]:02x} is invalid; pass {setting('encoding')}, for "
            "example 'latin-1' or 'utf-16'"
        ) from None
    return data if utf8 else text.encode()


def split_header(data: bytes, separator: str) -> CsvText:
    """The names in the first line that is not empty, and the rows below it."""
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    reader = records(data, separator)
    try:
        names: list[str] = next((record for record in reader if record), [])
    except csv.Error as error:
        why = "it holds a carriage return, but lines end in another way" if "new-line" in str(error) else error
        raise InputError(f"line {reader.line_num}: the header cannot be read ({why})") from None
    start = 0
    for _ in range(reader.line_num):
        start = data.find(b"\n", start) + 1 or len(data)
    body = data[start:]
    if body.endswith((b"\n\n", b"\n\r\n")):
        body = body.rstrip(b"\r\n")  # empty lines at the end are no rows
    return CsvText(names, body if body.endswith(b"\n") else body + b"\n", separator, reader.line_num + 1)


def _check_separator(file: CsvText, rules: Rules) -> None:
    """A file with one column whose name holds a separator was written with that one, unless the user knows the name."""
    if rules.kind(file.names[0]) is not None or rules.declared(file.names[0]) is not None:
        return
    for other in ";\t,|":
        if other in file.names[0]:
            raise InputError(f"there is only one column, {file.names[0]!r}: try {setting('separator', other)}")
