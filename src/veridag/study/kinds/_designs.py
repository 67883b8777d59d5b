"""Random networks of several designs: how a structure comes about, and how a variable depends on its parents."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from veridag.graph import DAG
from veridag.network import Network, Table
from veridag.simulate import random_dag, random_gaussian_network, random_mixed_network, random_network

Random = np.random.Generator

#: How the parameters of a network come about, with the kind of network that it is.
PARAMETERS = {
    "dirichlet": "discrete",
    "ranked": "discrete",
    "noisy-or": "discrete",
    "functional": "discrete",
    "gaussian": "gaussian",
    "mixed": "mixed",
}


def random_parameters(design: str, dag: DAG, random: Random) -> Network:
    """A network with this structure and parameters of the design, one of `PARAMETERS`."""
    if design == "dirichlet":
        states = (2, int(random.integers(2, 5)))
        return random_network(
            dag, states=states, alpha=float(random.choice([0.2, 0.5, 1, 2, 4])), seed=draw_seed(random)
        )
    if design == "ranked":
        return _ranked(dag, random)
    if design == "noisy-or":
        return _noisy_or(dag, random)
    if design == "functional":
        return _functional(dag, random)
    weakest = float(random.choice([0.1, 0.3, 0.5]))
    if design == "gaussian":
        return random_gaussian_network(dag, coefficients=(weakest, 1.2), seed=draw_seed(random))
    share, strength = float(random.uniform(0.3, 0.7)), float(random.choice([0.5, 0.75, 1.0]))
    return random_mixed_network(
        dag, continuous=share, states=(2, 4), alpha=float(random.choice([0.5, 1, 2])), strength=strength,
        seed=draw_seed(random),
    )  # fmt: skip


def draw_seed(random: Random) -> int:
    """A seed for what takes one."""
    return int(random.integers(2**31))


def varied_structure(size: int, random: Random) -> DAG:
    """A DAG of one of three shapes: evenly random, converging to few outcomes, or with hubs."""
    shape = int(random.integers(3))
    if shape == 0:
        most = min(int(random.integers(2, 5)), size - 1)
        densest = most * (size - (most + 1) / 2) / size  # arcs per variable that so many parents allow
        density = min(float(random.uniform(0.6, 1.8)), 0.9 * densest)
        return random_dag(size, arcs_per_node=density, max_indegree=most, seed=draw_seed(random))
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
