"""Tables of discrete networks: by the junction tree or by variable elimination, whichever should be cheaper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from veridag.network.network import Network

from .elimination import TooLarge, conditional, known, refuse_impossible
from .junction_tree import JunctionTree

Floats = NDArray[np.float64]

#: A pass over a tree of so many entries takes less time than variable elimination needs to find its order.
SMALL_TREE = 2**14

#: Finding the tree of a network with more variables than these takes longer than one elimination.
FEW_VARIABLES = 128

#: In the time in which a table is found by elimination, a tree goes over about so many entries.
ENTRIES_PER_TABLE = 2**15


def posterior(network: Network, targets: Sequence[str], evidence: Mapping[str, int]) -> Floats:
    """P(targets | evidence) of a discrete network, an axis for each target; `evidence` has the numbers of states.

    The tree answers if it is small and a clique holds the targets. Otherwise variables are eliminated: only those that
    matter to the targets, which in a large network are few.
    """
    if len(network.names) > FEW_VARIABLES:
        return conditional(network, targets, evidence)
    tree = _tree(network)
    fixed = known(network, evidence)
    if tree.entries_given(tuple(fixed)) > SMALL_TREE or not tree.covers([v for v in targets if v not in fixed]):
        return conditional(network, targets, evidence)
    row = np.array([[evidence.get(v, -1) for v in network.names]], np.int32)
    (table,), _ = tree.posteriors(row, [targets])
    refuse_impossible(table, ", ".join(f"{v} = {network.states[v][k]}" for v, k in evidence.items()))
    return np.asarray(table[0])


def all_marginals(network: Network, evidence: Mapping[str, int]) -> list[Floats]:
    """P(variable | evidence) of every variable of a discrete network, by its tree."""
    given = {v: network.states[v][k] for v, k in evidence.items()}
    return list(_tree(network, thorough=True).marginals(given).values())


def joint_tables(network: Network, scopes: Sequence[Sequence[str]]) -> list[Floats] | None:
    """P(scope) of each scope in a discrete network, all in one pass; None if that takes longer than one by one."""
    tree = JunctionTree(network, scopes, thorough=False)
    if tree.entries > ENTRIES_PER_TABLE * len(scopes):
        return None
    row = np.full((1, len(network.names)), -1, np.int32)
    try:
        tables, _ = tree.posteriors(row, scopes)
    except TooLarge:
        return None
    return [table[0] for table in tables]


def _tree(network: Network, *, thorough: bool = False) -> JunctionTree:
    """The tree of a network, which never changes, made only the first time that it is asked for."""
    key = "_thorough_tree" if thorough else "_junction_tree"
    made = network.__dict__.get(key)
    if made is None:
        made = network.__dict__[key] = JunctionTree(network, thorough=thorough)
    assert isinstance(made, JunctionTree)
    return made
