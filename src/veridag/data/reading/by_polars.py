"""The rows of a text file, split by polars: of a large one, in a fraction of the time that Python takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from veridag.data.columns import INTEGER, NUMBER, Array, frozen
from veridag.data.remembering import memory_now

from .csv_text import SAMPLE, CsvText, promises_numbers
from .polars_columns import text_levels
from .raw import Numbers, Raw, RawTable, integer_levels
from .rules import Rules
from .splitting import split_part, split_table


def read_table(file: CsvText, rules: Rules) -> RawTable:
    """The rows of a text file: integers and numbers where all fields are such, coded text elsewhere."""
    try:
        frame = _read_fields(file)
    except pl.exceptions.PolarsError:
        return split_table(file, rules)  # which says what is wrong
    table = RawTable(_from_fields(frame, file.names, rules), frame.height)
    return table if memory_now() is None else replace(table, again=partial(_column_again, frame, file.names))


def _column_again(frame: pl.DataFrame, names: Sequence[str], name: str, rules: Rules) -> Raw:
    j = names.index(name)
    return _from_fields(frame[:, j : j + 1], [name], rules)[0]


def read_part(file: CsvText, wanted: Collection[str], numeric: Collection[str], rules: Rules) -> RawTable:
    """The wanted columns of some rows; only those that are called numeric become decimal numbers."""
    try:
        frame = _read_fields(file)
    except pl.exceptions.PolarsError:
        return split_part(file, wanted)
    places = [j for j, name in enumerate(file.names) if name in wanted]
    return RawTable(_from_fields(frame[:, places], [file.names[j] for j in places], rules, numeric), frame.height)


def _read(file: CsvText, types: Mapping[str, Any], rows: int | None = None) -> pl.DataFrame:
    """The rows, columns named "0", "1", ...: as text but for the given types."""
    schema = {name: types.get(name, pl.String) for name in map(str, range(len(file.names)))}
    return pl.read_csv(file.body, has_header=False, schema=schema, separator=file.separator, n_rows=rows)


def _read_fields(file: CsvText) -> pl.DataFrame:
    """The rows of a CSV file: integers where all fields are in plain form, text or categories elsewhere.

    Text loses nothing, but polars needs less time and memory for categories, where values recur, and for integers. So
    columns that start with integers are tried as such, and the attempt is kept only if it lost nothing.
    """
    sample = _read(file, {}, SAMPLE)
    recurring = {s.name: pl.Categorical for s in sample if s.n_unique() <= SAMPLE // 2}
    integers = {} if file.quoted else {s.name: pl.Int32 for s in sample if _is_plain(s)}
    frame = _read_integers(file, {**recurring, **integers}) if integers else None
    frame = _read(file, recurring) if frame is None else frame
    if len(file.names) > 1 and frame.to_series(-1).null_count() and not _has_all_separators(file, frame.height):
        file.check_ragged()
    return frame


def _is_plain(series: pl.Series) -> bool:
    """Whether all fields are integers in plain form that fit into 32 bits."""
    labels = series.unique().to_list()
    return all(v is not None and INTEGER.fullmatch(v) and len(v) < 12 and abs(int(v)) < 1 << 31 for v in labels)


def _read_integers(file: CsvText, types: Mapping[str, Any]) -> pl.DataFrame | None:
    try:
        frame = _read(file, types).rechunk()
    except pl.exceptions.PolarsError:
        return None  # a later row holds something else
    return frame if _is_faithful(frame, file.body) else None


def _is_faithful(frame: pl.DataFrame, body: bytes) -> bool:
    """Whether writing the frame would give the file back.

    Polars reads "01", "+1" and "-0" as integers, but the plain form is shorter than any other, so it is enough that
    no byte is left over. A null would hide a short row, and is not distinguished here.
    """
    if any(s.null_count() for s in frame):
        return False
    returns = body.count(b"\r")
    if returns and not returns == body.count(b"\r\n") == frame.height:
        return False
    fields = sum(_digits(s.to_numpy()) if s.dtype == pl.Int32 else _bytes(s) for s in frame)
    return len(body) == fields + frame.height * frame.width + returns


def _bytes(series: pl.Series) -> int:
    return int(series.cast(pl.String).str.len_bytes().sum())


def _digits(values: Array) -> int:
    """How many characters integers take in plain form."""
    total = len(values) + int(np.count_nonzero(values < 0))
    low, high, bound = int(values.min()), int(values.max()), 10
    while bound <= max(high, -low):
        total += int(np.count_nonzero(values >= bound)) if bound <= high else 0
        total += int(np.count_nonzero(values <= -bound)) if bound <= -low else 0
        bound *= 10
    return total


def _has_all_separators(file: CsvText, rows: int) -> bool:
    """Whether no row is short; in a file with quotes, counting separators cannot show it."""
    return not file.quoted and file.body.count(file.separator.encode()) == rows * (len(file.names) - 1)


def _from_fields(
    frame: pl.DataFrame, names: Sequence[str], rules: Rules, numeric: Collection[str] | None = None
) -> list[Raw]:
    """The columns; those that may be decimal numbers are guessed from their first fields if they are not given."""
    raw: dict[str, Raw] = {}
    text: dict[str, pl.Series] = {}
    for name, s in zip(names, frame, strict=True):
        if s.dtype == pl.Int32:
            raw[name] = integer_levels(name, s.to_numpy())
        elif s.dtype == pl.String and (numbers := _decimals(name, s, rules, numeric)) is not None:
            raw[name] = numbers
        else:
            text[name] = s
    raw.update(zip(text, text_levels(list(text), list(text.values()), "field"), strict=True))
    return [raw[name] for name in names]


def _decimals(name: str, series: pl.Series, rules: Rules, numeric: Collection[str] | None) -> Numbers | None:
    """The column as numbers, if it is one of numbers by the same rule as for coded fields."""
    if numeric is None:
        is_tried = promises_numbers(name, series.head(SAMPLE).unique().to_list(), rules)
    else:
        is_tried = name in numeric
    if not is_tried:
        return None
    tokens = list(rules.tokens(name))
    absent = series.is_null() | series.is_in(tokens)
    values = series.cast(pl.Float64, strict=False)
    if not (absent | series.str.contains(f"^(?:{NUMBER.pattern})$")).all() or (values.is_null() & ~absent).any():
        return None
    numbers = values.fill_null(np.nan).to_numpy()
    texts = series.filter(series.is_in(tokens)).value_counts(sort=True)
    counted = dict(zip(texts.to_series(0).to_list(), texts.to_series(1).to_list(), strict=True))
    counted.pop("", None)
    return Numbers(name, frozen(np.where(absent.to_numpy(), np.nan, numbers)), absent_texts=counted)
