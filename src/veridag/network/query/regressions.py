"""The continuous variables of a mixed network: regressions that depend on discrete variables, and turning arcs round.

In a canonical form (Lauritzen 1992) a variance of zero is infinite. Regressions hold it, and no step subtracts
variances from each other, as in Lauritzen and Jensen (2001): the arc from u to v is turned round by Bayes' theorem for
two normal variables (Shachter and Kenley 1989), for each configuration of the discrete variables.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from veridag.errors import InputError
from veridag.network.network import Network

from .elimination import Factor, Floats, refuse_large, spread
from .plan import Drop, Observe, Turn, plan

#: How far, in shares of a value that is certain, evidence may be from it.
AGREES = 1e-6


@dataclass(frozen=True, eq=False)
class Regression:
    """x = intercept + sum of slope * parent + noise, where all numbers are functions of the variables in `scope`.

    Arrays have an axis for each of these, in the order of the network, of length one if they do not depend on it.
    """

    scope: tuple[str, ...]
    intercept: Floats
    slopes: Mapping[str, Floats]
    variance: Floats

    def over(self, scope: Sequence[str]) -> Regression:
        """The same with axes for more variables."""

        def wide(values: Floats) -> Floats:
            return spread(values, self.scope, scope)

        slopes = {v: wide(b) for v, b in self.slopes.items()}
        return Regression(tuple(scope), wide(self.intercept), slopes, wide(self.variance))

    def observed(self, parent: str, value: float) -> Regression:
        """The regression on the others where one parent has this value."""
        left = {v: b for v, b in self.slopes.items() if v != parent}
        return Regression(self.scope, self.intercept + self.slopes[parent] * value, left, self.variance)


def regression_of(network: Network, variable: str, fixed: Mapping[str, int]) -> Regression:
    """The regression of a variable, where the fixed discrete variables have their states."""
    cpd = network.conditional_gaussian(variable)
    where = tuple(fixed.get(v, slice(None)) for v in cpd.discrete)
    found = [v for v in cpd.discrete if v not in fixed]
    scope = tuple(v for v in network.names if v in found)
    axes = [found.index(v) for v in scope]

    def arranged(numbers: Floats) -> Floats:
        return np.asarray(np.transpose(numbers[where], axes))

    slopes = {v: arranged(cpd.coefficients[..., k]) for k, v in enumerate(cpd.continuous)}
    return Regression(scope, arranged(cpd.intercepts), slopes, arranged(cpd.sds**2))


def without(parent: Regression, u: str, child: Regression) -> Regression:
    """The child when its parent u is summed out: with the slope b its variance is s_v + b^2 s_u."""
    b = child.slopes[u]
    others = [w for w in dict.fromkeys((*child.slopes, *parent.slopes)) if w != u]
    slopes = {w: child.slopes.get(w, 0.0) + b * parent.slopes.get(w, 0.0) for w in others}
    return Regression(
        child.scope, child.intercept + b * parent.intercept, slopes, child.variance + b**2 * parent.variance
    )


def given(parent: Regression, u: str, child: Regression, v: str, summed: Regression) -> Regression:
    """The parent u given its child v, by p(u | v) p(v) = p(v | u) p(u), where p(v) is `summed`, of variance t.

    Its slope on the child is b s_u / t, and its variance s_u s_v / t. Where t is zero they do not depend on each other.
    """
    varies = summed.variance > 0
    t = np.where(varies, summed.variance, 1.0)
    gain = np.where(varies, child.slopes[u] * parent.variance / t, 0.0)
    variance = np.where(varies, parent.variance * (child.variance / t), parent.variance)
    slopes = {w: parent.slopes.get(w, 0.0) - gain * slope for w, slope in summed.slopes.items()}
    return Regression(parent.scope, parent.intercept - gain * summed.intercept, {**slopes, v: gain}, variance)


def log_density(own: Regression, value: float, variable: str) -> Factor:
    """The logarithm of the density at a value, for a variable without parents that are not observed.

    Where the variance is zero it is the logarithm of a probability, 0 or 1; this cannot be compared with a density.
    """
    certain = own.variance == 0
    distance = value - own.intercept
    agrees = np.abs(distance) <= AGREES * np.maximum(1.0, np.abs(own.intercept))
    if (certain & agrees).any() and not certain.all():
        raise InputError(
            f"evidence: {variable!r} = {value:g} is certain for some states of {', '.join(own.scope)} and has a "
            f"density for others, which cannot be compared: give {variable!r} a standard deviation above 0"
        )
    variance = np.where(certain, 1.0, own.variance)
    density = -0.5 * (np.log(2 * np.pi * variance) + distance**2 / variance)
    return Factor(own.scope, np.where(certain, np.where(agrees, 0.0, -np.inf), density))


class Continuous:
    """The continuous variables that matter; `regressions` holds those that are not eliminated yet."""

    def __init__(self, network: Network, names: Collection[str], fixed: Mapping[str, int]) -> None:
        self.network = network
        self.regressions = {v: regression_of(network, v, fixed) for v in network.dag.topological_order() if v in names}

    def reduce(self, evidence: Mapping[str, float], targets: Collection[str]) -> list[Factor]:
        """Enter the evidence and eliminate all except the targets; the likelihoods of the evidence, as logarithms.

        All is planned first by the scopes alone, so that what is too large is refused before anything is computed.
        """
        for v, value in evidence.items():
            self.regressions = {
                x: own.observed(v, value) if v in own.slopes else own for x, own in self.regressions.items()
            }
        likelihoods = []
        for step in plan(self.network, self.regressions, set(evidence), set(targets)):
            match step:
                case Drop(v):
                    del self.regressions[v]
                case Observe(v):
                    likelihoods.append(self._full(log_density(self.regressions.pop(v), evidence[v], v)))
                case Turn(u, v, gone):
                    self._turn(u, v, gone, evidence.get(v))
        return likelihoods

    def _turn(self, u: str, v: str, gone: bool, value: float | None) -> None:
        scope = _ordered(self.network, {*self.regressions[u].scope, *self.regressions[v].scope})
        parent, child = self.regressions.pop(u).over(scope), self.regressions[v].over(scope)
        self.regressions[v] = without(parent, u, child)
        if not gone:
            turned = given(parent, u, child, v, self.regressions[v])
            self.regressions[u] = turned if value is None else turned.observed(v, value)

    def _full(self, factor: Factor) -> Factor:
        shape = [len(self.network.states[v]) for v in factor.scope]
        return Factor(factor.scope, np.broadcast_to(factor.values, shape))

    def components(self) -> list[list[str]]:
        """The variables that are left, in the groups that their arcs connect; parents first."""
        group = {v: {v} for v in self.regressions}
        for v, own in self.regressions.items():
            for u in own.slopes:
                if group[u] is not group[v]:
                    group[u] |= group[v]
                    for w in group[v]:
                        group[w] = group[u]
        order = self._topological()
        found = {id(group[v]): [w for w in order if w in group[v]] for v in order}
        return list(found.values())

    def _topological(self) -> list[str]:
        left, order = dict(self.regressions), []
        while left:
            ready = [v for v, own in left.items() if not any(u in left for u in own.slopes)]
            order += ready
            for v in ready:
                del left[v]
        return order

    def moments(self, names: Sequence[str]) -> tuple[tuple[str, ...], Floats, Floats]:
        """The scope of a component, and mean and covariance of its variables for each configuration of the scope."""
        scope = _ordered(self.network, {v for x in names for v in self.regressions[x].scope})
        shape = [len(self.network.states[v]) for v in scope]
        refuse_large(self.network, scope, prod(shape) * len(names) ** 2)
        mean, covariance = np.zeros((*shape, len(names))), np.zeros((*shape, len(names), len(names)))
        at = {x: i for i, x in enumerate(names)}
        for x, i in at.items():
            own = self.regressions[x].over(scope)
            mean[..., i] = own.intercept
            for u, b in own.slopes.items():
                mean[..., i] += b * mean[..., at[u]]
                covariance[..., i, :i] += b[..., None] * covariance[..., at[u], :i]
            covariance[..., :i, i] = covariance[..., i, :i]
            covariance[..., i, i] = own.variance
            for u, b in own.slopes.items():
                covariance[..., i, i] += b * covariance[..., i, at[u]]
        return scope, mean, covariance


def _ordered(network: Network, names: Collection[str]) -> tuple[str, ...]:
    return tuple(v for v in network.names if v in names)
