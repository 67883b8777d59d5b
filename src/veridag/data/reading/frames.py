"""Frames in memory: pandas, polars, pyarrow and numpy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from veridag.data.columns import Array, frozen, state_name, unshared
from veridag.errors import InputError

from .coding import check_names
from .raw import (
    Levels,
    Numbers,
    Origin,
    Raw,
    RawTable,
    Unusable,
    integer_levels,
    object_column,
    text_levels,
    with_nulls,
)
from .rules import Rules

if TYPE_CHECKING:
    import polars as pl


def read_frame(frame: Any) -> RawTable:
    """A pandas, polars or pyarrow table, or a dictionary of columns by name."""
    import narwhals as nw

    if isinstance(frame, Mapping):
        frame = _of_columns(frame)
    try:
        wrapped = nw.from_native(frame)
    except TypeError:
        raise InputError(f"a pandas, polars or pyarrow table is needed, not {type(frame).__name__}") from None
    except ValueError:
        check_names([str(name) for name in getattr(frame, "column_names", frame.columns)], Rules())
        raise
    if not isinstance(wrapped, nw.DataFrame):
        raise InputError(f"{type(frame).__name__} is not in memory yet: call .collect() (or .compute()) on it first")
    if wrapped.implementation.is_polars():
        return RawTable(_owned(from_polars(frame)), frame.height)
    if wrapped.implementation.is_pyarrow():
        return RawTable(_owned(_from_arrow(frame)), frame.num_rows)
    if not wrapped.implementation.is_pandas_like():
        raise InputError(f"a pandas, polars or pyarrow table is needed, not {type(frame).__name__}")
    return RawTable(_owned(_from_pandas(frame)), len(frame))


def _of_columns(columns: Mapping[str, Any]) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.DataFrame({str(name): pl.Series(str(name), values) for name, values in columns.items()})
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"the columns make no table: {str(error).splitlines()[0]}") from None


def _owned(raw: Iterable[Raw]) -> list[Raw]:
    """Columns that do not change with the frame, nor with a numpy array that the frame itself was made of."""
    return [r.owned() for r in raw]


def read_array(array: Any, names: Sequence[str] | None) -> RawTable:
    """A two-dimensional numpy array, a column for each variable."""
    if np.ma.isMaskedArray(array):
        raise InputError("masked arrays are not read: pass array.filled(np.nan), or a frame with nulls")
    try:
        array = np.asarray(array)
    except ValueError as error:
        raise InputError(f"a two-dimensional array is needed, rows by columns: {error}") from None
    if array.ndim != 2:
        raise InputError(f"a two-dimensional array is needed, rows by columns, not one of shape {array.shape}")
    names = [f"X{j}" for j in range(1, array.shape[1] + 1)] if names is None else _array_names(names)
    if len(names) != array.shape[1]:
        raise InputError(f"names= has {len(names)} names for {array.shape[1]} columns")
    return RawTable([_array_column(name, array[:, j]) for j, name in enumerate(names)], len(array))


def _array_names(given: Any) -> list[str]:
    if isinstance(given, str | bytes | set | frozenset | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"names={given!r} must be a list of texts, one for each column")
    names = list(given)
    for name in names:
        if not isinstance(name, str | Integral):
            raise InputError(f"names= holds {name!r}, which is no text: give a list of texts, one for each column")
    return [str(name) for name in names]


def _array_column(name: str, values: Array) -> Raw:
    if not values.size:
        return Levels(name, "text", [], np.zeros(0, dtype=np.uint8))
    if values.dtype.kind in "iu":
        return integer_levels(name, values)
    if values.dtype.kind == "b":
        return Levels(name, "boolean", ["False", "True"], frozen(values.astype(np.uint8)))
    if values.dtype.kind == "f":
        return Numbers(name, unshared(values, np.float64))
    if values.dtype.kind in "UO":
        items = values.tolist()
        return object_column(name, items, np.array([v is None or v != v for v in items], dtype=bool))
    is_date = values.dtype.kind in "mM"
    return Unusable(name, str(values.dtype), is_date, lambda: ["" if v != v else str(v) for v in values])


def _from_pandas(frame: Any) -> list[Raw]:
    return [_pandas_column(str(name), frame.iloc[:, j]) for j, name in enumerate(frame.columns)]


def _pandas_column(name: str, series: Any) -> Raw:
    import narwhals as nw

    kind = type(nw.from_native(series, series_only=True).dtype).__name__
    nulls = series.isna().to_numpy()
    if not len(series):
        return Levels(name, "text", [], np.zeros(0, dtype=np.uint8))
    if kind in ("Categorical", "Enum", "String"):
        origin: Origin = "text" if kind == "String" else "declared"
        coded = series.astype("category").cat if kind == "String" else series.cat
        return with_nulls(name, origin, map(state_name, coded.categories), coded.codes.to_numpy(), nulls)
    if kind == "Boolean":
        return with_nulls(name, "boolean", ["False", "True"], series.fillna(False).to_numpy(dtype=np.uint8), nulls)
    if "Int" in kind:
        filled = series.fillna(series.min()) if not nulls.all() else series.fillna(0)
        levels = integer_levels(name, filled.to_numpy(dtype=np.uint64 if kind == "UInt64" else np.int64))
        return with_nulls(name, "integer", levels.labels, levels.codes, nulls)
    if "Float" in kind or kind == "Decimal":
        return Numbers(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind == "Object":
        return object_column(name, list(series), nulls)
    is_date = kind in ("Date", "Datetime", "Duration", "Time")
    return Unusable(name, str(series.dtype), is_date, lambda: ["" if v != v else str(v) for v in series])


def _from_arrow(frame: Any) -> list[Raw]:
    import polars as pl

    raw: list[Raw] = []
    for name, column in zip(frame.column_names, frame.columns, strict=True):
        if not str(column.type).startswith("dictionary"):
            series = pl.from_arrow(column)
            raw += from_polars(pl.DataFrame([series.alias(name)]))  # type: ignore[union-attr] # a column is a series
            continue
        whole = column.unify_dictionaries().combine_chunks()
        labels = [None if v is None else state_name(v) for v in whole.dictionary.to_pylist()]
        codes = whole.indices.fill_null(0).to_numpy(zero_copy_only=False)
        raw.append(with_nulls(name, "declared", labels, codes, whole.is_null().to_numpy(zero_copy_only=False)))
    return raw


def from_polars(frame: pl.DataFrame) -> list[Raw]:
    """The columns of a polars frame."""
    import polars as pl

    # Polars takes a name like "^a.*$" for a pattern, even in methods of a series, so columns go without names here.
    columns = [s.alias(str(j)) for j, s in enumerate(frame)]
    text = {j: s for j, s in enumerate(columns) if s.dtype in (pl.String, pl.Categorical)}
    coded = dict(zip(text, text_levels([frame.columns[j] for j in text], list(text.values()), "text"), strict=True))
    return [coded[j] if j in coded else _polars_column(frame.columns[j], s) for j, s in enumerate(columns)]


def _polars_column(name: str, series: pl.Series) -> Raw:
    import polars as pl

    kind, nulls = series.dtype, series.is_null().to_numpy()
    if isinstance(kind, pl.Enum):
        codes = series.to_physical().fill_null(0).to_numpy()
        return with_nulls(name, "declared", kind.categories.to_list(), codes, nulls)
    if kind == pl.Boolean:
        return with_nulls(name, "boolean", ["False", "True"], series.fill_null(False).cast(pl.UInt8).to_numpy(), nulls)
    if str(kind) in ("Int128", "UInt128") and not nulls.all():
        raise InputError(
            f"column {name!r} holds {kind}, and integers may have 64 bits at most: cast it to pl.Int64, or to "
            f"pl.String if its values are states"
        )
    if kind.is_integer() and not nulls.all():
        levels = integer_levels(name, series.fill_null(strategy="min").to_numpy())
        return with_nulls(name, "integer", levels.labels, levels.codes, nulls)
    if kind.is_float() or kind.is_decimal():
        return Numbers(name, series.cast(pl.Float64).fill_null(np.nan).to_numpy())
    if nulls.all():
        return Levels(name, "text", [None], np.zeros(len(series), dtype=np.uint8))
    return Unusable(name, str(kind), kind.is_temporal(), lambda: series.cast(pl.String).fill_null("").to_list())
