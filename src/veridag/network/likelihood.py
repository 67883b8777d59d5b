"""How probable data is under a network: the logarithm of the likelihood, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.errors import InputError, suggest

from .parameters import Floats

if TYPE_CHECKING:
    from .network import Network


def log_likelihood_rows(network: Network, data: Data) -> Floats:
    """log P(row) for each row, whatever its weight; minus infinity for a row that the network cannot produce."""
    _check_data(network, data)
    rows = np.zeros(data.nrows)
    with np.errstate(divide="ignore"):
        for v in network.names:
            rows += _gaussian_terms(network, data, v) if network.is_gaussian else _table_terms(network, data, v)
    return rows


def _check_data(network: Network, data: Data) -> None:
    for variable in network.names:
        if variable not in data.kinds:
            raise InputError(
                f"the data has no column {variable!r}, which the network needs: {suggest(variable, data.names)}"
            )
        needed = "continuous" if network.is_gaussian else "discrete"
        if data.kinds[variable] != needed:
            raise InputError(f"column {variable!r} is {data.kinds[variable]}, but the network's variable is {needed}")


def _state_map(network: Network, data: Data, variable: str) -> NDArray[np.intp]:
    """For each state of the data, its number in the network."""
    known = {state: k for k, state in enumerate(network.states[variable])}
    theirs = data.states[variable]
    observed = np.bincount(data.column(variable), minlength=len(theirs)) > 0
    for state, there in zip(theirs, observed, strict=True):
        if there and state not in known:
            raise InputError(
                f"column {variable!r} has the state {state!r}, which the network lacks: {suggest(state, known)}"
            )
    return np.array([known.get(state, 0) for state in theirs], dtype=np.intp)


def _table_terms(network: Network, data: Data, variable: str) -> Floats:
    table = network.table(variable)
    cell = np.zeros(data.nrows, dtype=np.intp)
    for v in (*table.parents, variable):
        cell = cell * len(network.states[v]) + _state_map(network, data, v)[data.column(v)]
    return np.log(table.probabilities.reshape(-1))[cell]


def _gaussian_terms(network: Network, data: Data, variable: str) -> Floats:
    cpd = network.gaussian(variable)
    mean = np.full(data.nrows, cpd.intercept)
    for coefficient, parent in zip(cpd.coefficients, cpd.parents, strict=True):
        mean += coefficient * data.column(parent)
    residual = data.column(variable) - mean
    if cpd.sd == 0:
        return np.where(residual == 0, 0.0, -np.inf)
    return np.asarray(-0.5 * np.log(2 * np.pi) - np.log(cpd.sd) - 0.5 * (residual / cpd.sd) ** 2)
