"""Soft evidence: what an uncertain observation says about a variable, as a likelihood of each of its states."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import numpy as np

from veridag.checks import is_number
from veridag.errors import InputError, setting, suggest
from veridag.network.network import Network
from veridag.network.parameters import Table

#: Likelihoods by variable and state.
Likelihood = Mapping[str, Mapping[str, float]]


def with_likelihood(network: Network, likelihood: Likelihood) -> tuple[Network, dict[str, str]]:
    """A network with one child more for each likelihood, and the states in which these children are observed.

    This is Pearl's virtual evidence (1988, section 2.2.2): the observation that makes the state x as likely as L(x) is
    a new variable O with the parent X and P(O = seen | x) in proportion to L(x). Any way of inference works unchanged.
    """
    cpds, states, seen = dict(network.cpds), dict(network.states), {}
    for variable, own in likelihood.items():
        shares = _shares(network, variable, own)
        name = _free_name(cpds, variable)
        cpds[name] = Table((variable,), np.stack([shares, 1 - shares], axis=-1))
        states[name] = ("seen", "not seen")
        seen[name] = "seen"
    return Network(cpds, states, name=network.name), seen


def _shares(network: Network, variable: str, own: Mapping[str, float]) -> np.ndarray:
    """The likelihoods of all states, scaled so that the largest is one."""
    if variable not in network.names:
        raise InputError(f"likelihood: the network has no variable {variable!r}: {suggest(variable, network.names)}")
    if variable not in network.states:
        raise InputError(f"likelihood: {variable!r} is continuous and has no states: give its value as evidence")
    known = network.states[variable]
    if not isinstance(own, Mapping):
        raise InputError(
            f"likelihood: {variable!r} needs a number for each state, {dict.fromkeys(known, 1)}, not {own!r}"
        )
    for state in own:
        if state not in known:
            raise InputError(f"likelihood: {variable!r} has no state {state!r}: {suggest(str(state), known)}")
    lacking = [state for state in known if state not in own]
    if lacking:
        form = setting("likelihood", {variable: {**dict.fromkeys(known, 0.2), known[0]: 0.8}})
        raise InputError(
            f"likelihood: the state {lacking[0]!r} of {variable!r} has no number: give one for each, {form}"
        )
    for state in known:
        value = own[state]
        if not is_number(value) or not isfinite(value) or value < 0:
            raise InputError(
                f"likelihood: the state {state!r} of {variable!r} needs a number of at least 0, not {value!r}"
            )
    numbers = np.array([float(own[state]) for state in known])
    if not numbers.any():
        raise InputError(f"likelihood: all states of {variable!r} have likelihood 0: give one of them a number above 0")
    return np.asarray(numbers / numbers.max())


def _free_name(taken: Mapping[str, object], variable: str) -> str:
    name = f"observation of {variable}"
    while name in taken:
        name += "'"
    return name


def described(likelihood: Likelihood) -> tuple[tuple[str, str], ...]:
    """What was said about each variable, for the head of an answer."""
    return tuple((v, " or ".join(f"{s} ({x:g})" for s, x in own.items())) for v, own in likelihood.items())
