"""How probable it is what rows with missing values have: the likelihood with the missing values summed out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from veridag.data import Column, Data
from veridag.network.matching import Rows
from veridag.network.network import Network
from veridag.network.parameters import Floats
from veridag.network.query import JunctionTree

from .component import Cells, Numbers, components
from .configurations import naming_gaps
from .gaussian import LOG_2PI, GaussianGaps, has_densities
from .parts import Positions, barren


def observed_log_likelihood(rows: Rows) -> Floats:
    """log P(what the row has) of each row: sum over, or integral of, the missing values.

    Tables are normalised first, since published ones are rounded. A row that has nothing has 0.
    """
    network = rows.network
    if network.kind == "discrete":
        with naming_gaps():
            return JunctionTree(network).log_probabilities(rows.states)
    if has_densities(network):
        return GaussianGaps(rows).complete(network).log_probability
    numbers = Numbers(network)
    log_p = complete_families(rows, numbers)
    for part in components(rows, barren(network, rows.missing)):
        log_p[part.rows] += part.posterior(numbers)[0].log_probability
    return log_p


def evidence_log_probability(network: Network, codes: Mapping[str, int], values: Mapping[str, float]) -> float:
    """log P(evidence), or of its density: numbers of states of discrete variables, and values of continuous ones."""
    there, absent = np.ones(1, bool), np.zeros(1, bool)
    columns = [
        Column.discrete(v, np.array([codes.get(v, 0)]), network.states[v], observed=there if v in codes else absent)
        if v in network.states
        else Column.continuous(v, np.array([values.get(v, 0.0)]), observed=there if v in values else absent)
        for v in network.names
    ]
    return float(observed_log_likelihood(Rows(network, Data(columns)))[0])


def complete_families(rows: Rows, numbers: Numbers) -> Floats:
    """The sum of log P(child | parents) over the families of which a row has all variables."""
    network = rows.network
    log_p = np.zeros(len(rows.missing))
    for v in network.names:
        which = family_rows(rows, v)
        log_p[which] += (
            _table_terms(rows, numbers, v, which) if v in network.states else _terms(rows, numbers, v, which)
        )
    return log_p


def family_rows(rows: Rows, variable: str) -> Positions:
    """The rows that have the variable and all its parents."""
    family = [rows.at[u] for u in (*rows.network.cpds[variable].parents, variable)]
    return np.flatnonzero(~rows.missing[:, family].any(axis=1))


def _table_terms(rows: Rows, numbers: Numbers, v: str, which: Positions) -> Floats:
    cells = Cells.of(rows, which, (*rows.network.cpds[v].parents, v), ())
    return numbers.log_tables[v][cells.base]


def _terms(rows: Rows, numbers: Numbers, x: str, which: Positions) -> Floats:
    cpd = rows.network.conditional_gaussian(x)
    cell = Cells.of(rows, which, cpd.discrete, ()).base
    a, b, s = (array[cell] for array in numbers.regressions[x])
    parents = rows.values[which][:, [rows.at[u] for u in cpd.continuous]]
    residual = rows.values[which, rows.at[x]] - a - (b * parents).sum(axis=1)
    certain = s == 0
    positive = np.where(certain, 1.0, s)
    density = -0.5 * (LOG_2PI + (residual / positive) ** 2) - np.log(positive)
    return np.where(certain, np.where(residual == 0, 0.0, -np.inf), density)
