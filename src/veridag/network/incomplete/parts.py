"""Which missing values of a row depend on each other, given what the row has.

Two missing variables are linked if a family holds both: the density of a row is a product over families, so sets of
missing variables that no family links are independent given the rest. Rows that have such a set in common are worked
on together, whatever else they lack: most sets are small, and in many rows the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.network.network import Network

Mask = NDArray[np.bool_]
Positions = NDArray[np.intp]


class Linked(NamedTuple):
    """Missing variables that are linked, in the order of the network, and the rows that have this set.

    `families` are the children of the families that hold one of them and are not barren.
    """

    variables: tuple[str, ...]
    families: tuple[str, ...]
    rows: Positions


def barren(network: Network, missing: Mask, kinds: Sequence[str] = ("discrete", "continuous")) -> Mask:
    """Missing variables of these kinds whose descendants are all missing too: what the row has says nothing of them
    beyond what it says of their parents, and they are summed out by leaving out their families."""
    at = {v: i for i, v in enumerate(network.names)}
    found = np.zeros(missing.shape, bool)
    for v in reversed(network.dag.topological_order()):
        kind = "discrete" if v in network.states else "continuous"
        if kind in kinds:
            children = [at[u] for u in network.dag.children(v)]
            found[:, at[v]] = missing[:, at[v]] & found[:, children].all(axis=1)
    return found


def linked(network: Network, missing: Mask, without: Mask) -> list[Linked]:
    """The sets of linked variables, each with its rows; `without` are barren variables, which are left out."""
    row, inside = linked_by_row(network, missing, without)
    if not row.size:
        return []
    active = holding(network, inside) & ~without[row]
    keys = np.packbits(np.concatenate([inside, active], axis=1), axis=1)
    _, first, which = np.unique(
        keys.view(np.dtype((np.void, keys.shape[1]))).reshape(-1), return_index=True, return_inverse=True
    )
    order = np.argsort(which, kind="stable")
    parts = np.split(row[order], np.flatnonzero(np.diff(which[order])) + 1)
    names = np.array(network.names, dtype=object)
    return [Linked(tuple(names[inside[i]]), tuple(names[active[i]]), own) for i, own in zip(first, parts, strict=True)]


def linked_by_row(network: Network, missing: Mask, without: Mask) -> tuple[Positions, Mask]:
    """Each set of linked variables in each row: the row, and which variables are in the set."""
    members, p = missing & ~without, len(network.names)
    rows, columns = np.nonzero(members)
    label = _labels(members, without, [_family(network, v) for v in network.names])
    sets, of = np.unique(rows * p + label[rows, columns], return_inverse=True)
    inside = np.zeros((len(sets), p), bool)
    inside[of, columns] = True
    return sets // p, inside


def holding(network: Network, inside: Mask) -> Mask:
    """The families, by their children, that hold a variable of each set."""
    p = len(network.names)
    holds = np.zeros((p, p), np.float32)  # holds[u, v]: the family of v holds u
    for v, name in enumerate(network.names):
        holds[_family(network, name), v] = 1.0
    return np.asarray(inside.astype(np.float32) @ holds > 0)


def _family(network: Network, variable: str) -> list[int]:
    at = {v: i for i, v in enumerate(network.names)}
    return [at[variable], *(at[u] for u in network.cpds[variable].parents)]


def _labels(members: Mask, without: Mask, families: Sequence[Sequence[int]]) -> Positions:
    """For each missing variable of a row the lowest number of one that it is linked with, perhaps over others."""
    p = members.shape[1]
    label = np.where(members, np.arange(p), p)
    links = []
    for v, family in enumerate(families):
        rows = np.flatnonzero((members[:, family].sum(axis=1) > 1) & ~without[:, v])
        if rows.size:
            links.append((rows[:, None], np.array(family)))
    changed = True
    while changed:
        changed = False
        for where in links:
            own, there = label[where], members[where]
            lowest = np.where(there, np.where(there, own, p).min(axis=1, keepdims=True), own)
            if (lowest < own).any():
                label[where] = lowest
                changed = True
    return label
