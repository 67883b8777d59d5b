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


def to_pandas(data: Data, weights: str, group: str, targets: str) -> pd.DataFrame:
    """Discrete variables as categories, missing values as `NaN`; weights, group and targets, if any, as columns of
    these names."""
    pd = import_optional("pandas", "to_pandas")
    frame: dict[str, Any] = {}
    for c in with_group(data, weights, group, targets):
        values = _marked(c)
        discrete = c.kind == "discrete"
        frame[c.name] = pd.Categorical.from_codes(values, categories=list(c.states)) if discrete else values
    frame |= beside(data, weights, targets)
    return pd.DataFrame(frame)


def _marked(column: Column) -> Array:
    """The values with the mark of pandas where one is missing: code -1, or `NaN`."""
    if column.observed is None:
        return column.values
    marked = column.values.astype(np.int32 if column.kind == "discrete" else np.float64)
    marked[~column.observed] = -1 if column.kind == "discrete" else np.nan
    return marked


def to_polars(data: Data, weights: str, group: str, targets: str) -> pl.DataFrame:
    """Discrete variables as Enum, missing values as nulls; weights, group and targets, if any, as columns of
    these names."""
    polars = import_optional("polars", "to_polars", "files")
    frame: dict[str, Any] = {}
    for c in with_group(data, weights, group, targets):
        values = polars.Series(c.values)
        if c.observed is not None:
            values = values.set(polars.Series(~c.observed), None)
        discrete = c.kind == "discrete"
        frame[c.name] = polars.Series(c.states, dtype=polars.Enum(c.states)).gather(values) if discrete else values
    frame |= beside(data, weights, targets)
    made: pl.DataFrame = polars.DataFrame(frame)
    return made


def with_group(data: Data, weights: str, group: str, targets: str) -> list[Column]:
    """The variables and after them the group, if the names of the extra columns are free."""
    extras = [("group", group, data.group), ("weights", weights, data.weights), ("targets", targets, data.targets)]
    for argument, name, extra in extras:
        if extra is not None and (not isinstance(name, str) or not name):
            raise InputError(f"{argument}={name!r} must be a name for the column, as a string")
        if extra is not None and name in data.names:
            raise InputError(f"{argument}={name!r} is also the name of a variable: pass another name as {argument}=")
    taken: dict[str, str] = {}
    for argument, name, extra in extras:
        if extra is not None and name in taken:
            raise InputError(f"{taken[name]}= and {argument}= are both {name!r}: pass two names")
        taken |= {} if extra is None else {name: argument}
    if data.group is None:
        return list(data.columns)
    return [*data.columns, Column.discrete(group, data.group, data.groups)]


def beside(data: Data, weights: str, targets: str) -> dict[str, Any]:
    """The columns of weights and targets, if there are any."""
    frame: dict[str, Any] = {} if data.weights is None else {weights: data.weights}
    return frame if data.targets is None else {**frame, targets: data.targets.texts()}
