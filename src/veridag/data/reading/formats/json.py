"""JSON: an object per line, a list of objects, or an object with a list for each column."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules
from veridag.errors import InputError

from .content import Content, FileOptions, Format
from .values import value_column

_SHOWN = 40


def _text(content: Content) -> str:
    try:
        return content.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.data.count(b"\n", 0, error.start) + 1
        raise InputError(f"line {line} is not UTF-8, the encoding of JSON: save it again") from None


def _parsed(text: str, first_line: int = 1) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise InputError(f"line {line} is not JSON ({error.msg}, column {error.colno}): save it again") from None
    except (RecursionError, ValueError) as error:  # an integer may have too many digits for Python
        raise InputError(f"line {first_line} cannot be read as JSON ({error}): save it again") from None


def _read_lines(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    lines = enumerate(_text(content).split("\n"), 1)
    return _from_records(((number, _parsed(line, number)) for number, line in lines if line.strip()), "line", rules)


def _read_document(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    text = _text(content)
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and error.lineno > 1:
            return _read_lines(content, rules, options)  # a record a line, under the other name
        found = _parsed(text)
    except (RecursionError, ValueError):
        found = _parsed(text)
    if isinstance(found, list):
        return _from_records(enumerate(found, 1), "entry", rules)
    if isinstance(found, dict) and found and all(isinstance(column, list | dict) for column in found.values()):
        return _from_columns(found, rules)
    if isinstance(found, dict) and found and not any(isinstance(value, list | dict) for value in found.values()):
        return _from_records([(1, found)], "entry", rules)
    raise InputError(
        'a table in JSON is a list of objects, [{"A": 1}, {"A": 2}], or a list for each column, {"A": [1, 2]}: save '
        "it as one of them"
    )


def _from_records(records: Iterable[tuple[int, Any]], word: str, rules: Rules) -> RawTable:
    """Columns in the order in which they first occur; what a record does not have is missing."""
    columns: dict[str, list[Any]] = {}
    count = 0
    for number, record in records:
        if not isinstance(record, dict):
            shown = json.dumps(record)[:_SHOWN]
            raise InputError(
                f'{word} {number} is {shown} and not an object such as {{"A": 1, "B": "x"}}: save it as one'
            )
        for name, value in record.items():
            if name not in columns:
                columns[name] = [None] * count
            columns[name].append(value)
        count += 1
        for values in columns.values():
            if len(values) < count:
                values.append(None)
    if not count:
        raise InputError("there are no rows: the table needs at least one")
    return RawTable([value_column(name, values, rules) for name, values in columns.items()], count)


def _from_columns(found: Mapping[str, Any], rules: Rules) -> RawTable:
    """A list for each column, or an object from the names of rows, as pandas writes by default."""
    columns: dict[str, list[Any]] = {}
    index = next(iter(found.values()))
    for name, column in found.items():
        if isinstance(column, dict) and isinstance(index, dict) and column.keys() == index.keys():
            columns[name] = [column[key] for key in index]
        elif isinstance(column, list) and len(column) == len(index):
            columns[name] = column
        else:
            raise InputError(f"column {name!r} does not have the rows of the first column: save the table again")
    if not index:
        raise InputError("there are no rows: the table needs at least one")
    return RawTable([value_column(name, values, rules) for name, values in columns.items()], len(index))


def _begins_with_record(content: Content) -> bool:
    start = b"".join(content.head.removeprefix(b"\xef\xbb\xbf")[:200].split())
    return start.startswith((b'{"', b"[{"))


JSON_LINES = Format("a file of JSON lines", (".jsonl", ".ndjson"), _read_lines, is_text=True)
JSON = Format("a JSON file", (".json",), _read_document, _begins_with_record, is_text=True)
