"""Where EM begins: from the available cases, or at random."""

from __future__ import annotations

from math import prod

import numpy as np

from veridag.network.network import Network
from veridag.network.parameters import CPD, ConditionalGaussian, Floats, LinearGaussian, Table

from .expectation import Statistics
from .maximization import distributions, regressions

#: What the tables of the first start add to the counts of available cases, in all cells of a table together: no
#: probability is zero, so that no row is impossible.
LEAST_ESS = 1.0


def from_available_cases(network: Network, statistics: Statistics, rng: np.random.Generator) -> Network:
    """Each family from the rows that have it wholly; at random if there are none, since equal numbers would stay so.

    `network` has the structure, and `statistics` those of the rows that have a family wholly. Where these do not give
    a regression, it is that of all configurations, or a standard normal distribution.
    """
    cpds: dict[str, CPD] = {}
    for v in network.names:
        cpd = network.cpds[v]
        if isinstance(cpd, Table):
            counts = statistics.counts[v].reshape(cpd.probabilities.shape)
            known = counts.sum() > 0
            cpds[v] = Table(cpd.parents, distributions(counts + LEAST_ESS / counts.size)) if known else _table(cpd, rng)
            continue
        moments, own = statistics.moments[v], ConditionalGaussian.of(cpd)
        pooled, usable = regressions(moments.sum(axis=0, keepdims=True))
        alone, enough = regressions(moments)
        chance = _rows(own, rng)
        instead = pooled if usable[0] else chance
        cpds[v] = _continuous(own, np.where(enough[:, None], alone, instead))
    return Network(cpds, network.states, name=network.name)


def at_random(network: Network, rng: np.random.Generator) -> Network:
    """Any distributions, and regressions between variables in units of their standard deviations."""
    cpds: dict[str, CPD] = {}
    for v in network.names:
        cpd = network.cpds[v]
        if isinstance(cpd, Table):
            cpds[v] = _table(cpd, rng)
        else:
            own = ConditionalGaussian.of(cpd)
            cpds[v] = _continuous(own, _rows(own, rng))
    return Network(cpds, network.states, name=network.name)


def _table(cpd: Table, rng: np.random.Generator) -> Table:
    shape = cpd.probabilities.shape
    p = rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])
    return Table(cpd.parents, distributions(p + 0.01))


def _rows(cpd: ConditionalGaussian, rng: np.random.Generator) -> Floats:
    """Intercepts, coefficients and standard deviations, a row for each configuration."""
    q = prod(cpd.intercepts.shape)
    slopes = rng.normal(scale=0.5, size=(q, len(cpd.continuous)))
    return np.column_stack([rng.normal(size=q), slopes, rng.uniform(0.5, 1.5, size=q)])


def _continuous(cpd: ConditionalGaussian, rows: Floats) -> LinearGaussian | ConditionalGaussian:
    if cpd.discrete:
        return ConditionalGaussian.from_rows(cpd.discrete, cpd.continuous, cpd.intercepts.shape, rows)
    return LinearGaussian(cpd.continuous, float(rows[0, 0]), rows[0, 1:-1], float(rows[0, -1]))
