"""Inference: the distribution of some variables given the values of others, exactly or, if asked for, from samples.

Learning does not belong here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from veridag.network.intervention import intervene
from veridag.network.network import Network

from .asked import Asked
from .counterfactual import counterfactual
from .discrete import joint_tables, posterior
from .elimination import MAX_ENTRIES, TooLarge, conditional
from .gaussian import condition, moments
from .junction_tree import Completed, ExpectedCounts, JunctionTree
from .marginals import Marginals, Moments, marginals
from .mixed import mixture
from .results import JointGaussian, JointMixture, JointTable, PredictedValues
from .soft import Likelihood, described, with_likelihood
from .weighting import EstimatedMoments, EstimatedTable, Estimates, estimate

__all__ = [
    "MAX_ENTRIES",
    "Asked",
    "Completed",
    "EstimatedMoments",
    "EstimatedTable",
    "Estimates",
    "ExpectedCounts",
    "JointGaussian",
    "JointMixture",
    "JointTable",
    "JunctionTree",
    "Likelihood",
    "Marginals",
    "Moments",
    "PredictedValues",
    "TooLarge",
    "conditional",
    "counterfactual",
    "estimate",
    "joint_tables",
    "marginals",
    "mixture",
    "moments",
    "posterior",
    "query",
]


def query(
    network: Network,
    targets: str | Iterable[str],
    evidence: Mapping[str, str | float] | None = None,
    do: Mapping[str, str | float] | None = None,
    likelihood: Likelihood | None = None,
) -> JointTable | JointGaussian | JointMixture:
    """The joint distribution of the targets given the evidence, where `do` is set from outside, exactly.

    `Network.query` is this function, and says more.
    """
    asked = Asked.of(network.names, network.states, targets, evidence, do)
    if asked.done:
        network = intervene(network, dict(asked.done))
    if likelihood:
        return _softly(network, asked, likelihood)
    if network.is_gaussian:
        mean, covariance = condition(network, asked.targets, asked.values)
        return JointGaussian(asked.targets, mean, covariance, tuple(asked.values.items()), asked.done)
    if network.kind == "discrete":
        table = posterior(network, asked.targets, asked.codes)
        return JointTable(
            asked.targets, tuple(network.states[v] for v in asked.targets), table, asked.given, asked.done
        )
    found = mixture(network, asked.discrete, asked.continuous, asked.codes, asked.values)
    states = tuple(network.states[name] for name in asked.discrete)
    if not asked.continuous:
        return JointTable(asked.discrete, states, found.probabilities, asked.given, asked.done)
    return JointMixture(asked.discrete, asked.continuous, states, *found, asked.given, asked.done)


def _softly(network: Network, asked: Asked, likelihood: Likelihood) -> JointTable | JointGaussian | JointMixture:
    """The answer of the network with a child more for each likelihood."""
    larger, seen = with_likelihood(network, likelihood)
    found = query(larger, asked.targets, {**dict(asked.given), **seen})
    assert not isinstance(found, JointGaussian)  # there is a discrete variable
    return replace(found, evidence=(*asked.given, *described(likelihood)), do=asked.done)
