"""The E-step: what the families of a network would count on average if nothing were missing."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.network.matching import Rows
from veridag.network.network import Network
from veridag.network.parameters import Floats
from veridag.network.query import JunctionTree

from .component import Cells, Component, Numbers, components
from .configurations import naming_gaps
from .observed import complete_families, family_rows
from .parts import barren


class Statistics(NamedTuple):
    """Expected sufficient statistics of each family.

    `counts` of a discrete variable are its n_ijk, flat. `moments` of a continuous one are E[z z'] summed over the rows,
    for each configuration of its discrete parents, where z is 1, the continuous parents and the variable.
    """

    counts: dict[str, Floats]
    moments: dict[str, Floats]


class Expectation:
    """The rows of data with missing values, prepared for E-steps with any parameters of one structure.

    A family that a row has wholly counts the same in every step. Of the others those that are barren in a row are left
    out: the likelihood of the row does not depend on them, and EM for the rest of the row is EM all the same.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.parts = components(rows, barren(rows.network, rows.missing))
        self.complete = complete_statistics(rows)

    def __call__(self, network: Network) -> tuple[Statistics, float]:
        """The statistics under the parameters of a network, and the log-likelihood of what was observed."""
        numbers = Numbers(network)
        log_p = complete_families(self.rows, numbers)
        counts = {v: n.copy() for v, n in self.complete.counts.items()}
        moments = {x: m.copy() for x, m in self.complete.moments.items()}
        statistics = Statistics(counts, moments)
        for part in self.parts:
            log_p[part.rows] += self._add_part(statistics, part, numbers)
        return statistics, float(self.rows.weights @ log_p)

    def _add_part(self, statistics: Statistics, part: Component, numbers: Numbers) -> Floats:
        posterior, normals = part.posterior(numbers)
        w = self.rows.weights[part.rows, None]
        for v in part.tables:
            _add(statistics.counts[v], part.cells[v].numbers, w * posterior.marginal(part.scopes[v]))
        for block, normal in zip(part.blocks, normals, strict=True):
            weights = w * posterior.marginal(block.scope) if block.scope else w
            for x in block.families:
                _add_moments(statistics.moments[x], block.cells[x].numbers, weights, *block.moments(x, normal))
        return posterior.log_probability


class DiscreteExpectation:
    """The same for a network of discrete variables alone, by its junction tree: equal rows are one."""

    def __init__(self, rows: Rows, jobs: int) -> None:
        self.complete, self.jobs = complete_statistics(rows), jobs
        self.tree = JunctionTree(rows.network)
        self.states, which = np.unique(rows.states, axis=0, return_inverse=True)
        self.weights = np.bincount(which.reshape(-1), rows.weights)

    def __call__(self, network: Network) -> tuple[Statistics, float]:
        """The statistics under the parameters of a network, and the log-likelihood of what was observed."""
        with naming_gaps():
            found = self.tree.with_parameters(network).expected_counts(self.states, self.weights, jobs=self.jobs)
        counts = {v: n.reshape(-1) for v, n in found.counts.items()}
        return Statistics(counts, {}), float(self.weights @ found.log_probabilities)


def complete_statistics(rows: Rows) -> Statistics:
    """What rows count in the families that they have wholly."""
    network, statistics = rows.network, _zeros(rows)
    for v in network.names:
        which = family_rows(rows, v)
        w = rows.weights[which, None]
        if v in network.states:
            cells = Cells.of(rows, which, (*network.cpds[v].parents, v), ())
            _add(statistics.counts[v], cells.numbers, w)
            continue
        cpd = rows.regressions[v]
        cells = Cells.of(rows, which, cpd.discrete, ())
        means = [rows.values[which, rows.at[u], None] for u in (*cpd.continuous, v)]
        _add_moments(statistics.moments[v], cells.numbers, w, means, None)
    return statistics


def _zeros(rows: Rows) -> Statistics:
    network = rows.network
    counts = {v: np.zeros(network.table(v).probabilities.size) for v in network.names if v in network.states}
    moments = {}
    for x, cpd in rows.regressions.items():
        size = len(cpd.continuous) + 2
        moments[x] = np.zeros((prod(len(network.states[d]) for d in cpd.discrete), size, size))
    return Statistics(counts, moments)


def _add(totals: Floats, cells: NDArray[np.intp], weights: Floats) -> None:
    """Add weights, rows x configurations, to the cells they belong to."""
    where, amounts = np.broadcast_arrays(cells, weights)
    totals += np.bincount(where.reshape(-1), amounts.reshape(-1), minlength=len(totals))


def _add_moments(
    totals: Floats, cells: NDArray[np.intp], weights: Floats, means: Sequence[Floats], covariance: Floats | None
) -> None:
    """Add the expected products of 1 and the members of a family, whose means and covariances are given."""
    members = [np.ones((1, 1)), *means]
    if len(totals) == 1:
        z = np.stack([np.broadcast_to(own, weights.shape) for own in members], axis=-1).reshape(-1, len(members))
        w = weights.reshape(-1)
        totals[0] += (z * w[:, None]).T @ z
        if covariance is not None:
            spread = np.broadcast_to(covariance, (*weights.shape, *covariance.shape[-2:])).reshape(w.size, -1)
            totals[0, 1:, 1:] += (w @ spread).reshape(covariance.shape[-2:])
        return
    for u in range(len(members)):
        for v in range(u, len(members)):
            product = members[u] * members[v]
            if u > 0 and covariance is not None:
                product = product + covariance[..., u - 1, v - 1]
            _add(totals[:, u, v], cells, weights * product)
            totals[:, v, u] = totals[:, u, v]
