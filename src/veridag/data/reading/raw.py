"""Columns as they come from a source, before the rules decide about kinds, states and missing values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from functools import partial
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from veridag.data.columns import MAX_STATES, NUMBER, Array, code_type, frozen, in_order, state_name
from veridag.data.packed import Codes, code_counts, look_up, pack, unpacked
from veridag.errors import InputError, setting

from .rules import Rules

Origin = Literal["field", "text", "integer", "boolean", "declared", "number"]


@dataclass(frozen=True, eq=False)
class Levels:
    """A column as codes into labels; None is the label of nulls. Origin "field" is CSV text of undecided type.

    In a `settled` column only nulls are missing, and `reason` says why the column is what it is.
    """

    name: str
    origin: Origin
    labels: list[str | None]
    codes: Codes
    settled: bool = False
    reason: str = ""

    def absent(self, rules: Rules) -> NDArray[np.bool_]:
        """Which labels mean missing."""
        kept: Collection[str] = rules.declared(self.name) or ()
        tokens = frozenset() if self.settled else rules.tokens(self.name)
        if self.origin == "declared":
            tokens = rules.said_missing(self.name) if rules.adds_missing else frozenset()
        codes = {float(v) for v in tokens if NUMBER.fullmatch(v) and float(v) == float(v)}
        means_missing = [v is None or (v not in kept and (v in tokens or _is_one_of(v, codes))) for v in self.labels]
        return np.array(means_missing, dtype=bool)

    def missing(self, rules: Rules) -> NDArray[np.bool_] | None:
        """Which rows are missing; None stands for none, the usual case, and costs nothing."""
        absent = self.absent(rules)
        if not absent.any():
            return None
        rows = look_up(absent, self.codes)
        return rows if rows.any() else None

    def counts(self) -> NDArray[np.int64]:
        """How many rows each label has."""
        return code_counts(self.codes, len(self.labels))

    def take(self, rows: Array) -> Levels:
        """The column at these rows."""
        codes = frozen(unpacked(self.codes)[rows])
        return replace(self, codes=codes if isinstance(self.codes, np.ndarray) else pack(codes, len(self.labels)))

    def owned(self) -> Levels:
        """The column with codes that no frame shares."""
        codes = self.codes
        is_shared = isinstance(codes, np.ndarray) and codes.base is not None
        return replace(self, codes=frozen(unpacked(codes).copy())) if is_shared else self


def _is_one_of(label: str, codes: set[float]) -> bool:
    """Whether a label is one of these numbers, however it is written."""
    return bool(codes) and NUMBER.fullmatch(label) is not None and float(label) in codes


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of float64; `NaN` is missing. `reason` says why it is one of numbers.

    `absent_texts` are the texts that were treated as missing when it was read, with their counts.
    """

    name: str
    values: NDArray[np.float64]
    reason: str = ""
    absent_texts: Mapping[str, int] | None = None

    def missing(self, rules: Rules) -> NDArray[np.bool_] | None:
        """Which rows are missing; None stands for none."""
        rows = np.isnan(self.values)
        return rows if rows.any() else None

    def take(self, rows: Array) -> Numbers:
        """The column at these rows."""
        return replace(self, values=frozen(self.values[rows]))

    def owned(self) -> Numbers:
        """The column with values that no frame shares."""
        return self if self.values.base is None else replace(self, values=frozen(self.values.copy()))


@dataclass(frozen=True, eq=False)
class Unusable:
    """A column that cannot be a variable, such as one of dates or lists; `found` says what it holds."""

    name: str
    found: str
    is_date: bool = False
    texts: Callable[[], list[str]] | None = None  # of dates, an empty one for a null

    def missing(self, rules: Rules) -> None:
        """No rows: such a column is left out or refused as a whole."""

    def take(self, rows: Array) -> Unusable:
        """The column at these rows."""
        whole = self.texts
        if whole is None:
            return self
        return replace(self, texts=partial(_texts_at, whole, rows))

    def owned(self) -> Unusable:
        """The column itself."""
        return self

    def refusal(self) -> InputError:
        """The error for a column of a type that cannot be a variable."""
        return InputError(
            f"column {self.name!r} holds {self.found}, which is neither discrete nor a number: convert it to text, "
            f"categories or numbers (a date, for example, to a year or to days since a start), or leave it out: "
            f"{setting('drop', [self.name])}"
        )


Raw = Levels | Numbers | Unusable


@dataclass(frozen=True)
class RawTable:
    """Columns as they come from a source, and what was done to the source to get them.

    ``names`` are those of all columns of the source, where some have been left out. ``again`` gives a column as other
    rules would have it read, without reading the source again; it is there only within `remembering`, as it keeps the
    content of the source.
    """

    columns: Sequence[Raw]
    nrows: int
    notes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    again: Callable[[str, Rules], Raw] | None = None


def with_nulls(name: str, origin: Origin, labels: Iterable[str | None], codes: Codes, nulls: Array) -> Levels:
    """Levels in which the rows marked as null get a label of their own."""
    labels = list(labels)
    if nulls.any():
        codes, labels = np.where(nulls, len(labels), unpacked(codes)), [*labels, None]
    return Levels(name, origin, labels, codes)


def level_type(count: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that holds the codes of this number of labels."""
    return code_type(count) if count <= MAX_STATES else np.uint32


def integer_levels(name: str, values: Array) -> Levels:
    """Code integers in increasing order."""
    low, high = int(values.min()), int(values.max())
    if high - low >= 1 << 20:
        distinct, codes = np.unique(values, return_inverse=True)
        return Levels(name, "integer", list(map(str, distinct.tolist())), codes)
    if values.dtype.itemsize < 4:
        values = values.astype(np.int32)  # the difference to the smallest would not fit
    shifted = values - values.dtype.type(low)
    present = np.flatnonzero(np.bincount(shifted.view(np.int64) if shifted.dtype == np.uint64 else shifted))
    lut = np.zeros(high - low + 1, dtype=level_type(len(present)))
    lut[present] = np.arange(len(present))
    return Levels(name, "integer", [str(low + int(i)) for i in present], frozen(lut[shifted]))


class FieldCoder:
    """Codes the fields of a column of a text file; None is null."""

    def __init__(self) -> None:
        self._place: dict[str | None, int] = {}
        self._parts: list[Array] = []

    def add(self, fields: Sequence[str | None]) -> None:
        """The next fields."""
        place = self._place
        for field in {*fields} - place.keys():
            place[field] = len(place)
        self._parts.append(np.fromiter(map(place.__getitem__, fields), dtype=np.uint32, count=len(fields)))

    def column(self, name: str) -> Levels:
        """All of them."""
        labels: list[str | None] = [*in_order(field for field in self._place if field is not None)]
        if None in self._place:
            labels.append(None)
        ranks = np.zeros(len(labels), dtype=level_type(len(labels)))
        ranks[[self._place[label] for label in labels]] = np.arange(len(labels))
        return Levels(name, "field", labels, frozen(ranks[np.concatenate(self._parts)]))


def field_levels(name: str, fields: Sequence[str]) -> Levels:
    """Code the fields of a table of text; an empty one is null."""
    coder = FieldCoder()
    coder.add([field or None for field in fields])
    return coder.column(name)


def object_column(name: str, values: Sequence[Any], nulls: NDArray[np.bool_]) -> Raw:
    """A column of Python objects, which should all be of one type."""
    types = {type(v) for v, null in zip(values, nulls, strict=True) if not null}
    if types <= {bool, np.bool_}:
        codes = np.array([not null and bool(v) for v, null in zip(values, nulls, strict=True)], dtype=np.uint8)
        return with_nulls(name, "boolean" if types else "text", ["False", "True"] if types else [], codes, nulls)
    text = all(issubclass(t, str) for t in types)
    if text or (all(issubclass(t, Integral) for t in types) and not types & {bool, np.bool_}):
        index: dict[str, int] = {}
        labels = (
            0 if null else index.setdefault(state_name(v), len(index)) for v, null in zip(values, nulls, strict=True)
        )
        codes = np.fromiter(labels, dtype=np.int64, count=len(values))
        return with_nulls(name, "text" if text else "integer", index, codes, nulls)
    if all(issubclass(t, Real | Decimal) for t in types) and not types & {bool, np.bool_}:
        numbers = [np.nan if null else float(v) for v, null in zip(values, nulls, strict=True)]
        return Numbers(name, frozen(np.array(numbers)))
    if len(types) > 1:
        found = ", ".join(sorted(t.__name__ for t in types))
        raise InputError(f"column {name!r} mixes values of the types {found}: convert it to text or to numbers")
    kind = types.pop()
    return Unusable(name, kind.__name__, issubclass(kind, date | time | timedelta), partial(_date_texts, values, nulls))


def _texts_at(whole: Callable[[], list[str]], rows: Array) -> list[str]:
    texts: list[str] = np.array(whole(), dtype=object)[rows].tolist()
    return texts


def _date_texts(values: Sequence[Any], nulls: NDArray[np.bool_]) -> list[str]:
    return ["" if null else str(value) for value, null in zip(values, nulls, strict=True)]
