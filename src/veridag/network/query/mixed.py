"""Mixed networks: exact posteriors of discrete variables, and exact moments of continuous ones.

Given all discrete variables the others are jointly normal. They are eliminated first (Lauritzen 1992 calls such an
order strong), which leaves likelihoods that are functions of discrete variables alone, and these are eliminated as in
a discrete network.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.network.network import Network

from .elimination import Factor, Floats, conditional, known, refuse_large
from .regressions import Continuous


class Mixture(NamedTuple):
    """The table of discrete targets and, for each of its cells, mean and covariance of the continuous ones."""

    probabilities: Floats
    means: Floats
    covariances: Floats


class _Component(NamedTuple):
    """Continuous targets that depend on each other, with their moments for each configuration of `scope`."""

    at: NDArray[np.intp]
    scope: tuple[str, ...]
    mean: Floats
    covariance: Floats


def mixture(
    network: Network,
    discrete: Sequence[str],
    continuous: Sequence[str],
    states: Mapping[str, int],
    values: Mapping[str, float],
) -> Mixture:
    """The joint distribution of the targets, given states of discrete variables and values of continuous ones.

    The moments given a cell t of the table are those of a mixture, over the configurations d of the discrete variables
    that the continuous targets depend on: E[x | t] = sum_d P(d | t) m_d, and Cov[x | t] = sum_d P(d | t) (S_d +
    (m_d - E[x | t]) (m_d - E[x | t])'). Targets that are independent given the discrete variables need P(d | t) for two
    at a time only. Cells of probability zero have no moments: not a number.
    """
    asked = (*continuous, *values)
    relevant = {v for v in {*asked, *network.dag.ancestors(asked)} if v not in network.states}
    system = Continuous(network, relevant, known(network, states))
    posterior = _Posterior(network, discrete, states, system.reduce(values, continuous), values)
    probabilities = posterior.table(())
    parts = [
        _Component(np.array([continuous.index(v) for v in names]), *system.moments(names))
        for names in system.components()
    ]
    cells, k = probabilities.size, len(continuous)
    means, covariances = np.empty((cells, k)), np.empty((cells, k, k))
    for part in parts:
        weights, (m, s) = posterior.given_cells(part.scope, (part.scope, part.mean), (part.scope, part.covariance))
        mean = np.einsum("td,tdi->ti", weights, m)
        m = m - mean[:, None, :]
        means[:, part.at] = mean
        spread_of_means = np.einsum("td,tdi,tdj->tij", weights, m, m)
        covariances[:, part.at[:, None], part.at] = np.einsum("td,tdij->tij", weights, s) + spread_of_means
    for one, other in combinations(parts, 2):
        scope = {*one.scope, *other.scope}
        weights, (m, n) = posterior.given_cells(scope, (one.scope, one.mean), (other.scope, other.mean))
        m, n = m - means[:, None, one.at], n - means[:, None, other.at]
        block = np.einsum("td,tdi,tdj->tij", weights, m, n)
        covariances[:, one.at[:, None], other.at] = block
        covariances[:, other.at[:, None], one.at] = np.swapaxes(block, 1, 2)
    shape = probabilities.shape
    return Mixture(probabilities, means.reshape(*shape, k), covariances.reshape(*shape, k, k))


class _Posterior:
    """P(discrete variables | evidence), with the discrete targets first."""

    def __init__(
        self,
        network: Network,
        targets: Sequence[str],
        states: Mapping[str, int],
        likelihoods: Sequence[Factor],
        values: Mapping[str, float],
    ) -> None:
        self.network, self.targets, self.states, self.likelihoods = network, tuple(targets), states, likelihoods
        known_states = [f"{v} = {network.states[v][k]}" for v, k in states.items()]
        self.given = ", ".join([*known_states, *(f"{v} = {x:g}" for v, x in values.items())])

    def table(self, others: Sequence[str]) -> Floats:
        """P(targets, others | evidence)."""
        return conditional(self.network, (*self.targets, *others), self.states, self.likelihoods, self.given)

    def given_cells(
        self, scope: Collection[str], *functions: tuple[Sequence[str], Floats]
    ) -> tuple[Floats, list[Floats]]:
        """P(d | t) for the configurations d of a scope and the cells t of the targets, and functions of parts of it.

        The first axis of all is t, the second d. A function is a scope with an array that has its axes first.
        """
        others = tuple(v for v in self.network.names if v in scope and v not in self.targets)
        union = (*self.targets, *others)
        lengths = [len(self.network.states[v]) for v in union]
        tails = [values.shape[len(own) :] for own, values in functions]
        refuse_large(self.network, union, prod(lengths) * max(prod(tail) for tail in tails))
        joint = self.table(others).reshape(prod(lengths[: len(self.targets)]), -1)
        with np.errstate(invalid="ignore"):
            weights = joint / joint.sum(axis=1, keepdims=True)
        wide = []
        for (own, values), tail in zip(functions, tails, strict=True):
            axes = sorted(range(len(own)), key=lambda i: union.index(own[i]))
            arranged = np.transpose(values, (*axes, *range(len(own), values.ndim)))
            inserted = arranged.reshape([*(len(self.network.states[v]) if v in own else 1 for v in union), *tail])
            wide.append(np.broadcast_to(inserted, (*lengths, *tail)).reshape(*joint.shape, *tail))
        return weights, wide
