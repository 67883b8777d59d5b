"""Known networks of several designs, from which a study of trust draws samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from veridag.graph import DAG
from veridag.network import Network, networks
from veridag.simulate import random_dag, random_network
from veridag.study.kinds._designs import PARAMETERS, Random, draw_seed, random_parameters, varied_structure

#: Designs of which structure and parameters are random; "sparse" has few arcs, and any of the others' parameters.
RANDOM = (*PARAMETERS, "sparse")
#: Parts of reference networks that hold all parents of what they hold: as they are, or with random parameters.
REFERENCE = ("reference", "structure")
DESIGNS = (*RANDOM, *REFERENCE)

#: A network that is larger than this in one table or one variable is not taken from a reference network.
MOST_ENTRIES, MOST_STATES = 50_000, 12
_ATTEMPTS = 60


def draw_network(design: str, sources: Sequence[str], variables: tuple[int, int], seed: int) -> Network:
    """A network of the design with a number of variables in this range, from reference networks if it asks for them."""
    random = np.random.default_rng(seed)
    size = int(random.integers(variables[0], variables[1] + 1))
    if design == "reference":
        return _part_of_reference(sources, size, random)
    if design == "structure":
        dag = _part_of_reference(sources, size, random).dag
        return random_network(dag, states=(2, 4), alpha=float(random.choice([0.3, 0.5, 1, 2])), seed=draw_seed(random))
    if design == "sparse":
        dag = _sparse_structure(size, random)
        design = str(random.choice(["dirichlet", "ranked", "noisy-or", "gaussian", "mixed"]))
    else:
        dag = varied_structure(size, random)
    return random_parameters(design, dag, random)


def _sparse_structure(size: int, random: Random) -> DAG:
    """A DAG with few arcs, or without any, as of a table whose variables have little to do with each other."""
    density = float(random.choice([0.0, 0.1, 0.3, 0.5]))
    return random_dag(size, arcs_per_node=density, max_indegree=min(2, size - 1), seed=draw_seed(random))


def _part_of_reference(sources: Sequence[str], size: int, random: Random) -> Network:
    """A reference network, or variables of one with all their ancestors: about as many as asked for."""
    while True:
        network = networks.load(sources[int(random.integers(len(sources)))])
        if len(network.names) <= size:
            return network
        kept = _closed_part(network.dag, size, random)
        if kept is None:
            continue
        part = Network({v: network.cpds[v] for v in kept}, {v: network.states[v] for v in kept if v in network.states})
        if part.nparams <= MOST_ENTRIES and max(map(len, part.states.values()), default=0) <= MOST_STATES:
            return part


def _closed_part(dag: DAG, size: int, random: Random) -> list[str] | None:
    names = list(dag.names)
    kept: set[str] = set()
    for _ in range(_ATTEMPTS):
        near = [v for v in names if v not in kept and any(p in kept for p in dag.parents(v))]
        among = near if near and random.random() < 0.9 else names
        start = among[int(random.integers(len(among)))]
        larger = kept | {start} | set(dag.ancestors(start))
        if len(larger) <= size:
            kept = larger
        if len(kept) == size:
            break
    return [v for v in names if v in kept] if len(kept) >= max(4, 0.7 * size) else None
