"""How probable data is under a network: the logarithm of the likelihood, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data

from .matching import Rows, StateNames, check_data, state_map
from .parameters import CPD, ConditionalGaussian, Floats, LinearGaussian, Table

if TYPE_CHECKING:
    from .network import Network


def log_likelihood_rows(network: Network, data: Data) -> Floats:
    """log P(row) for each row, whatever its weight; minus infinity for a row that the network cannot produce.

    For a row with missing values, it is log P of the observed values. Variables that were set in a row have no term
    there: it is log P of the others given do() (Pearl 2009, eq. 3.10).
    """
    check_data(network, data)
    if any(c.observed is not None for c in data.columns if c.name in network.cpds):
        from .incomplete.observed import observed_log_likelihood

        data.require_observational(
            "the likelihood of data with missing values", "leave rows out with data.complete_cases()"
        )
        return observed_log_likelihood(Rows(network, data))
    rows = np.zeros(data.nrows)
    for v in network.names:
        terms = family_terms(network.cpds[v], v, network.states, data)
        rows += terms if data.targets is None else np.where(data.targets.is_set([v]), 0.0, terms)
    return rows


def family_terms(cpd: CPD, variable: str, states: StateNames, data: Data) -> Floats:
    """log P(variable | parents) in each row of complete data; `states` are those of the network."""
    if isinstance(cpd, Table):
        with np.errstate(divide="ignore"):
            return np.log(cpd.probabilities.reshape(-1))[_numbers(states, data, (*cpd.parents, variable))]
    residual, sd = FamilyRegressions(cpd, states, data).residual(variable)
    z = residual / np.where(sd > 0, sd, 1.0)
    density = -0.5 * np.log(2 * np.pi) - np.log(np.where(sd > 0, sd, 1.0)) - 0.5 * z**2
    return np.where(sd > 0, density, np.where(residual == 0, 0.0, -np.inf))


class FamilyRegressions:
    """The regression of a continuous variable in each row of complete data, chosen by its discrete parents."""

    def __init__(self, cpd: LinearGaussian | ConditionalGaussian, states: StateNames, data: Data) -> None:
        self.cpd, self.data = ConditionalGaussian.of(cpd), data
        self._chosen = _numbers(states, data, self.cpd.discrete) if self.cpd.discrete else None

    def _own(self, values: Floats) -> Floats:
        """The number that belongs to each row, or the one for all."""
        return values if self._chosen is None else values.reshape(-1)[self._chosen]

    def coefficient(self, parent: str) -> Floats:
        """The slope of a continuous parent."""
        return self._own(self.cpd.coefficients[..., self.cpd.continuous.index(parent)])

    def residual(self, variable: str) -> tuple[Floats, Floats]:
        """What the regression leaves of the variable, and the standard deviation of that."""
        mean = np.zeros(self.data.nrows) + self._own(self.cpd.intercepts)
        for parent in self.cpd.continuous:
            mean += self.coefficient(parent) * self.data.column(parent)
        return self.data.column(variable) - mean, self._own(self.cpd.sds)


def _numbers(states: StateNames, data: Data, variables: Sequence[str]) -> NDArray[np.intp]:
    """For each row, the number of the configuration of these variables in the network, the last changing fastest."""
    columns = {c.name: c for c in data.columns}
    number = np.zeros(data.nrows, dtype=np.intp)
    for v in variables:
        number = number * len(states[v]) + state_map(states, columns[v])[data.column(v)]
    return number
