"""How probable data is under a network: the logarithm of the likelihood, row by row."""

from __future__ import annotations

from collections.abc import Sequence
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
            rows += _table_terms(network, data, v) if v in network.states else _gaussian_terms(network, data, v)
    return rows


def _check_data(network: Network, data: Data) -> None:
    for variable in network.names:
        if variable not in data.kinds:
            raise InputError(
                f"the data has no column {variable!r}, which the network needs: {suggest(variable, data.names)}"
            )
        needed = "discrete" if variable in network.states else "continuous"
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


def _numbers(network: Network, data: Data, variables: Sequence[str]) -> NDArray[np.intp]:
    """For each row, the number of the configuration of these variables in the network, the last changing fastest."""
    number = np.zeros(data.nrows, dtype=np.intp)
    for v in variables:
        number = number * len(network.states[v]) + _state_map(network, data, v)[data.column(v)]
    return number


def _table_terms(network: Network, data: Data, variable: str) -> Floats:
    table = network.table(variable)
    return np.log(table.probabilities.reshape(-1))[_numbers(network, data, (*table.parents, variable))]


def _gaussian_terms(network: Network, data: Data, variable: str) -> Floats:
    cpd = network.conditional_gaussian(variable)
    chosen = _numbers(network, data, cpd.discrete) if cpd.discrete else None

    def own(values: Floats) -> Floats:
        """The number that belongs to each row, or the one for all."""
        return values if chosen is None else values.reshape(-1)[chosen]

    mean = np.zeros(data.nrows) + own(cpd.intercepts)
    for k, parent in enumerate(cpd.continuous):
        mean += own(cpd.coefficients[..., k]) * data.column(parent)
    residual, sd = data.column(variable) - mean, own(cpd.sds)
    z = residual / np.where(sd > 0, sd, 1.0)
    density = -0.5 * np.log(2 * np.pi) - np.log(np.where(sd > 0, sd, 1.0)) - 0.5 * z**2
    return np.where(sd > 0, density, np.where(residual == 0, 0.0, -np.inf))
