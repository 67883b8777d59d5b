"""Exact inference: the distribution of some variables given the values of others.

Approximate inference and learning do not belong here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from veridag.network.network import Network

from .asked import Asked
from .discrete import joint_tables, posterior
from .elimination import MAX_ENTRIES, TooLarge, conditional
from .gaussian import condition, moments
from .junction_tree import Completed, ExpectedCounts, JunctionTree
from .mixed import mixture
from .results import JointGaussian, JointMixture, JointTable, PredictedValues
from .soft import Likelihood, described, with_likelihood

__all__ = [
    "MAX_ENTRIES",
    "Asked",
    "Completed",
    "ExpectedCounts",
    "JointGaussian",
    "JointMixture",
    "JointTable",
    "JunctionTree",
    "Likelihood",
    "PredictedValues",
    "TooLarge",
    "conditional",
    "joint_tables",
    "mixture",
    "moments",
    "posterior",
    "query",
]


def query(
    network: Network,
    targets: str | Iterable[str],
    evidence: Mapping[str, str | float] | None = None,
    likelihood: Likelihood | None = None,
) -> JointTable | JointGaussian | JointMixture:
    """The joint distribution of the targets given the evidence, exactly.

    `Network.query` is this function, and says more.
    """
    if likelihood:
        return _softly(network, targets, evidence, likelihood)
    asked = Asked.of(network.names, network.states, targets, evidence)
    if network.is_gaussian:
        mean, covariance = condition(network, asked.targets, asked.values)
        return JointGaussian(asked.targets, mean, covariance, tuple(asked.values.items()))
    if network.kind == "discrete":
        table = posterior(network, asked.targets, asked.codes)
        return JointTable(asked.targets, tuple(network.states[v] for v in asked.targets), table, asked.given)
    found = mixture(network, asked.discrete, asked.continuous, asked.codes, asked.values)
    states = tuple(network.states[name] for name in asked.discrete)
    if not asked.continuous:
        return JointTable(asked.discrete, states, found.probabilities, asked.given)
    return JointMixture(asked.discrete, asked.continuous, states, *found, asked.given)


def _softly(
    network: Network,
    targets: str | Iterable[str],
    evidence: Mapping[str, str | float] | None,
    likelihood: Likelihood,
) -> JointTable | JointGaussian | JointMixture:
    """The answer of the network with a child more for each likelihood."""
    wanted = Asked.of(network.names, network.states, targets, evidence)  # messages name the user's variables only
    larger, seen = with_likelihood(network, likelihood)
    found = query(larger, wanted.targets, {**(evidence or {}), **seen})
    assert not isinstance(found, JointGaussian)  # there is a discrete variable
    return replace(found, evidence=(*wanted.given, *described(likelihood)))
