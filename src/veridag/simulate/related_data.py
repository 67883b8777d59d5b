"""Related data sets from random networks: the simulation of Azzimonti, Corani and Scutari (2020), section 4."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from veridag.checks import Integer, Number, OneOf, is_integer
from veridag.data import Column, Data
from veridag.data.columns import frozen
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.network import Network, Table
from veridag.network.fitting import RelatedNetworks
from veridag.network.sampling import Sampler

from .draw import dirichlet

Floats = NDArray[np.float64]
Parameters = Literal["hier", "iid", "id"]
Spread = Literal["ess", "cells"]

#: The imaginary sample size of the paper's Dirichlet distributions.
ESS = 10.0


@dataclass(frozen=True, eq=False, repr=False)
class RelatedSample:
    """Related data sets, and the networks that they come from.

    Attributes:
        dag: The main structure.
        networks: The network of each group.
        removed: The arcs of the main structure that the network of a group does not have.
        data: The rows of all groups.

    See also:
        `simulate.related`, docs/related.md
    """

    dag: DAG
    networks: RelatedNetworks
    removed: Mapping[str, tuple[tuple[str, str], ...]]
    data: Data

    def __repr__(self) -> str:
        changed = sum(map(bool, self.removed.values()))
        about = f"{len(self.networks)} groups, {changed} of them without some of its {len(self.dag.arcs)} arcs"
        return f"<RelatedSample: a network of {len(self.dag.names)} variables, {about}, {self.data.n} rows>"


def related(
    nodes: int = 10,
    groups: int = 5,
    *,
    states: int = 2,
    arcs_per_node: float = 1.2,
    parameters: Parameters = "hier",
    rows: int | Sequence[int] = 100,
    changed_groups: int = 0,
    removed_arcs: int = 0,
    iid: Spread = "ess",
    seed: int = 0,
    parameter_seed: int | None = None,
) -> RelatedSample:
    """Simulate related data sets by the scenarios of Azzimonti, Corani and Scutari (2020), section 4.

    The main structure is a random DAG with ``arcs_per_node * nodes`` arcs, chosen uniformly among those that a random
    order allows. Scenario (a) has it in all data sets; in scenario (b), some of them do not have some random arcs.

    The paper gives the distribution of ``"iid"`` both an equivalent sample size of 10 and alpha = 1 for each cell,
    which agree only for 10 cells; `iid` chooses. If an arc is removed, its parent is summed out of a and of the shared
    theta. `sample_groups` draws more rows from the same networks.

    Args:
        nodes: The number N of variables.
        groups: The number |F| of data sets.
        states: The number of states of each variable.
        arcs_per_node: The number of arcs divided by N.
        parameters: The joint distribution theta^f of a variable and its parents, from which the conditional one
            follows. "hier": theta^f ~ Dirichlet(10 a), with a ~ Dirichlet(1, ..., 1) shared by the data sets. "iid":
            theta^f from one Dirichlet distribution, independently. "id": theta from that distribution, the same for all
            data sets.
        rows: The number n_f of observations of a data set, or one number for each.
        changed_groups: The number N_F of data sets without some of the arcs.
        removed_arcs: The number N_A of arcs that each of these does not have.
        iid: The Dirichlet distribution of "iid": "ess" shares 10 among the cells, as many as "hier" has; "cells" has 1
            for each.
        seed: Seed of the random numbers. The same seed gives the same result.
        parameter_seed: If given, the structures depend only on `seed`, and parameters and rows on both: many sets of
            parameters for the same structures.

    See also:
        `RelatedSample`, `BHD`, docs/related.md
    """
    nodes, groups, states = Integer(1)("nodes", nodes), Integer(1)("groups", groups), Integer(2)("states", states)
    changed_groups, removed_arcs = (
        Integer(0)("changed_groups", changed_groups),
        Integer(0)("removed_arcs", removed_arcs),
    )
    arcs_per_node = Number(least=0, below=1e6, example=1.2)("arcs_per_node", arcs_per_node)
    OneOf(get_args(Parameters))("parameters", parameters)
    OneOf(get_args(Spread))("iid", iid)
    if changed_groups > groups:
        raise InputError(f"changed_groups={changed_groups!r} is more than the {groups} groups: lower it")
    sizes = _sizes(rows, groups)
    rng = np.random.default_rng(seed)
    names = [f"X{i + 1}" for i in range(nodes)]
    labels = [f"F{f + 1}" for f in range(groups)]
    dag = _random_dag(names, round(arcs_per_node * nodes), rng)
    if removed_arcs > len(dag.arcs):
        raise InputError(
            f"removed_arcs={removed_arcs!r} is more than the {len(dag.arcs)} arcs of the structure: lower it"
        )
    changed = rng.choice(groups, changed_groups, replace=False).tolist()
    lost = {f: rng.choice(len(dag.arcs), removed_arcs, replace=False).tolist() for f in changed}
    removed = {label: tuple(dag.arcs[i] for i in sorted(lost.get(f, []))) for f, label in enumerate(labels)}
    if parameter_seed is not None:
        rng = np.random.default_rng((seed, parameter_seed))
    shared = {v: _shared((states,) * (1 + len(dag.parents(v))), parameters, iid, rng) for v in names}
    networks = {label: _network(dag, removed[label], shared, parameters, iid, states, rng) for label in labels}
    made = RelatedNetworks(networks)
    return RelatedSample(dag, made, removed, GroupSampler(made).draw(sizes, rng))


def sample_groups(networks: RelatedNetworks, rows: int | Sequence[int], seed: int = 0) -> Data:
    """Sample one data set from the network of each group.

    Args:
        networks: The network of each group.
        rows: The number of rows of each group, or one number for each.
        seed: Seed of the random numbers. The same seed gives the same result.

    See also:
        `simulate.related`, docs/related.md
    """
    return GroupSampler(networks).draw(rows, seed)


class GroupSampler:
    """What `sample_groups` draws from, for many samples of the same networks."""

    def __init__(self, networks: RelatedNetworks) -> None:
        self._labels = list(networks)
        self._samplers = [Sampler.of(network) for network in networks.values()]
        first = networks[self._labels[0]]
        self._states = {v: first.states[v] for v in first.names}

    def draw(self, rows: int | Sequence[int], seed: int | np.random.Generator) -> Data:
        """The rows of all groups."""
        sizes = _sizes(rows, len(self._labels))
        seeds = np.random.default_rng(seed).integers(2**63, size=len(sizes)).tolist()
        parts = [own.columns(n, s) for own, n, s in zip(self._samplers, sizes, seeds, strict=True) if n > 0]
        columns = [
            Column.discrete(v, frozen(np.concatenate(values)), states)
            for (v, states), values in zip(self._states.items(), zip(*parts, strict=True), strict=True)
        ]
        return Data(columns, None, np.repeat(np.arange(len(sizes)), sizes), self._labels)


def _random_dag(names: Sequence[str], arcs: int, rng: np.random.Generator) -> DAG:
    order = rng.permutation(len(names))
    pairs = [(names[order[i]], names[order[j]]) for j in range(len(names)) for i in range(j)]
    chosen = sorted(rng.choice(len(pairs), min(arcs, len(pairs)), replace=False).tolist())
    return DAG.from_arcs([pairs[k] for k in chosen], names=names)


def _spread(shape: tuple[int, ...], iid: Spread) -> Floats:
    return np.full(shape, 1.0 if iid == "cells" else ESS / np.prod(shape))


def _shared(shape: tuple[int, ...], parameters: Parameters, iid: Spread, rng: np.random.Generator) -> Floats:
    """What the data sets have in common, for the joint states of the parents and last the variable."""
    return dirichlet(np.ones(shape) if parameters == "hier" else _spread(shape, iid), rng)


def _network(
    dag: DAG,
    removed: Sequence[tuple[str, str]],
    shared: Mapping[str, Floats],
    parameters: Parameters,
    iid: Spread,
    states: int,
    rng: np.random.Generator,
) -> Network:
    cpds = {}
    for v in dag.names:
        gone = tuple(i for i, p in enumerate(dag.parents(v)) if (p, v) in removed)
        joint = shared[v].sum(axis=gone) if gone else shared[v]
        if parameters == "hier":
            joint = dirichlet(ESS * joint, rng)
        elif parameters == "iid":
            joint = dirichlet(_spread(joint.shape, iid), rng)
        parents = tuple(p for i, p in enumerate(dag.parents(v)) if i not in gone)
        cpds[v] = Table(parents, joint / joint.sum(axis=-1, keepdims=True))
    return Network(cpds, {v: tuple(f"s{k + 1}" for k in range(states)) for v in dag.names})


def _sizes(rows: int | Sequence[int], groups: int) -> list[int]:
    sizes = list(rows) if isinstance(rows, Iterable) else [rows] * groups
    if len(sizes) != groups or not all(is_integer(n) and n >= 0 for n in sizes) or sum(sizes) < 1:
        raise InputError(
            f"rows={rows!r} must be an integer, or one for each of the {groups} groups, with at least one above 0"
        )
    return [int(n) for n in sizes]
