"""Frames in memory: pandas, polars, pyarrow and numpy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

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
    with_nulls,
)
from .rules import Rules


def read_frame(frame: Any) -> RawTable:
    """A pandas, polars or pyarrow table, or a dictionary of columns by name."""
    import narwhals as nw

    if isinstance(frame, Mapping):
        return _of_columns(frame)
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
        from .polars_columns import from_polars

        return RawTable(_owned(from_polars(frame)), frame.height)
    if wrapped.implementation.is_pyarrow():
        return RawTable(_owned(_from_arrow(frame)), frame.num_rows)
    if not wrapped.implementation.is_pandas_like():
        raise InputError(f"a pandas, polars or pyarrow table is needed, not {type(frame).__name__}")
    return RawTable(_owned(_from_pandas(frame)), len(frame))


def _of_columns(columns: Mapping[str, Any]) -> RawTable:
    lengths: dict[int, str] = {}
    raw: list[Raw] = []
    for name, given in zip(map(str, columns), columns.values(), strict=True):
        if isinstance(given, str | bytes) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) != 1:
            raise InputError(f"the columns do not form a table: {name!r} must be a list of values, one for each row")
        values: Any = given if hasattr(given, "__len__") else list(given)
        lengths.setdefault(len(values), name)
        raw.append(_given_column(name, values))
    if len(lengths) > 1:
        counts = " and ".join(f"{name!r} has {n} values" for n, name in list(lengths.items())[:2])
        raise InputError(f"the columns do not form a table: {counts}")
    return RawTable(_owned(raw), next(iter(lengths), 0))


def _given_column(name: str, values: Any) -> Raw:
    """A list of values, a numpy array, or a series of pandas, polars or pyarrow."""
    import narwhals as nw

    if isinstance(values, np.ndarray):
        return _array_column(name, values)
    wrapped = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(wrapped, nw.Series):
        items = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
        return object_column(name, items, np.array([v is None or v != v for v in items], dtype=bool))
    if wrapped.implementation.is_polars():
        from .polars_columns import from_polars

        return from_polars(values.to_frame(name))[0]
    return _arrow_column(name, values) if wrapped.implementation.is_pyarrow() else _pandas_column(name, values)


def _owned(raw: Iterable[Raw]) -> list[Raw]:
    """Columns that do not change with the frame, nor with a numpy array that the frame itself was made of."""
    return [r.owned() for r in raw]


def read_array(array: Any, names: Sequence[str] | None) -> RawTable:
    """A two-dimensional numpy array, a column for each variable."""
    if np.ma.isMaskedArray(array):
        raise InputError("masked arrays are not supported: pass array.filled(np.nan), or a frame with nulls")
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
        raise InputError(f"names={given!r} must be a list of strings, one for each column")
    names = list(given)
    for name in names:
        if not isinstance(name, str | Integral):
            raise InputError(f"names= has {name!r}, which is not a string: give a list of strings, one for each column")
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
    return [_arrow_column(*pair) for pair in zip(frame.column_names, frame.columns, strict=True)]


def _arrow_column(name: str, column: Any) -> Raw:
    """A chunked array of pyarrow."""
    import narwhals as nw

    dtype = nw.from_native(column, series_only=True).dtype
    kind, nulls = type(dtype).__name__, column.is_null().to_numpy()
    if nulls.all() and kind != "Categorical":
        return Levels(name, "text", [None], np.zeros(len(nulls), dtype=np.uint8))
    if kind in ("Categorical", "String"):
        whole = column.cast("large_string").dictionary_encode() if kind == "String" else column.unify_dictionaries()
        whole = whole.combine_chunks()
        labels = [None if v is None else state_name(v) for v in whole.dictionary.to_pylist()]
        codes = whole.indices.fill_null(0).to_numpy(zero_copy_only=False)
        return with_nulls(name, "text" if kind == "String" else "declared", labels, codes, nulls)
    if kind == "Boolean":
        return with_nulls(
            name, "boolean", ["False", "True"], column.fill_null(False).to_numpy().astype(np.uint8), nulls
        )
    if "Int" in kind:
        present = column.drop_null()[0].as_py()
        levels = integer_levels(name, column.fill_null(present).to_numpy())
        return with_nulls(name, "integer", levels.labels, levels.codes, nulls)
    if "Float" in kind or kind == "Decimal":
        return Numbers(name, column.cast("float64").fill_null(np.nan).to_numpy())
    is_date = kind in ("Date", "Datetime", "Duration", "Time")
    return Unusable(name, str(dtype), is_date, lambda: ["" if v is None else str(v) for v in column.to_pylist()])
