"""Known networks of several designs, from which a study of trust draws samples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from veridag.graph import DAG
from veridag.network import Network, Table, networks
from veridag.simulate import random_dag, random_gaussian_network, random_mixed_network, random_network

Random = np.random.Generator

#: Designs of which the parameters are random. What `_RANDOM_DAGS` are, is drawn as well.
RANDOM = ("dirichlet", "ranked", "noisy-or", "functional", "gaussian", "mixed")
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
        return random_network(dag, states=(2, 4), alpha=float(random.choice([0.3, 0.5, 1, 2])), seed=_seed(random))
    dag = _random_structure(size, random)
    if design == "dirichlet":
        states = (2, int(random.integers(2, 5)))
        return random_network(dag, states=states, alpha=float(random.choice([0.2, 0.5, 1, 2, 4])), seed=_seed(random))
    if design == "ranked":
        return _ranked(dag, random)
    if design == "noisy-or":
        return _noisy_or(dag, random)
    if design == "functional":
        return _functional(dag, random)
    weakest = float(random.choice([0.1, 0.3, 0.5]))
    if design == "gaussian":
        return random_gaussian_network(dag, coefficients=(weakest, 1.2), seed=_seed(random))
    share, strength = float(random.uniform(0.3, 0.7)), float(random.choice([0.5, 0.75, 1.0]))
    return random_mixed_network(
        dag, continuous=share, states=(2, 4), alpha=float(random.choice([0.5, 1, 2])), strength=strength,
        seed=_seed(random),
    )  # fmt: skip


def _seed(random: Random) -> int:
    return int(random.integers(2**31))


def _random_structure(size: int, random: Random) -> DAG:
    """A DAG of one of three shapes: evenly random, converging to few outcomes, or with hubs."""
    shape = int(random.integers(3))
    if shape == 0:
        most = min(int(random.integers(2, 5)), size - 1)
        densest = most * (size - (most + 1) / 2) / size  # arcs per variable that so many parents allow
        density = min(float(random.uniform(0.6, 1.8)), 0.9 * densest)
        return random_dag(size, arcs_per_node=density, max_indegree=most, seed=_seed(random))
    names = [f"V{i}" for i in range(size)]
    places = random.permutation(size)
    arcs = _converging(size, random) if shape == 1 else _with_hubs(size, random)
    return DAG.from_arcs([(names[places[a]], names[places[b]]) for a, b in arcs], names=names)


def _converging(size: int, random: Random, most: int = 5) -> list[tuple[int, int]]:
    parents: dict[int, set[int]] = {}
    for a in range(size - 1):
        for _ in range(int(random.choice([1, 1, 1, 2]))):
            b = min(size - 1, a + 1 + int(random.geometric(0.35)))
            if len(parents.setdefault(b, set())) < most:
                parents[b].add(a)
    return [(a, b) for b, own in parents.items() for a in sorted(own)]


def _with_hubs(size: int, random: Random) -> list[tuple[int, int]]:
    """Each variable has one parent or two, and rather such as have many children already."""
    second = float(random.choice([0.1, 0.4]))
    children = np.ones(size)
    arcs = []
    for b in range(1, size):
        number = min(b, 1 + int(random.random() < second))
        for a in random.choice(b, size=number, replace=False, p=children[:b] / children[:b].sum()).tolist():
            arcs.append((a, b))
            children[a] += 1.5
    return arcs


def _ranked(dag: DAG, random: Random) -> Network:
    """Ordered states, as experts describe them: a variable's level lies near a weighted mean of its parents' levels."""
    most = int(random.integers(2, 6))
    levels = {v: int(random.integers(2, most + 1)) for v in dag.names}
    spread = random.uniform(0.12, 0.6)
    cpds = {}
    for v in dag.names:
        parents = dag.parents(v)
        if not parents:
            cpds[v] = Table((), random.dirichlet(np.full(levels[v], float(random.choice([0.7, 1.0, 3.0])))))
            continue
        weights = (
            random.dirichlet(np.ones(len(parents))) * random.uniform(0.5, 1.1) * random.choice([-1, 1], len(parents))
        )
        scales = np.meshgrid(*[np.linspace(-0.5, 0.5, levels[p]) for p in parents], indexing="ij")
        mean = sum(w * scale for w, scale in zip(weights, scales, strict=True)) + random.uniform(-0.3, 0.3)
        off = np.linspace(-0.5, 0.5, levels[v]) - mean[..., np.newaxis]
        table = np.exp(-0.5 * (off / (spread * random.uniform(0.7, 1.5))) ** 2) + 0.005
        cpds[v] = Table(parents, table / table.sum(axis=-1, keepdims=True))
    return Network(cpds, {v: tuple(f"level {i}" for i in range(levels[v])) for v in dag.names})


def _noisy_or(dag: DAG, random: Random) -> Network:
    """Each cause can bring about its effect by itself; causes may be rare."""
    cpds = {}
    for v in dag.names:
        parents = dag.parents(v)
        rare = float(np.exp(random.uniform(np.log(0.01), np.log(0.5))))
        leak = float(random.choice([0.01, 0.05, 0.1, 0.2])) if parents else rare
        stops = 1 - random.uniform(0.2, 0.95, len(parents))
        table = np.zeros([2] * (len(parents) + 1))
        for causes in product((0, 1), repeat=len(parents)):
            absent = (1 - leak) * prod(stop for stop, there in zip(stops, causes, strict=True) if there)
            table[causes] = absent, 1 - absent
        cpds[v] = Table(parents, table)
    return Network(cpds, dict.fromkeys(dag.names, ("no", "yes")))


def _functional(dag: DAG, random: Random) -> Network:
    """Levels that follow from those of the parents, as in fault trees: the largest, smallest or mean, or a random one.

    Some are exact, in others another level comes up now and then. Some variables have a random distribution for each
    configuration of their parents instead. Without parents, the levels above the first may be rare.
    """
    most = int(random.choice([2, 2, 3]))
    levels = {v: int(random.integers(2, most + 1)) for v in dag.names}
    noises = random.choice([0.0, 0.01, 0.05, 0.15], size=2)
    share_of_others = float(random.choice([0.0, 0.25, 0.5]))
    cpds = {}
    for v in dag.names:
        parents, r = dag.parents(v), levels[v]
        shape = [levels[p] for p in parents]
        if not parents:
            rare = float(np.exp(random.uniform(np.log(0.005), np.log(0.5))))
            cpds[v] = Table((), np.array([1 - rare, *(rare * random.dirichlet(np.ones(r - 1)))]))
        elif random.random() < share_of_others:
            cpds[v] = Table(parents, random.dirichlet(np.full(r, 0.5), size=shape))
        else:
            scaled = np.array(list(product(*[np.linspace(0, 1, k) for k in shape])))
            ways = [scaled.max(axis=1), scaled.min(axis=1), scaled.mean(axis=1), random.random(len(scaled))]
            result = np.rint(ways[int(random.integers(len(ways)))] * (r - 1)).astype(int)
            noise = float(random.choice(noises))
            table = np.full((len(scaled), r), noise / r)
            table[np.arange(len(scaled)), result] += 1 - noise
            cpds[v] = Table(parents, table.reshape([*shape, r]))
    return Network(cpds, {v: tuple(f"level {i}" for i in range(levels[v])) for v in dag.names})


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
