"""A network and incomplete data side by side: the same variables and states, in the same order."""

from __future__ import annotations

import numpy as np

from veridag.data import Data
from veridag.errors import InputError
from veridag.network import Network, Table


def matched(network: Network, data: Data) -> Network:
    """The network with the variables, and the states of each, in the order of the data."""
    if sorted(network.names) != sorted(data.names):
        odd = sorted({*network.names} ^ {*data.names})[0]
        where = "the network" if odd in network.names else "the data"
        raise InputError(f"network: it must have the same variables as the data, but {odd!r} is only in {where}")
    for v in data.names:
        if (v in network.states) != (data.kinds[v] == "discrete"):
            raise InputError(f"network: {v!r} is {data.kinds[v]} in the data, but not in the network")
        if v in network.states and {*network.states[v]} != {*data.states[v]}:
            raise InputError(
                f"network: {v!r} has the states {network.states[v]}, but {data.states[v]} in the data: declare the "
                "same states in both, with states= when you read the data"
            )
    if network.names == data.names and all(network.states[v] == data.states[v] for v in network.states):
        return network
    cpds = {}
    for v in data.names:
        cpd = network.cpds[v]
        if isinstance(cpd, Table):
            order = [[network.states[u].index(s) for s in data.states[u]] for u in (*cpd.parents, v)]
            cpd = Table(cpd.parents, np.ascontiguousarray(cpd.probabilities[np.ix_(*order)]))
        cpds[v] = cpd
    return Network(cpds, {v: data.states[v] for v in data.names if v in network.states}, name=network.name)
