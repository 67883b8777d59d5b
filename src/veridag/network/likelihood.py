"""How probable data is under a network: the logarithm of the likelihood, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data

from .matching import Rows, check_data, state_map
from .parameters import Floats

if TYPE_CHECKING:
    from .network import Network


def log_likelihood_rows(network: Network, data: Data) -> Floats:
    """log P(row) for each row, whatever its weight; minus infinity for a row that the network cannot produce.

    Of a row with gaps it is log P of what the row has.
    """
    check_data(network, data)
    if any(c.observed is not None for c in data.columns if c.name in network.cpds):
        from .incomplete.observed import observed_log_likelihood

        return observed_log_likelihood(Rows(network, data))
    rows = np.zeros(data.nrows)
    with np.errstate(divide="ignore"):
        for v in network.names:
            rows += _table_terms(network, data, v) if v in network.states else _gaussian_terms(network, data, v)
    return rows


def _numbers(network: Network, data: Data, variables: Sequence[str]) -> NDArray[np.intp]:
    """For each row, the number of the configuration of these variables in the network, the last changing fastest."""
    columns = {c.name: c for c in data.columns}
    number = np.zeros(data.nrows, dtype=np.intp)
    for v in variables:
        number = number * len(network.states[v]) + state_map(network, columns[v])[data.column(v)]
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
