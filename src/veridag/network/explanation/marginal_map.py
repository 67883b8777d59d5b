"""`marginal_map`: the most probable values of some variables together, with the others summed out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

import numpy as np

from veridag.errors import InputError
from veridag.network.incomplete import configurations
from veridag.network.incomplete.observed import evidence_log_probability
from veridag.network.network import Network
from veridag.network.query import Asked, TooLarge
from veridag.network.query.elimination import LOGARITHMS, Factor, find_order, known, refuse_large
from veridag.network.query.gaussian import condition
from veridag.network.query.regressions import Continuous

from .most_probable import MostProbable, refuse_impossible


def marginal_map(
    network: Network, targets: str | Iterable[str], evidence: Mapping[str, str | float] | None = None
) -> MostProbable:
    """The most probable values of the targets, given the evidence; `Network.map` says more.

    The other variables are summed out first, which leaves factors over the targets alone, and these go through a
    junction tree: sums and maxima cannot change places (Park and Darwiche 2004), which makes this harder than the most
    probable values of all variables.
    """
    asked = Asked.of(network.names, network.states, targets, evidence)
    if network.is_gaussian:
        return _of_normal(network, asked)
    if asked.continuous:
        raise InputError(
            f"targets: {asked.continuous[0]!r} is continuous, and a mixed network has no closed form for the most "
            "probable value of some variables: leave it out, or use most_probable() for all variables"
        )
    fixed = known(network, asked.codes)
    free = [v for v in asked.targets if v not in fixed]
    factors = _summed_out(network, _factors(network, asked, fixed), free)
    constant = sum(float(f.values) for f in factors if not f.scope)
    refuse_impossible(asked, constant)
    chosen, log_joint, log_evidence = _highest(network, free, [f for f in factors if f.scope])
    refuse_impossible(asked, log_evidence)
    values = {v: network.states[v][chosen.get(v, 0)] for v in asked.targets}
    return MostProbable(values, asked.given, constant + log_joint, log_joint - log_evidence)


def _of_normal(network: Network, asked: Asked) -> MostProbable:
    """The mean is the mode, and the density there is 1 / sqrt(det(2 pi S))."""
    mean, covariance = condition(network, asked.targets, asked.values)
    log_posterior = -0.5 * float(np.linalg.slogdet(2 * np.pi * covariance)[1])
    log_evidence = evidence_log_probability(network, {}, asked.values) if asked.values else 0.0
    values = dict(zip(asked.targets, mean.tolist(), strict=True))
    return MostProbable(values, asked.given, log_posterior + log_evidence, log_posterior)


def _factors(network: Network, asked: Asked, fixed: Mapping[str, int]) -> list[Factor]:
    """The logarithms of the tables that matter, and of what observed numbers say about discrete variables."""
    relevant = {*asked.targets, *asked.codes, *asked.values}
    relevant |= set(network.dag.ancestors(relevant))
    found = []
    for v in network.names:
        if v in relevant and v in network.states:
            own = network.table(v)
            scope = (*own.parents, v)
            p = own.probabilities / own.probabilities.sum(axis=-1, keepdims=True)
            with np.errstate(divide="ignore"):
                values = np.log(p[tuple(fixed.get(u, slice(None)) for u in scope)])
            found.append(Factor(tuple(u for u in scope if u not in fixed), np.asarray(values)))
    if asked.values:
        system = Continuous(network, {v for v in relevant if v not in network.states}, fixed)
        found += system.reduce(asked.values, ())
    return found


def _summed_out(network: Network, factors: Sequence[Factor], kept: Sequence[str]) -> list[Factor]:
    """The factors over the kept variables that are left when all others are summed out."""
    arity = {v: len(network.states[v]) for f in factors for v in f.scope}
    order = find_order([f.scope for f in factors], [v for v in arity if v not in kept], arity)
    for clique in order.cliques:
        refuse_large(network, clique, prod(arity[v] for v in clique))
    place = {v: i for i, v in enumerate((*kept, *reversed(order.variables)))}
    left = [_arranged(f, place) for f in factors]
    for v in order.variables:
        own = [f for f in left if v in f.scope]
        scope, values = LOGARITHMS.product(own, place)
        left = [f for f in left if v not in f.scope] + [Factor(scope[:-1], LOGARITHMS.sum(values))]
    return left


def _arranged(factor: Factor, place: Mapping[str, int]) -> Factor:
    axes = sorted(range(len(factor.scope)), key=lambda i: place[factor.scope[i]])
    return Factor(tuple(factor.scope[i] for i in axes), np.transpose(factor.values, axes))


def _highest(network: Network, names: Sequence[str], factors: Sequence[Factor]) -> tuple[dict[str, int], float, float]:
    """The states with the largest product of the factors, its logarithm, and that of the sum over all states."""
    if not names:
        return {}, 0.0, 0.0
    arities = [len(network.states[v]) for v in names]
    flat = [configurations.Factor(f.scope, f.values.reshape(1, -1)) for f in factors]
    try:
        tree = configurations.ByTree(names, arities, flat, 1)
    except TooLarge as error:
        refuse_large(network, error.variables, error.entries)
        raise
    if tree.log_probability[0] == -np.inf:
        return {}, -np.inf, -np.inf
    chosen = dict(zip(names, tree.most_probable()[0].tolist(), strict=True))
    log_joint = sum(float(f.values[tuple(chosen[v] for v in f.scope)]) for f in factors)
    return chosen, log_joint, float(tree.log_probability[0])
