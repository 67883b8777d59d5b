"""Exact inference: the distribution of some variables given the values of others.

Approximate inference and learning do not belong here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from veridag.errors import InputError, suggest
from veridag.network.network import Network

from .discrete import joint_tables, posterior
from .elimination import MAX_ENTRIES, TooLarge, conditional
from .gaussian import condition, moments
from .junction_tree import Completed, ExpectedCounts, JunctionTree
from .mixed import mixture
from .results import JointGaussian, JointMixture, JointTable

__all__ = [
    "MAX_ENTRIES",
    "Completed",
    "ExpectedCounts",
    "JointGaussian",
    "JointMixture",
    "JointTable",
    "JunctionTree",
    "TooLarge",
    "conditional",
    "joint_tables",
    "mixture",
    "moments",
    "posterior",
    "query",
]


def query(
    network: Network, targets: str | Iterable[str], evidence: Mapping[str, str | float] | None = None
) -> JointTable | JointGaussian | JointMixture:
    """The joint distribution of the targets given the evidence, exactly.

    `Network.query` is this function, and says more.
    """
    wanted = (targets,) if isinstance(targets, str) else tuple(targets)
    known = dict(evidence or {})
    _check_variables(network, wanted, known)
    if network.is_gaussian:
        values = {name: _number(name, value) for name, value in known.items()}
        mean, covariance = condition(network, wanted, values)
        return JointGaussian(wanted, mean, covariance, tuple(values.items()))
    codes = {name: _state(network, name, value) for name, value in known.items() if name in network.states}
    numbers = {name: _number(name, value) for name, value in known.items() if name not in network.states}
    discrete = tuple(name for name in wanted if name in network.states)
    continuous = tuple(name for name in wanted if name not in network.states)
    if network.kind == "discrete":
        seen = tuple((v, network.states[v][k]) for v, k in codes.items())
        return JointTable(wanted, tuple(network.states[v] for v in wanted), posterior(network, wanted, codes), seen)
    found = mixture(network, discrete, continuous, codes, numbers)
    states = tuple(network.states[name] for name in discrete)
    given = tuple((v, network.states[v][codes[v]] if v in codes else numbers[v]) for v in known)
    if not continuous:
        return JointTable(discrete, states, found.probabilities, given)
    return JointMixture(discrete, continuous, states, *found, given)


def _check_variables(network: Network, targets: tuple[str, ...], evidence: Mapping[str, object]) -> None:
    if not targets:
        raise InputError("targets: name at least one variable")
    for argument, names in (("targets", targets), ("evidence", tuple(evidence))):
        for name in names:
            if name not in network.cpds:
                raise InputError(f"{argument}: the network has no variable {name!r}: {suggest(name, network.names)}")
    if len(set(targets)) < len(targets):
        raise InputError(f"targets: each variable can be there only once: {targets}")
    both = [name for name in targets if name in evidence]
    if both:
        raise InputError(f"targets: {both[0]!r} is part of the evidence too: leave it out of one of them")


def _state(network: Network, name: str, value: object) -> int:
    states = network.states[name]
    if not isinstance(value, str) or value not in states:
        raise InputError(f"evidence: {name!r} has no state {value!r}: {suggest(str(value), states)}")
    return states.index(value)


def _number(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type] # what cannot be converted is caught
    except (TypeError, ValueError):
        number = float("nan")
    if not abs(number) < float("inf"):
        raise InputError(f"evidence: {name!r} needs a finite number, not {value!r}")
    return number
