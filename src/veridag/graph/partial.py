"""`PartialGraph`: a graph that leaves some pairs undetermined, such as what several graphs agree on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from veridag.errors import InputError

from . import text as notation
from .base import Graph
from .dag import DAG
from .matrices import Arc, Matrix, check_pairs, frozen_matrix, matrix_from_pairs
from .pdag import PDAG, completed

if TYPE_CHECKING:
    import networkx

PairType = Literal["none", "forward", "backward", "undirected", "undetermined"]


@dataclass(frozen=True, eq=False, repr=False)
class PartialGraph(Graph):
    """A graph that leaves some pairs undetermined: the pair (S, E) of Viinikka (2019, definition 7).

    Attributes:
        names: The variables, in column order.
        adjacency: A boolean matrix: ``adjacency[i, j]`` means i -> j. An undirected edge is set in both directions.
        determined: S as a symmetric boolean matrix; every pair is determined if None.

    See also:
        `PartialGraph.agreement`, `intersection_validation`, docs/validation.md
    """

    determined: Matrix | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        n = len(self.names)
        given = np.ones((n, n), bool) if self.determined is None else self.determined
        full = frozen_matrix(given, n, "determined") | np.eye(n, dtype=bool)
        object.__setattr__(self, "determined", frozen_matrix(full, n, "determined"))
        if (full != full.T).any():
            raise InputError("determined: if (a, b) is determined, so is (b, a); the matrix must be symmetric")
        if (self.adjacency & ~full).any():
            i, j = np.argwhere(self.adjacency & ~full)[0]
            raise InputError(f"the pair {self.names[i]!r}, {self.names[j]!r} is joined, so it cannot be undetermined")

    @classmethod
    def from_arcs(
        cls,
        arcs: Iterable[Arc],
        edges: Iterable[Arc] = (),
        undetermined: Iterable[Arc] = (),
        names: Sequence[str] | None = None,
    ) -> Self:
        """Make a graph from arcs, undirected edges and undetermined pairs."""
        arcs, edges, pairs = check_pairs(arcs), check_pairs(edges), check_pairs(undetermined)
        if names is None:
            names = tuple(dict.fromkeys(name for pair in (*arcs, *edges, *pairs) for name in pair))
        _, unknown = matrix_from_pairs([], pairs, names)
        return cls(*matrix_from_pairs(arcs, edges, names), ~unknown)

    @classmethod
    def from_graph(cls, graph: Graph) -> PartialGraph:
        """Convert a graph to a partial graph in which every pair is determined."""
        return graph if isinstance(graph, PartialGraph) else PartialGraph(graph.names, graph.adjacency)

    @classmethod
    def agreement(cls, graphs: Iterable[Graph]) -> PartialGraph:
        """The agreement graph (Viinikka 2019, definition 9): pairs that differ between the graphs are undetermined.

        DAGs and PDAGs are replaced by their CPDAGs; partial graphs are used as they are.
        """
        given = list(graphs)
        for graph in given:
            if not isinstance(graph, Graph):
                raise InputError(f"graphs: each is a DAG, PDAG or PartialGraph, not a {type(graph).__name__}")
        if not given:
            raise InputError("graphs: an agreement needs at least one graph, and the list is empty")
        operands = [cls.from_graph(completed(g) if isinstance(g, DAG | PDAG) else g) for g in given]
        return reduce(PartialGraph.intersection, operands)

    @classmethod
    def from_dot(cls, text: str) -> Self:
        """Make a graph from the DOT language of Graphviz. Dashed pairs without direction are undetermined."""
        names, arcs, edges, undetermined = notation.read_dot(text)
        return cls.from_arcs(arcs, edges, undetermined, names)

    @property
    def _s(self) -> Matrix:
        assert self.determined is not None  # set by __post_init__
        return self.determined

    def _matrices(self) -> tuple[Matrix, ...]:
        return (self.adjacency, self._s)

    @cached_property
    def undetermined(self) -> tuple[Arc, ...]:
        """The undetermined pairs, each once, in column order."""
        return tuple((self.names[i], self.names[j]) for i, j in np.argwhere(np.triu(~self._s)))

    @property
    def size(self) -> float:
        """The share of pairs that are determined; 1 for fewer than two variables."""
        pairs = len(self.names) * (len(self.names) - 1)
        return 1.0 if pairs == 0 else float((int(self._s.sum()) - len(self.names)) / pairs)

    def pair(self, a: str, b: str) -> PairType:
        """How two variables are joined, seen from the first: "forward" is a -> b."""
        i, j = self.index(a), self.index(b)
        if not self._s[i, j]:
            return "undetermined"
        kinds: tuple[PairType, ...] = ("none", "backward", "forward", "undirected")
        return kinds[2 * int(self.adjacency[i, j]) + int(self.adjacency[j, i])]

    def intersection(self, other: Graph) -> PartialGraph:
        """The strict intersection (Viinikka 2019, definition 8): pairs of different types become undetermined."""
        theirs = _aligned(self, other)
        same = (self.adjacency == theirs.adjacency) & (self.adjacency == theirs.adjacency).T
        agreed = self._s & theirs._s & same
        return PartialGraph(self.names, self.adjacency & agreed, agreed)

    def __and__(self, other: Graph) -> PartialGraph:
        return self.intersection(other)

    def project(self, truth: Graph) -> PartialGraph:
        """The truth restricted to the determined pairs: (S, S and E) of Viinikka (2019, section 4.4)."""
        theirs = _aligned(self, truth)
        known = self._s & theirs._s
        return PartialGraph(self.names, theirs.adjacency & known, known)

    def reorder(self, names: Sequence[str]) -> Self:
        """The same graph with its variables in another order."""
        plain = PDAG(self.names, self.adjacency).reorder(names)
        order = [self.index(name) for name in names]
        return type(self)(plain.names, plain.adjacency, self._s[np.ix_(order, order)])

    def to_networkx(self) -> networkx.DiGraph[str]:
        """Convert to a networkx DiGraph. Undetermined pairs are arcs both ways with ``undetermined=True``."""
        graph = super().to_networkx()
        for a, b in self.undetermined:
            graph.add_edge(a, b, undetermined=True)
            graph.add_edge(b, a, undetermined=True)
        return graph

    @classmethod
    def from_networkx(cls, graph: networkx.Graph[Any]) -> Self:
        """Convert a networkx graph. Pairs with the attribute ``undetermined=True`` are undetermined."""
        joined = PDAG.from_networkx(graph)
        known = np.ones_like(joined.adjacency)
        at = {node: i for i, node in enumerate(graph.nodes)}
        for u, v, unknown in graph.edges(data="undetermined"):
            if unknown:
                known[at[u], at[v]] = known[at[v], at[u]] = False
        return cls(joined.names, joined.adjacency & known, known)


def _aligned(graph: Graph, other: Graph) -> PartialGraph:
    if sorted(graph.names) != sorted(other.names):
        odd = sorted(set(graph.names) ^ set(other.names))
        raise InputError(f"both graphs must have the same variables, but {odd[0]!r} is in only one of them")
    return PartialGraph.from_graph(other).reorder(graph.names)
