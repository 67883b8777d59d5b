"""`ClassShares`: how often pairs of variables are joined, and in which direction, in many equivalence classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from .dag import DAG
from .matrices import Matrix
from .pdag import PDAG

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassShares:
    """The shares of many equivalence classes (CPDAGs) that have each arc and each edge.

    Attributes:
        names: The variables.
        directed: ``directed[u, v]`` is the share of the classes with the arc u -> v.
        undirected: ``undirected[u, v]`` is the share of the classes with an undirected edge between u and v.

    See also:
        `assess`
    """

    names: tuple[str, ...]
    directed: Floats
    undirected: Floats

    @classmethod
    def of(cls, names: Sequence[str], classes: Iterable[Matrix]) -> Self:
        """The shares of adjacency matrices in which an undirected edge is set in both directions."""
        directed, undirected, number = np.zeros((len(names),) * 2), np.zeros((len(names),) * 2), 0
        for a in classes:
            both = a & a.T
            directed += a & ~both
            undirected += both
            number += 1
        return cls(tuple(names), directed / max(number, 1), undirected / max(number, 1))

    @classmethod
    def mean(cls, parts: Sequence[ClassShares]) -> ClassShares:
        """The mean of several, with equal weights."""
        directed = np.mean([part.directed for part in parts], axis=0)
        return ClassShares(parts[0].names, directed, np.mean([part.undirected for part in parts], axis=0))

    @cached_property
    def joined(self) -> Floats:
        """The share of the classes that join each pair, in any direction."""
        return np.minimum(self.directed + self.directed.T + self.undirected, 1.0)

    def likeliest_class(self, threshold: float = 0.5, targets: Sequence[tuple[str, ...]] = ()) -> PDAG:
        """A class that summarises them: pairs joined in more than the `threshold`, with their most frequent direction.

        A direction is kept if it is more frequent than the opposite one and than none, the most frequent first, unless
        it closes a cycle. Undirected edges then create no further v-structure. Where that is impossible, the weakest
        directions are dropped, and finally the order of the directions decides. With the `targets` of interventions, it
        is an interventional class.
        """
        joined = self.joined > threshold
        np.fill_diagonal(joined, False)
        wanted = joined & (self.directed > self.directed.T) & (self.directed > self.undirected)
        order = sorted(
            [(i, j) for i, j in np.argwhere(wanted).tolist()],
            key=lambda arc: (-self.directed[arc], self.names[arc[0]], self.names[arc[1]]),
        )
        kept = _acyclic(order, len(self.names))
        graph = self._partly_directed(joined, kept)
        while kept and graph.why_invalid() is not None:
            kept = kept[:-1]
            graph = self._partly_directed(joined, kept)
        if graph.why_invalid() is None:
            return graph.extension().interventional_cpdag(targets)
        return self._by_order(joined).interventional_cpdag(targets)

    def _partly_directed(self, joined: Matrix, arcs: Sequence[tuple[int, int]]) -> PDAG:
        adjacency = joined.copy()
        for i, j in arcs:
            adjacency[j, i] = False
        return PDAG(self.names, adjacency)

    def _by_order(self, joined: Matrix) -> DAG:
        """The joined pairs, directed along an order: from variables with more arcs that leave them to the others."""
        out = (self.directed - self.directed.T).sum(axis=1)
        order = sorted(range(len(self.names)), key=lambda v: (-out[v], self.names[v]))
        place = np.argsort(order)
        return DAG(self.names, joined & (place[:, np.newaxis] < place[np.newaxis, :]))


def _acyclic(arcs: Sequence[tuple[int, int]], n: int) -> list[tuple[int, int]]:
    """The arcs in turn, without those that would close a cycle."""
    reach = np.eye(n, dtype=bool)
    kept = []
    for i, j in arcs:
        if not reach[j, i]:
            kept.append((i, j))
            reach |= np.outer(reach[:, i], reach[j])
    return kept
