"""What makes parts a network: states, an acyclic structure, and numbers that are distributions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from veridag.errors import InputError, suggest
from veridag.graph import DAG, InvalidGraph

from .parameters import ConditionalGaussian, LinearGaussian, Table

if TYPE_CHECKING:
    from .network import Network

#: How far a distribution's sum may be from one. The tables of the network repository are rounded to a few digits.
SUM_TOLERANCE = 0.01


def check_states(network: Network, states: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The states of every discrete variable as tuples, if each has its own and no other variable has any."""
    if not isinstance(states, Mapping):
        raise InputError(f"states: give each variable its own, {{variable: [state, ...]}}, not {states!r}")
    if network.is_gaussian:
        if states:
            raise InputError("states: a Gaussian network has no states; leave the argument out")
        return {}
    for variable in states:
        if variable not in network.cpds:
            raise InputError(
                f"states: {variable!r} is not a variable of the network: {suggest(variable, network.names)}"
            )
        if not isinstance(network.cpds[variable], Table):
            raise InputError(f"states: {variable!r} is continuous and has no states; leave it out")
    checked = {}
    for variable in [v for v in network.names if isinstance(network.cpds[v], Table)]:
        if variable not in states:
            raise InputError(f"states: the states of {variable!r} are missing")
        if isinstance(states[variable], str) or not isinstance(states[variable], Iterable):
            raise InputError(
                f"states: {variable!r} needs a list of strings, one for each state, not {states[variable]!r}"
            )
        own = tuple(states[variable])
        if not own or len(own) > 65535 or not all(isinstance(s, str) for s in own) or len(set(own)) < len(own):
            raise InputError(f"states: {variable!r} needs between 1 and 65 535 different strings, not {own[:5]!r}")
        checked[variable] = own
    return checked


def structure(network: Network) -> DAG:
    """The graph that the parents form, if it is acyclic."""
    arcs = []
    for variable, cpd in network.cpds.items():
        if len(set(cpd.parents)) < len(cpd.parents):
            raise InputError(f"variable {variable!r} names a parent twice: {cpd.parents}")
        for parent in cpd.parents:
            if parent not in network.cpds:
                raise InputError(
                    f"{variable!r} has the parent {parent!r}, which the network does not have: "
                    f"{suggest(parent, network.names)}"
                )
            arcs.append((parent, variable))
        _check_kinds_of_parents(network, variable)
    try:
        return DAG.from_arcs(arcs, network.names)
    except InvalidGraph as cycle:
        raise InvalidGraph(f"the network is not acyclic: {' -> '.join(cycle.witness)}", cycle.witness) from None


def _check_kinds_of_parents(network: Network, variable: str) -> None:
    """No continuous parent of a discrete variable, and discrete parents where they belong."""
    cpd = network.cpds[variable]
    continuous = [parent for parent in cpd.parents if parent not in network.states]
    if isinstance(cpd, Table) and continuous:
        raise InputError(
            f"{variable!r} is discrete and has the continuous parent {continuous[0]!r}, which a network cannot have: "
            f"reverse the arc, or discretize {continuous[0]!r}"
        )
    if isinstance(cpd, LinearGaussian) and len(continuous) < len(cpd.parents):
        odd = next(parent for parent in cpd.parents if parent in network.states)
        raise InputError(
            f"{variable!r} has a LinearGaussian, but its parent {odd!r} is discrete: give it a ConditionalGaussian"
        )
    if isinstance(cpd, ConditionalGaussian):
        if not cpd.discrete:
            raise InputError(f"{variable!r} has no discrete parents: give it a LinearGaussian")
        for parent in cpd.parents:
            if (parent in cpd.discrete) != (parent in network.states):
                kind = "discrete" if parent in network.states else "continuous"
                raise InputError(f"{variable!r}: the parent {parent!r} is {kind}: list it among the {kind} ones")


def check_parameters(network: Network, variable: str) -> None:
    """Refuse numbers that are no parameters of the variable: a wrong shape, or distributions that do not sum to 1."""
    cpd = network.cpds[variable]
    if isinstance(cpd, LinearGaussian):
        numbers = np.array([cpd.intercept, cpd.sd, *cpd.coefficients.reshape(-1)])
        if cpd.coefficients.shape != (len(cpd.parents),):
            raise InputError(
                f"{variable!r} has {len(cpd.parents)} parents but coefficients of shape {cpd.coefficients.shape}"
            )
        if not np.isfinite(numbers).all() or cpd.sd < 0:
            raise InputError(f"{variable!r}: parameters must be finite and the standard deviation not negative: {cpd}")
        return
    if isinstance(cpd, ConditionalGaussian):
        _check_regressions(network, variable, cpd)
        return
    shape = tuple(len(network.states[v]) for v in (*cpd.parents, variable))
    p = cpd.probabilities
    if p.shape != shape:
        raise InputError(
            f"the table of {variable!r} has shape {p.shape}, but its parents' and its own states need {shape}"
        )
    if not np.isfinite(p).all() or (p < 0).any():
        raise InputError(f"the table of {variable!r} has a probability that is negative or not a number")
    sums = p.sum(axis=-1)
    worst = np.unravel_index(np.abs(sums - 1).argmax(), sums.shape)
    if abs(sums[worst] - 1) > SUM_TOLERANCE + 1e-12:  # three times 0.33 is accepted
        given = ", ".join(f"{v} = {network.states[v][i]}" for v, i in zip(cpd.parents, worst, strict=True))
        where = f" given {given}" if given else ""
        raise InputError(f"the probabilities of {variable!r}{where} sum to {sums[worst]:.6g} instead of 1")


def _check_regressions(network: Network, variable: str, cpd: ConditionalGaussian) -> None:
    shape = tuple(len(network.states[v]) for v in cpd.discrete)
    needed = {"intercepts": shape, "coefficients": (*shape, len(cpd.continuous)), "sds": shape}
    for what, right in needed.items():
        numbers = getattr(cpd, what)
        if numbers.shape != right:
            raise InputError(
                f"the {what} of {variable!r} have shape {numbers.shape}, but the states of its discrete parents and "
                f"its {len(cpd.continuous)} continuous parents need {right}"
            )
        wrong = ~np.isfinite(numbers) | (numbers < 0 if what == "sds" else False)
        if wrong.any():
            where = np.unravel_index(int(wrong.argmax()), wrong.shape)
            given = ", ".join(f"{v} = {network.states[v][i]}" for v, i in zip(cpd.discrete, where, strict=False))
            raise InputError(
                f"{variable!r} given {given}: parameters must be finite and the standard deviation not negative, but "
                f"the {what} have {numbers[where]}"
            )
