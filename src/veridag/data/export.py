"""Data as a frame of pandas or polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from veridag.errors import InputError, import_optional

from .columns import Array, Column

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from .data import Data


def to_pandas(data: Data, weights: str, group: str) -> pd.DataFrame:
    """Discrete variables as categories, missing values as NaN; weights and group, if any, as columns of these names."""
    pd = import_optional("pandas", "to_pandas")
    frame: dict[str, Any] = {}
    for c in _with_group(data, weights, group):
        values = _marked(c)
        discrete = c.kind == "discrete"
        frame[c.name] = pd.Categorical.from_codes(values, categories=list(c.states)) if discrete else values
    return pd.DataFrame(frame if data.weights is None else {**frame, weights: data.weights})


def _marked(column: Column) -> Array:
    """The values with the mark of pandas where one is missing: code -1, or NaN."""
    if column.observed is None:
        return column.values
    marked = column.values.astype(np.int32 if column.kind == "discrete" else np.float64)
    marked[~column.observed] = -1 if column.kind == "discrete" else np.nan
    return marked


def to_polars(data: Data, weights: str, group: str) -> pl.DataFrame:
    """Discrete variables as Enum, missing values as nulls; weights and group, if any, as columns of these names."""
    import polars as pl

    frame: dict[str, Any] = {}
    for c in _with_group(data, weights, group):
        states = pl.Series(c.states, dtype=pl.Enum(c.states)) if c.kind == "discrete" else None
        series = pl.Series(c.values) if states is None else states.gather(c.values)
        frame[c.name] = series if c.observed is None else series.set(pl.Series(~c.observed), None)
    return pl.DataFrame(frame if data.weights is None else {**frame, weights: data.weights})


def _with_group(data: Data, weights: str, group: str) -> list[Column]:
    """The variables and after them the group, if the names of the extra columns are free."""
    for argument, name, extra in (("group", group, data.group), ("weights", weights, data.weights)):
        if extra is not None and (not isinstance(name, str) or not name):
            raise InputError(f"{argument}={name!r} must be a name for the column, as a text")
        if extra is not None and name in data.names:
            raise InputError(f"{argument}={name!r} is a variable too: pass {argument}= with another name")
    if data.group is None:
        return list(data.columns)
    if data.weights is not None and weights == group:
        raise InputError(f"group= and weights= are both {group!r}: pass two names")
    return [*data.columns, Column.discrete(group, data.group, data.groups)]
