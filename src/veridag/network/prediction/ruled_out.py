"""Rows that a network rules out by one of its tables, whether or not that table says anything about the target."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from veridag.data import Data
from veridag.errors import InputError
from veridag.network.matching import state_map
from veridag.network.network import Network
from veridag.network.parameters import Table


def refuse_ruled_out(network: Network, data: Data, target: str, error: Callable[[int], InputError]) -> None:
    """Raise the error of the first row in which some P(variable | parents) is zero, with all of them observed.

    Families that hold the target are left out: whether they can be true together is found with the answer.
    """
    columns = {c.name: c for c in data.columns}
    impossible = np.zeros(data.nrows, bool)
    for v in network.names:
        cpd = network.cpds[v]
        scope = (*cpd.parents, v)
        if not isinstance(cpd, Table) or target in scope or (cpd.probabilities > 0).all():
            continue
        at, seen = np.zeros(data.nrows, np.intp), np.ones(data.nrows, bool)
        for u in scope:
            own = columns[u]
            at = at * len(network.states[u]) + state_map(network.states, own)[own.values]
            if own.observed is not None:
                seen &= own.observed
        impossible |= seen & (cpd.probabilities.reshape(-1) == 0)[at]
    if impossible.any():
        raise error(int(impossible.argmax()))
