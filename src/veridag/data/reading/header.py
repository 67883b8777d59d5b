"""The names of columns: whether a row has them, and what columns are called that have none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from veridag.data.columns import INTEGER, NUMBER, listed

_DIGITS = 18  # of integers that are looked at as numbers
_ROWS = 200  # looked at to see whether the first row is like the others


def named(records: list[list[str]], notes: list[str]) -> tuple[list[str], list[list[str]]]:
    """Names for the columns, from the first row if it holds names, and the rows below."""
    if has_header(records):
        return _distinct_names(records[0], notes), records[1:]
    names = [f"X{j}" for j in range(1, len(records[0]) + 1)]
    notes.append(f"the first row is not a header, so columns are named {names[0]} to {names[-1]}")
    return names, records


def counted(count: int, word: str) -> str:
    """A number of things."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def has_header(records: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns.

    It does not if a number stands above every column of numbers, nor if its fields are values of their columns.
    """
    header, body = records[0], records[1:_ROWS]
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
    if max(map(len, (field, *column))) > _DIGITS:
        return len(field) <= max(map(len, column))
    numbers = [int(value) for value in column]
    return min(numbers) <= int(field) <= max(numbers)


def _is_counted(header: Sequence[str]) -> bool:
    """Whether fields are 0, 1, 2, ... or years: names that happen to be numbers."""
    fields = [field.strip() for field in header]
    if len(fields) < 2 or not all(INTEGER.fullmatch(field) and len(field) <= _DIGITS for field in fields):
        return False
    numbers = [int(field) for field in header]
    return len({b - a for a, b in pairwise(numbers)}) == 1 and numbers[0] != numbers[1]


def _distinct_names(header: Sequence[str], notes: list[str]) -> list[str]:
    """The names without stray spaces; a column without a name, or with that of another, gets one of its own."""
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
        notes.append(f"named {listed(given, 5)}, because the header has no name or a repeated name there")
    return names
