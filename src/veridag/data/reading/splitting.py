"""The rows of a text file, split by Python: of a small file in less time than it takes to load polars.

The columns are those that polars would give; only the time and memory for a large file differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from veridag.data.columns import NUMBER, Array, frozen
from veridag.data.packed import unpacked

from .csv_text import SAMPLE, CsvText, promises_numbers, text_lines
from .raw import FieldCoder, Levels, Numbers, Raw, RawTable
from .rules import Rules

_CHUNK = 20_000  # rows whose fields are in memory at the same time


def split_table(file: CsvText, rules: Rules) -> RawTable:
    """The rows of a text file: numbers where nearly all fields differ, coded fields elsewhere."""
    sample = zip(*islice(_rows(file), SAMPLE), strict=True)
    guessed: dict[int, FieldCoder | _Floats] = {}
    for j, (name, fields) in enumerate(zip(file.names, sample, strict=True)):
        guessed[j] = _Floats(rules.tokens(name)) if _is_numeric(name, {*fields}, rules) else FieldCoder()
    nrows = _fill(file, guessed)
    late: dict[int, FieldCoder | _Floats] = {
        j: FieldCoder() for j, column in guessed.items() if isinstance(column, _Floats) and column.is_text
    }
    if late:
        _fill(file, late)
    columns = {**guessed, **late}
    return RawTable([column.column(file.names[j]) for j, column in columns.items()], nrows)


def _is_numeric(name: str, distinct: set[str | None], rules: Rules) -> bool:
    """Whether a column is tried as numbers, by the different ones of its first fields."""
    return len(distinct) > SAMPLE // 2 and promises_numbers(name, distinct, rules)


class Fields:
    """The columns of a text file by any rules, as `split_table` gives them; each is split once more at most."""

    def __init__(self, file: CsvText, table: RawTable) -> None:
        self._file = file
        self._coded = {column.name: column for column in table.columns if isinstance(column, Levels)}

    def column(self, name: str, rules: Rules) -> Raw:
        """The column of this name."""
        if name not in self._coded:
            (found,) = split_part(self._file, [name]).columns
            assert isinstance(found, Levels)
            self._coded[name] = found
        levels, codes = self._coded[name], unpacked(self._coded[name].codes)
        if not _is_numeric(name, {levels.labels[code] for code in codes[:SAMPLE].tolist()}, rules):
            return levels
        numbers = _Floats(rules.tokens(name))
        numbers.add(levels.labels)
        if numbers.is_text:
            return levels
        parsed = numbers.column(name)
        counts = dict(zip(levels.labels, levels.counts().tolist(), strict=True))
        absent = {text: counts[text] for text in numbers.absent}
        return replace(parsed, values=frozen(parsed.values[codes]), absent_texts=absent)


def split_part(file: CsvText, wanted: Collection[str]) -> RawTable:
    """The wanted columns of some rows of a text file, as coded fields."""
    columns = {j: FieldCoder() for j, name in enumerate(file.names) if name in wanted}
    nrows = _fill(file, columns)
    return RawTable([column.column(file.names[j]) for j, column in columns.items()], nrows)


class _Floats:
    """A column of decimal numbers, until a field is something else."""

    def __init__(self, tokens: frozenset[str]) -> None:
        self.tokens = tokens
        self.is_text = False
        self.absent: Counter[str] = Counter()
        self._parts: list[Array] = []

    def add(self, fields: Sequence[str | None]) -> None:
        """The next fields."""
        present = ["nan" if v is None or v in self.tokens else v for v in fields]
        self.absent.update(v for v in fields if v and v in self.tokens)
        self.is_text = self.is_text or not all(map(NUMBER.fullmatch, present))
        if not self.is_text:
            self._parts.append(np.array(list(map(float, present))))

    def column(self, name: str) -> Numbers:
        """All of them."""
        return Numbers(name, frozen(np.concatenate(self._parts)), absent_texts=self.absent)


def _fill(file: CsvText, columns: Mapping[int, FieldCoder | _Floats]) -> int:
    """Give columns, by their places, the fields of all rows; returns how many rows there are."""
    rows, nrows = _rows(file), 0
    while chunk := list(islice(rows, _CHUNK)):
        nrows += len(chunk)
        for j, column in columns.items():
            column.add([row[j] for row in chunk])
    return nrows


def _rows(file: CsvText) -> Iterator[Sequence[str | None]]:
    """The fields of each row, as many as the header has; None for an empty one."""
    width = len(file.names)
    for row in _quoted_rows(file) if file.quoted else _plain_rows(file):
        if len(row) != width:
            raise file.fault()
        yield row


def _plain_rows(file: CsvText) -> Iterator[Sequence[str | None]]:
    for line in text_lines(file.body):
        fields = _without_end(line).split(file.separator)
        yield [field or None for field in fields] if "" in fields else fields


def _quoted_rows(file: CsvText) -> Iterator[Sequence[str | None]]:
    """Rows some of which have quotes; the csv module would not tell an empty field from one of two quotes."""
    separator = re.escape(file.separator)
    field = re.compile(rf'("[^"]*(?:""[^"]*)*"|[^"{separator}\n][^{separator}\n]*|){separator}')
    held: list[str] = []
    is_open = False
    for line in text_lines(file.body):
        held.append(line)
        is_open ^= bool(line.count('"') % 2)
        if is_open:
            continue  # the line ends within quotes
        row = _without_end("".join(held))
        found = field.findall(row + file.separator)
        if sum(map(len, found)) + len(found) != len(row) + 1:
            raise file.fault()  # something lies between the fields
        yield [_unquoted(text) if text else None for text in found]
        held.clear()
    if held:
        raise file.fault()


def _without_end(line: str) -> str:
    return line[:-2] if line.endswith("\r\n") else line[:-1]


def _unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if text[0] == '"' else text
