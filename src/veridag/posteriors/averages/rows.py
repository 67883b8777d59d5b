"""How probable rows are under each network, a family at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from veridag.data import Column, Data
from veridag.network import likelihood
from veridag.network.likelihood import family_terms
from veridag.network.matching import check_columns
from veridag.progress import Progress

if TYPE_CHECKING:
    from .average import NetworkAverage

Floats = NDArray[np.float64]

#: Entries of the arrays of DAGs and rows that are worked on at a time.
_ENTRIES = 2**23


def log_likelihood_rows(average: NetworkAverage, data: Data, progress: Progress | None) -> Floats:
    """The logarithm of the mean over networks of P(row)."""
    check_columns(average.names, average.states, data)
    found = np.empty(data.nrows)
    for at, piece in pieces(average, data, progress):
        found[at] = log_mean(average, log_rows(average, piece))
    return found


def log_mean(average: NetworkAverage, logs: Floats) -> Floats:
    """log of the mean over draws of exp(logs), which has the DAGs along its first axis."""
    largest = logs.max(axis=0)
    base = np.where(largest > -np.inf, largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(base + np.log(np.tensordot(average.shares, np.exp(logs - base), axes=1)))


def pieces(average: NetworkAverage, data: Data, progress: Progress | None) -> Iterator[tuple[slice, Data]]:
    """The rows in pieces that are small enough to have a number for each DAG."""
    step = max(1, _ENTRIES // max(1, average.dags))
    for start in range(0, data.nrows, step):
        if progress is not None:
            progress("rows", start, data.nrows, {})
        yield slice(start, start + step), data.rows(slice(start, start + step))


def log_rows(average: NetworkAverage, data: Data) -> Floats:
    """log P(what the row has), [DAG, row]."""
    missing = {c.name for c in data.columns if c.observed is not None} & {*average.names}
    if missing:
        return _log_rows_with_gaps(average, data)
    total = np.zeros((average.dags, data.nrows))
    for v, name in enumerate(average.names):
        dags, own = average.families(v)
        terms = np.stack([family_terms(average.cpd(int(dag), v), name, average.states, data) for dag in dags])
        if data.targets is not None:
            terms[:, data.targets.is_set([name])] = 0.0  # P of the others given do(), as of one network
        total += terms[own]
    return total


def _log_rows_with_gaps(average: NetworkAverage, data: Data) -> Floats:
    """Network by network: only variables with values, and their ancestors, matter."""
    asked = [c.name for c in data.columns if c.name in average.names and (c.observed is None or c.observed.any())]
    parts, own = average.parts(asked)
    found = np.stack(
        [likelihood.log_likelihood_rows(average.network(dag, variables), data) for dag, variables in parts]
    )
    return found[own]


def with_gaps(average: NetworkAverage, data: Data, given: Collection[str]) -> Data:
    """The columns of the networks, where those that are not given have no values."""
    columns = {c.name: c for c in data.columns}
    absent = np.zeros(data.nrows, bool)
    nothing = np.zeros(data.nrows)
    made = []
    for v in average.names:
        if v in given:
            made.append(columns[v])
        elif v in average.states:
            made.append(Column.discrete(v, nothing.astype(np.uint8), average.states[v], observed=absent))
        else:
            made.append(Column.continuous(v, nothing, observed=absent))
    return Data(made)


def with_column(data: Data, column: Column) -> Data:
    """The same rows with this column in the place of the one of its name."""
    return Data([column if c.name == column.name else c for c in data.columns])
