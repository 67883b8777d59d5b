"""Where the networks of a study of learners come from: reference networks by name, and random ones by their design.

A random network is named ``random(PARAMETERS)`` or ``random(PARAMETERS, STRUCTURE)``. Each repetition is a network of
its own, the same for all sample sizes and learners. Its seed is a digest of the settings, a number of 63 bits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

import numpy as np

from veridag.errors import suggest
from veridag.graph import DAG
from veridag.network import Network
from veridag.network import reference as networks
from veridag.simulate import random_dag
from veridag.study.kind import Settings, Spec, derive_seed
from veridag.study.kinds._designs import PARAMETERS, Random, draw_seed, random_parameters, varied_structure

if TYPE_CHECKING:
    import polars as pl

#: The structure of a random network that names none.
VARIED = "varied"
_RANDOM = re.compile(r"random\(([\w-]+)(?:, ([\w-]+))?\)")

#: Most parents in a sparse and in a dense structure, and the ranges of arcs per variable.
_SPARSE, _DENSE = (2, (0.5, 0.8)), (6, (2.0, 3.0))
#: A dense structure with fewer variables could have more arcs than so many parents allow.
FEWEST_VARIABLES = 8

_STRUCTURES: dict[str, Callable[[int, Random], DAG]] = {
    VARIED: varied_structure,
    "sparse": lambda size, random: _even_structure(size, *_SPARSE, random),
    "dense": lambda size, random: _even_structure(size, *_DENSE, random),
}


def is_random(network: str) -> bool:
    """Whether a network of a study is a new one for each repetition."""
    return network.startswith("random(")


def check_network(spec: Spec, network: str) -> None:
    """Raise `InputError` if there is no network, and no design, of this name."""
    if not is_random(network):
        if network not in networks.names():
            raise spec.mistake("networks", network, suggest(network, networks.names()))
        return
    match = _RANDOM.fullmatch(network)
    if match is None:
        remedy = 'write a random network as "random(dirichlet)" or "random(ranked, sparse)"'
        raise spec.mistake("networks", network, remedy)
    for word, known in ((match[1], tuple(PARAMETERS)), (match[2] or VARIED, tuple(_STRUCTURES))):
        if word not in known:
            raise spec.mistake("networks", network, f"{word!r} is unknown: {suggest(word, known)}")


def kind_of(network: str) -> str:
    """The kind of a network: discrete, gaussian or mixed."""
    match = _RANDOM.fullmatch(network)
    return networks.info(network).kind if match is None else PARAMETERS[match[1]]


def network_key(settings: Settings) -> tuple[Hashable, ...]:
    """What the network of a cell follows from: its name, and of a random one also its size, repetition and seed."""
    if not is_random(str(settings["network"])):
        return (settings["network"],)
    return tuple(settings[name] for name in ("network", "fewest", "most", "repetition", "seed"))


def load_network(settings: Settings) -> Network:
    """The network of a cell."""
    network = str(settings["network"])
    match = _RANDOM.fullmatch(network)
    if match is None:
        return networks.load(network)
    random = np.random.default_rng(derive_seed("network", *network_key(settings)))
    fewest, most = variables_of(settings)
    dag = _STRUCTURES[match[2] or VARIED](int(random.integers(fewest, most + 1)), random)
    return random_parameters(match[1], dag, random)


def variables_of(settings: Settings) -> tuple[int, int]:
    """The fewest and the most variables that the network of a cell can have."""
    if not is_random(str(settings["network"])):
        nodes = networks.info(str(settings["network"])).nodes
        return nodes, nodes
    fewest, most = settings["fewest"], settings["most"]
    assert isinstance(fewest, int)
    assert isinstance(most, int)
    return fewest, most


def unit() -> pl.Expr:
    """What an interval over networks counts as one: a reference network, or a repetition of a random one."""
    import polars as pl

    own = pl.concat_str("network", "repetition", separator=" ")
    return pl.when(pl.col("network").str.starts_with("random(")).then(own).otherwise(pl.col("network"))


def _even_structure(size: int, max_indegree: int, densities: tuple[float, float], random: Random) -> DAG:
    """A random DAG with an arc at least: without any, no distance can be scaled."""
    density = float(random.uniform(*densities))
    while True:
        dag = random_dag(size, arcs_per_node=density, max_indegree=max_indegree, seed=draw_seed(random))
        if dag.arcs:
            return dag
