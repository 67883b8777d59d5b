"""Data with interventions: the network that each row comes from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.data.targets import Targets
from veridag.errors import InputError
from veridag.network.network import Network
from veridag.network.parameters import CPD, LinearGaussian, Table


def regimes(
    network: Network, data: Data, targets: Targets | None, target: str
) -> list[tuple[Network, NDArray[np.intp]]]:
    """The rows of each set of variables that were set together, and the network that they follow.

    In it a set variable has no parents. Given its value, which the row has, P(target | row) is then
    P(target | do(set), seen), by the truncated factorization (Pearl 2009, equation 1.37); which distribution the
    variable has without parents does not matter, as long as no value is impossible.
    """
    if targets is None:
        return [(network, np.arange(data.nrows))]
    found = []
    for k, own in enumerate(targets.sets):
        at = np.flatnonzero(targets.codes == k)
        names = [v for v in own if v in network.names]
        _check(data, names, at, target)
        cpds = {v: _free(network, v) if v in names else cpd for v, cpd in network.cpds.items()}
        found.append((Network(cpds, network.states) if names else network, at))
    return found


def _free(network: Network, variable: str) -> CPD:
    """A variable without parents, of which every value is possible."""
    if variable in network.states:
        r = len(network.states[variable])
        return Table((), np.full(r, 1 / r))
    return LinearGaussian((), 0.0, np.zeros(0), 1.0)


def _check(data: Data, names: list[str], at: NDArray[np.intp], target: str) -> None:
    """Refuse rows in which the target was set, or another variable to a value that is not known."""
    if target in names:
        raise InputError(
            f"data: {target!r} was set in {len(at)} rows, the first of them row {at[0]}, counted from 0, and the "
            f"network does not model that: leave them out with data.rows(~data.targets.is_set([{target!r}]))"
        )
    for v in names:
        lacking = at[~data.observed(v)[at]]
        if lacking.size:
            raise InputError(
                f"data: {v!r} was set in row {lacking[0]}, counted from 0, but its value is missing or not among the "
                f"columns to predict from: add it, or leave out these rows with data.not_set({v!r})"
            )
