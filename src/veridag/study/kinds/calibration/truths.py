"""The networks of a study of calibration, and what is true of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.graph import DAG, PDAG
from veridag.network import Network, networks
from veridag.simulate import random_dag, random_gaussian_network, random_mixed_network, random_network
from veridag.study.kind import derive_seed

RANDOM = "random"
KINDS = ("discrete", "continuous", "mixed")

#: The settings that a truth follows from.
TRUTH = ("seed", "data", "network", "nodes", "arcs_per_node", "alpha", "weakest", "strongest", "repetition")

#: Of random networks.
MAX_INDEGREE, STATES = 3, (2, 4)

_KIND_OF = {"discrete": "discrete", "gaussian": "continuous", "mixed": "mixed"}

Bools = NDArray[np.bool_]


def kind_of(network: str) -> str:
    """The kind of data that a reference network gives."""
    return _KIND_OF[networks.load(network).kind]


def truth_of(s: Mapping[str, Any]) -> Network:
    """The network of a cell."""
    if s["network"] != RANDOM:
        return networks.load(s["network"])
    parts: tuple[Hashable, ...] = tuple(s[name] for name in TRUTH)
    seed = derive_seed("truth", *parts)
    dag = random_dag(s["nodes"], arcs_per_node=s["arcs_per_node"], max_indegree=MAX_INDEGREE, seed=seed)
    effects = (s["weakest"], s["strongest"])
    if s["data"] == "continuous":
        return random_gaussian_network(dag, coefficients=effects, seed=seed)
    if s["data"] == "mixed":
        return random_mixed_network(
            dag, states=STATES, alpha=s["alpha"], shifts=effects, coefficients=effects, seed=seed
        )
    return random_network(dag, states=STATES, alpha=s["alpha"], seed=seed)


def compelled(dag: DAG, data: Data) -> Bools:
    """The arcs, [u, v], that all networks of the DAG's class have in that direction.

    Of mixed data, all those in which no arc leads from a measurement to a category.
    """
    found = dag.cpdag()
    if data.kind == "mixed":
        adjacency = found.adjacency.copy()
        discrete = np.array([data.kinds[name] == "discrete" for name in dag.names])
        adjacency[np.ix_(~discrete, discrete)] = False
        found = PDAG.from_adjacency(adjacency, dag.names).meek()
    return np.asarray(found.adjacency & ~found.adjacency.T)
