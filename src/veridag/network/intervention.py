"""Interventions: a network in which variables are set from outside.

What is asked of such a network does not belong here.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .network import Network
from .parameters import CPD, LinearGaussian, Table
from .values import check_values


def intervene(network: Network, do: Mapping[str, str | float]) -> Network:
    """The network in which variables have these values whatever their parents have.

    Its distribution is the truncated factorization (Pearl 2009, equation 1.37; Robins 1986; Spirtes et al. 1993),

        p(v | do(x)) = product over the variables V_i outside x of p(v_i | parents of V_i),

    for all v that agree with x. `Network.intervene` is this function, and says more.
    """
    values = check_values(network.names, network.states, "do", do)
    cpds = {v: _constant(network, v, values[v]) if v in values else cpd for v, cpd in network.cpds.items()}
    return Network(cpds, network.states, name=network.name)


def _constant(network: Network, variable: str, value: str | float) -> CPD:
    """The parameters of a variable that always has this value."""
    if variable in network.states:
        return Table((), np.array([state == value for state in network.states[variable]], dtype=np.float64))
    return LinearGaussian((), float(value), np.zeros(0), 0.0)
