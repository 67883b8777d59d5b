"""Columns of statistics programs: numbers or texts, some with value labels and with values declared missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from veridag.data.columns import frozen, listed, state_name
from veridag.data.reading.raw import Levels, Numbers, Raw, RawTable, Unusable, integer_levels, with_nulls
from veridag.data.reading.rules import Rules
from veridag.errors import require, setting

from .apart import ReaderError, read_apart
from .content import Content, FileOptions
from .panics import one_line
from .values import value_column

_FEW, _MANY = 10, 20  # values that are states for sure, and that are states at most, if some have no label
_EXACT = 1 << 53  # numbers below are whole or not without doubt
_PERIOD = re.compile(r"(QYR|MOYR|WKYR|MONYY|YYQ|YYMM|%-?t[bhmqw])")  # months, quarters and so on, as numbers of them
_MOST = 6  # columns that a note names


def read_labelled(
    what: str,
    content: Content,
    rules: Rules,
    options: FileOptions,
    reader: str,
    more_labels: Callable[[Any], Mapping[str, Mapping[Any, str]]] = lambda meta: {},
) -> RawTable:
    """The table that a reader of pyreadstat gives; `more_labels` finds value labels that are in another file."""
    require("pyreadstat", "a file of Stata, SPSS or SAS", "files")
    declared = {"user_missing": True} if reader == "read_sav" else {}  # others have no codes for missing, but marks
    with one_line(what, "save it again, or as .csv", ReaderError), content.on_disk() as path:
        columns, meta = read_apart(reader, str(path), encoding=options.encoding, **declared)
        labels = {**meta.variable_value_labels, **more_labels(meta)}
    rows = len(next(iter(columns.values()), ()))
    said = _Said()
    raw: list[Raw] = []
    for name, values in columns.items():
        shown_as = str(meta.original_variable_types.get(name) or "")
        if _PERIOD.match(shown_as):
            raw.append(Unusable(str(name), f"dates ({shown_as})", True))
            continue
        ranges = meta.missing_ranges.get(name, [])
        raw.append(_column(str(name), list(values), labels.get(name, {}), ranges, rules, said))
    return RawTable(raw, rows, said.notes())


@dataclass
class _Said:
    """Columns about which there is something to say, and what."""

    missing: dict[str, int] = field(default_factory=dict)
    partly: list[str] = field(default_factory=list)
    numbers: dict[str, tuple[str, str]] = field(default_factory=dict)
    doubled: list[str] = field(default_factory=list)

    def notes(self) -> tuple[str, ...]:
        """One line for each kind of thing."""
        notes = []
        if self.missing:
            counts = [f"{count} in {name!r}" for name, count in self.missing.items()]
            notes.append(f"values that the file declares as missing are missing: {_first(counts)}")
        if self.partly:
            notes.append(f"values without a label became states named by their code: {listed(self.partly, _MOST)}")
        if self.numbers:
            shown = [f"{name!r} ({code} = {label!r})" for name, (code, label) in self.numbers.items()]
            first, (code, _) = next(iter(self.numbers.items()))
            notes.append(
                f"read as numbers, although some of their values have labels: {_first(shown)}; if a labelled value "
                f"means missing, pass {setting('missing_values', {first: [code]})}"
            )
        if self.doubled:
            notes.append(f"labels shared by several codes got the code added: {listed(self.doubled, _MOST)}")
        return tuple(notes)


def _first(items: Sequence[str]) -> str:
    return ", ".join(items[:_MOST]) + (f" and {len(items) - _MOST} more" if len(items) > _MOST else "")


def _column(
    name: str, values: list[Any], labels: Mapping[Any, str], ranges: Sequence[Any], rules: Rules, said: _Said
) -> Raw:
    """A column with the values that were declared missing left out, and with labels where they say what values mean."""
    if ranges:
        gone = [v is not None and _is_within(v, ranges) for v in values]
        values = [None if out else v for v, out in zip(values, gone, strict=True)]
        labels = {code: label for code, label in labels.items() if not _is_within(code, ranges)}
        if any(gone):
            said.missing[name] = sum(gone)
    values = [None if v is None or v == "" or v != v else v for v in values]
    observed = {v for v in values if v is not None}
    text = any(isinstance(v, str) for v in observed)
    labels = {code: label for code, label in labels.items() if isinstance(code, str) == text}
    if not labels or not observed or rules.kind(name) == "continuous":
        return _plain(name, values, rules)
    unlabelled = observed - labels.keys()
    if unlabelled:
        if _are_measured(observed | labels.keys(), unlabelled, len(values)):
            code = max(observed & labels.keys(), default=max(labels))
            said.numbers[name] = state_name(code), labels[code]
            return _plain(name, values, rules)
        said.partly.append(name)
    codes = sorted(observed | labels.keys())
    states = _distinct([labels.get(code, "").strip() or state_name(code) for code in codes], codes, name, said)
    place = {code: index for index, code in enumerate(codes)}
    nulls = np.fromiter((v is None for v in values), dtype=bool, count=len(values))
    indices = np.fromiter((0 if v is None else place[v] for v in values), dtype=np.int64, count=len(values))
    return with_nulls(name, "declared", states, indices, nulls)


def _is_within(value: Any, ranges: Sequence[Any]) -> bool:
    """Whether a value is in one of the ranges that SPSS declares missing."""
    for part in ranges:
        low, high = (part["lo"], part["hi"]) if isinstance(part, Mapping) else (part, part)
        if isinstance(low, str) == isinstance(value, str) and low <= value <= high:
            return True
    return False


def _are_measured(known: set[Any], unlabelled: set[Any], rows: int) -> bool:
    """Whether labels are for special values of a measurement, such as 99 for 'no answer', and not names of states."""
    if any(isinstance(v, str) for v in unlabelled):
        return False
    if not all(isinstance(v, int | float) and float(v).is_integer() for v in unlabelled):
        return True
    return len(known) > _MANY or (len(known) > _FEW and len(known) > rows / 10)


def _distinct(states: list[str], codes: Sequence[Any], name: str, said: _Said) -> list[str]:
    """The states with their code where two have the same label, since they are different values."""
    if len(set(states)) == len(states):
        return states
    said.doubled.append(name)
    return [
        f"{state} ({state_name(code)})" if states.count(state) > 1 else state
        for state, code in zip(states, codes, strict=True)
    ]


def _plain(name: str, values: list[Any], rules: Rules) -> Raw:
    """A column without labels: these programs keep integers as decimal numbers, so whole numbers are integers."""
    present = [v for v in values if v is not None]
    if not present:
        return Levels(name, "text", [None], np.zeros(len(values), dtype=np.uint8))
    if not all(isinstance(v, int | float) for v in present):
        return value_column(name, values, rules)
    numbers = np.array(values, dtype=np.float64)
    nulls = np.isnan(numbers)
    some = numbers[~nulls]
    if not (np.isfinite(some) & (np.floor(some) == some) & (np.abs(some) < _EXACT)).all():
        return Numbers(name, frozen(numbers))
    levels = integer_levels(name, np.where(nulls, some.min(), numbers).astype(np.int64))
    return with_nulls(name, "integer", levels.labels, levels.codes, nulls)
