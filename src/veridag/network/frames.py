"""Data frames as a network reads them: columns by name, with the network's kinds and states."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from veridag.data import Column, Data, DataWarning
from veridag.errors import InputError, suggest

if TYPE_CHECKING:
    from .network import Network


def data_for(network: Network, data: Data | Any) -> Data:
    """The data itself, or the variables of the network from a data frame."""
    if isinstance(data, Data):
        return data
    present = column_names(data)
    for name in network.names:
        if name not in present:
            raise InputError(f"the data has no column {name!r}, which the network needs: {suggest(name, present)}")
    return with_all_columns(network, coded_frame(network, data, network.names), network.names)


def coded_frame(network: Network, frame: Any, known: Collection[str]) -> Data:
    """These columns of a data frame, if they have any values; a frame without values has a column of another name."""
    names = [v for v in known if not _is_empty(frame, v)]
    if not names:  # the number of rows alone matters
        n = len(next(iter(frame.values()), ())) if isinstance(frame, Mapping) else len(frame)
        return Data([Column.continuous("row", np.zeros(n))])
    kinds: dict[str, Any] = {v: "discrete" if v in network.states else "continuous" for v in names}
    states = {v: network.states[v] for v in names if v in network.states}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # constant columns are no matter here
        return Data.from_frame(frame, columns=names, kinds=kinds, states=states, missing="keep")


def _is_empty(frame: Any, name: str) -> bool:
    """Whether all values of a column are null or NaN."""
    values = frame[name]
    if hasattr(values, "isna"):  # pandas has a missing value that cannot be compared
        return bool(values.isna().all())
    values = values.to_pylist() if hasattr(values, "to_pylist") else values
    return all(x is None or x != x for x in values)


def column_names(frame: Any) -> list[str]:
    """The columns of a data frame of any kind, or of a dictionary; raises `InputError` for anything else."""
    if isinstance(frame, Mapping):
        return [str(name) for name in frame]
    names = getattr(frame, "column_names", getattr(frame, "columns", None))  # pyarrow, others
    if names is None:
        raise InputError(
            "data: give a Data or a data frame with column names, such as pandas.DataFrame(array, columns=[...]), not "
            f"{type(frame).__name__}"
        )
    return [str(name) for name in names]


def with_all_columns(network: Network, data: Data, known: Collection[str]) -> Data:
    """A column for each variable of the network, without values where it is not among those that are known."""
    columns = {c.name: c for c in data.columns}
    absent = np.zeros(data.nrows, bool)
    codes, numbers = np.zeros(data.nrows, np.uint8), np.zeros(data.nrows)
    made = []
    for v in network.names:
        if v in known and v in columns:
            made.append(columns[v])
        elif v in network.states:
            made.append(Column.discrete(v, codes, network.states[v], observed=absent))
        else:
            made.append(Column.continuous(v, numbers, observed=absent))
    return Data(made)
