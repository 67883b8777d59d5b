"""Text files as people have them: encoding, separator and header are found from the file, and each is said."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from veridag.data.columns import INTEGER, NUMBER, listed
from veridag.errors import InputError, setting

_LINES = 200  # looked at to find the separator and the header
_START = 1 << 20  # characters that are sure to hold so many lines, or more than enough of them
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "blanks"}
_MOST_RAGGED = 0.1  # share of rows with a wrong number of fields above which the file is refused


@dataclass(frozen=True)
class TidyText:
    """Names and rows of a text file, in UTF-8 and with the same number of fields in every row."""

    names: list[str]
    body: bytes
    separator: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Decoded:
    """A text file as text, what separates its fields, and what had to be found out for that."""

    text: str
    separator: str
    notes: tuple[str, ...]

    @property
    def is_plain(self) -> bool:
        """Whether the file begins with a header that needs no repair, so that it can be read as it is."""
        records = _records("\n".join(self.text[:_START].splitlines()[:_LINES]), self.separator)
        names = [" ".join(field.split()) for field in records[0]]
        plain = names == records[0] and all(names) and len(set(names)) == len(names)
        return plain and self.separator != " " and len(names) == _width(records) and _has_header(records)


def decode_text(data: bytes, separator: str | None, encoding: str | None, usual: str) -> Decoded:
    """The text of a file, and its separator; `usual` is the one that the name of the file promises."""
    text, notes = _decoded(data, encoding)
    found = _separator_of(text[:_START].splitlines(), usual) if separator is None else separator
    if separator is None and found != usual:
        notes.append(f"fields are separated by {_SEPARATORS[found]} ({setting('separator', found)})")
    return Decoded(text, found, tuple(notes))


def tidy_text(decoded: Decoded) -> TidyText:
    """Names and rows of a text file that has more or less than a header and whole rows."""
    text, separator, notes = decoded.text, decoded.separator, list(decoded.notes)
    if separator == " ":
        text, separator = "\n".join("\t".join(line.split()) for line in text.splitlines()), "\t"
    records = _records(text, separator)
    width = _width(records)
    start = next(i for i, record in enumerate(records) if len(record) == width)
    if start:
        notes.append(f"skipped {counted(start, 'line')} before the header")
    records = records[start:]
    names, records = named(records, notes)
    records = _whole_rows(records, width, notes)
    return TidyText(names, _written(records, separator), separator, tuple(notes))


def named(records: list[list[str]], notes: list[str]) -> tuple[list[str], list[list[str]]]:
    """Names for the columns, from the first row if it holds names, and the rows below."""
    if _has_header(records):
        return _distinct_names(records[0], notes), records[1:]
    names = [f"X{j}" for j in range(1, len(records[0]) + 1)]
    notes.append(f"the first row is not a header, so columns are named {names[0]} to {names[-1]}")
    return names, records


def _width(records: Sequence[Sequence[str]]) -> int:
    """The number of fields that most of the first rows have."""
    return Counter(len(record) for record in records[:_LINES]).most_common(1)[0][0]


def counted(count: int, word: str) -> str:
    """A number of things."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def _decoded(data: bytes, encoding: str | None) -> tuple[str, list[str]]:
    """The text, and a note if its encoding had to be found."""
    if encoding is not None:
        try:
            return data.decode(encoding).removeprefix("\ufeff"), []
        except LookupError:
            raise InputError(
                f"{setting('encoding', encoding)} is not known, for example: 'utf-8', 'latin-1', 'utf-16'"
            ) from None
        except UnicodeError as error:
            raise InputError(f"{setting('encoding', encoding)} does not fit this file ({error})") from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16"), [f"read as UTF-16 ({setting('encoding', 'utf-16')})"]
    if b"\0" in data[:1000]:
        wide = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
        return data.decode(wide, errors="replace"), [f"read as UTF-16 ({setting('encoding', wide)})"]
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        found = "cp1252" if not set(data) & {0x81, 0x8D, 0x8F, 0x90, 0x9D} else "latin-1"
        return data.decode(found), [f"read as {found}, since it is not UTF-8 ({setting('encoding', found)})"]


def _separator_of(lines: Sequence[str], usual: str) -> str:
    """The separator by which most of the first lines have the same number of fields, and more than one."""
    sample = [line for line in lines[:_LINES] if line.strip()]
    best, found = 0.0, usual
    for candidate in dict.fromkeys([usual, *_SEPARATORS]):
        if candidate == " ":
            widths = [len(line.split()) for line in sample]
        else:
            widths = [len(record) for record in _records("\n".join(sample), candidate)]
        width, agreeing = Counter(widths).most_common(1)[0] if widths else (1, 0)
        if width < 2 or (candidate == " " and best):
            continue
        # A header that does not fit speaks against a separator: a decimal comma is in the rows and not in the header.
        share = agreeing / len(widths) - (0.5 if width != widths[0] else 0)
        if share > best + 0.05:
            best, found = share, candidate
    return found


def _records(text: str, separator: str) -> list[list[str]]:
    """The fields of each line that is not blank."""
    csv.field_size_limit(1 << 30)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=separator != "\t")
    try:
        return [record for record in reader if any(field.strip() for field in record)]
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: a quoted field is not closed properly ({error})") from None


def _has_header(records: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns.

    It does not if a number stands above every column of numbers, nor if its fields are values of their columns.
    """
    header, body = records[0], records[1:_LINES]
    if not body or (len({field.strip() for field in header}) < len(header) and len(body) < 5):
        return True
    columns = [[r[j].strip() for r in body if len(r) > j and r[j].strip()] for j in range(len(header))]
    numeric = [j for j, column in enumerate(columns) if column and all(map(NUMBER.fullmatch, column))]
    if numeric and all(NUMBER.fullmatch(header[j].strip()) for j in numeric):
        values = sum(_is_value(header[j].strip(), columns[j]) for j in numeric)
        return values < len(numeric) / 2 or _is_counted(header)
    recurring = [j for j, column in enumerate(columns) if len(set(column)) <= len(column) // 2]
    known = sum(header[j].strip() in columns[j] for j in recurring)
    return not (len(recurring) >= 2 and not numeric and known == len(recurring) == len(header))


def _is_value(field: str, column: Sequence[str]) -> bool:
    """Whether a number looks like those of a column: an integer above decimal numbers does not."""
    if not INTEGER.fullmatch(field):
        return True
    if not all(map(INTEGER.fullmatch, column)):
        return False
    numbers = [int(value) for value in column]
    return min(numbers) <= int(field) <= max(numbers)


def _is_counted(header: Sequence[str]) -> bool:
    """Whether fields are 0, 1, 2, ... or years: names that happen to be numbers."""
    if not all(INTEGER.fullmatch(field.strip()) for field in header) or len(header) < 2:
        return False
    numbers = [int(field) for field in header]
    return len({b - a for a, b in pairwise(numbers)}) == 1 and numbers[0] != numbers[1]


def _distinct_names(header: Sequence[str], notes: list[str]) -> list[str]:
    """The names without stray blanks; a column without a name, or with that of another, gets one of its own."""
    names: list[str] = []
    given: list[str] = []
    for position, field in enumerate(header, 1):
        base = " ".join(field.split()) or f"column {position}"
        name, count = base, 1
        while name in names:
            count += 1
            name = f"{base} ({count})"
        if count > 1 or not field.strip():
            given.append(name)
        names.append(name)
    if given:
        notes.append(f"named {listed(given, 5)}, since the header has no name there, or one that it has before")
    return names


def _whole_rows(records: Sequence[list[str]], width: int, notes: list[str]) -> list[list[str]]:
    """The rows that have as many fields as there are columns; empty fields at the end may be too many."""
    whole = []
    for record in records:
        while len(record) > width and not record[-1].strip():
            record.pop()
        if len(record) == width:
            whole.append(record)
    ragged = len(records) - len(whole)
    if ragged > _MOST_RAGGED * len(records):
        raise InputError(
            f"{ragged} of {len(records)} rows do not have {width} fields as the others do: complete them, or name what "
            f"separates the fields ({setting('separator')})"
        )
    if ragged:
        notes.append(f"left out {counted(ragged, 'row')} that did not have {width} fields as the others do")
    return whole


def _written(records: Sequence[Sequence[str]], separator: str) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(records)
    return out.getvalue().encode()
