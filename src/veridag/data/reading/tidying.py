"""Messy text files: encoding, separator and header are detected from the file, and noted."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from veridag.errors import InputError, setting

from .header import counted
from .locating import Grid, locate
from .rules import Rules

_LINES = 200  # looked at to find the separator and the header
_START = 1 << 20  # characters that are sure to hold so many lines, or more than enough of them
_END = 1 << 17  # characters at the end in which totals and remarks are looked for
_MOST_CELLS = 20_000  # looked at to see whether a file is plain
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "blanks"}
_NAMED_SEPARATOR = re.compile(r'"?sep=(\\t|[^\r\n"])"?[^\S\t\r\n]*\r?\n', re.I)  # as Excel reads it
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

    def is_plain(self, rules: Rules) -> bool:
        """Whether there is nothing but a header that needs no repair and rows, so that it can be read as it is."""
        if self.separator == " ":
            return False
        lines = self.text[:_START].splitlines()
        most = min(_LINES, max(10, _MOST_CELLS // (lines[0].count(self.separator) + 1))) if lines else _LINES
        if len(lines) > 2 * most or len(self.text) > _START:
            lines = [*lines[:most], *self.text[-max(_END, 20 * len(lines[0])) :].splitlines()[1:][-most:]]
        records = [record for _, record in _records("\n".join(lines), self.separator)]
        if not records:
            return False
        width = len(records[0])
        names = [" ".join(field.split()) for field in records[0]]
        if names != records[0] or not all(names) or width != _width(records):
            return False
        whole = [record for record in records if len(record) == width]
        if len(whole) < 2:
            return True
        found, _, notes = locate(Grid.of(whole), rules)
        return found == names and not notes


def decode_text(data: bytes, separator: str | None, encoding: str | None, usual: str) -> Decoded:
    """The text of a file, and its separator; `usual` is the one that the name of the file promises."""
    text, notes = _decoded(data, encoding)
    if (named := _NAMED_SEPARATOR.match(text)) is not None:
        text = text[named.end() :]
        separator = {"\\t": "\t"}.get(named[1], named[1]) if separator is None else separator
        notes.append(f"the first line says what separates the fields: {named[0].strip()!r}")
    found = _separator_of(text[:_START].splitlines(), usual) if separator is None else separator
    if separator is None and found != usual:
        notes.append(f"fields are separated by {_SEPARATORS[found]} ({setting('separator', found)})")
    return Decoded(text, found, tuple(notes))


def tidy_text(decoded: Decoded, rules: Rules) -> TidyText:
    """Names and rows of a text file that has more or less than a header and whole rows."""
    text, separator, notes = decoded.text, decoded.separator, list(decoded.notes)
    if separator == " ":
        text, separator = "\n".join("\t".join(line.split()) for line in text.splitlines()), "\t"
    numbered = _records(text, separator)
    if not numbered:
        raise InputError("there are no values: every line is blank")
    width = _width([record for _, record in numbered])
    grid = _grid(numbered, width, notes)
    if len(grid.rows) < 2:
        raise InputError("there is a header, but there are no rows")
    names, rows, found = locate(grid, rules)
    return TidyText(names, _written(rows, separator), separator, (*notes, *found))


def _grid(numbered: list[tuple[int, list[str]]], width: int, notes: list[str]) -> Grid:
    """Rows of one width: shorter lines before and after the table are filled up, those within are left out."""
    whole = [i for i, (_, record) in enumerate(numbered) if len(record) == width]
    before, after = numbered[: whole[0]], numbered[whole[-1] + 1 :]
    is_remark = [_last(record) <= 1 < width for _, record in after]
    others = [item for item, remark in zip(after, is_remark, strict=True) if not remark]
    inside = _whole_rows([*numbered[whole[0] : whole[-1] + 1], *others], width, notes)
    rows = [*before, *inside, *(item for item, remark in zip(after, is_remark, strict=True) if remark)]
    cells = [record if len(record) == width else [*record, *[""] * (width - len(record))][:width] for _, record in rows]
    used = [j for j in range(width) if any(row[j].strip() for row in cells)]
    if len(used) < width:
        cells = [[row[j] for j in used] for row in cells]
    texts = [["" if cell.isspace() else cell for cell in row] for row in cells]
    return Grid(texts, [line for line, _ in rows])


def _last(record: Sequence[str]) -> int:
    """The number of fields up to the last that is not blank."""
    return max((i for i, field in enumerate(record, 1) if field.strip()), default=0)


def _width(records: Sequence[Sequence[str]]) -> int:
    """The number of fields that most of the first rows have."""
    return Counter(len(record) for record in records[:_LINES]).most_common(1)[0][0]


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
            widths = [len(record) for _, record in _records("\n".join(sample), candidate)]
        width, agreeing = Counter(widths).most_common(1)[0] if widths else (1, 0)
        if width < 2 or (candidate == " " and best):
            continue
        # A header that does not fit speaks against a separator: a decimal comma is in the rows and not in the header.
        share = agreeing / len(widths) - (0.5 if width != widths[0] else 0)
        if share > best + 0.05:
            best, found = share, candidate
    return found


def _records(text: str, separator: str) -> list[tuple[int, list[str]]]:
    """The fields of each line that is not blank, and its number."""
    csv.field_size_limit(1 << 30)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=separator != "\t")
    found = []
    try:
        for line, record in enumerate(reader):
            if any(field.strip() for field in record):
                found.append((line, record))
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: a quoted field is not closed properly ({error})") from None
    return found


def _whole_rows(numbered: Sequence[tuple[int, list[str]]], width: int, notes: list[str]) -> list[tuple[int, list[str]]]:
    """The rows that have as many fields as there are columns; empty fields at the end may be too many."""
    whole = []
    for line, record in numbered:
        while len(record) > width and not record[-1].strip():
            record.pop()
        if len(record) == width:
            whole.append((line, record))
    ragged = len(numbered) - len(whole)
    if ragged > _MOST_RAGGED * len(numbered):
        raise InputError(
            f"{ragged} of {len(numbered)} rows do not have {width} fields as the others do: complete them, or name "
            f"what separates the fields ({setting('separator')})"
        )
    if ragged:
        notes.append(f"left out {counted(ragged, 'row')} that did not have {width} fields as the others do")
    return whole


def _written(records: Sequence[Sequence[str]], separator: str) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(records)
    return out.getvalue().encode()
