"""`PDAG`: a graph with arcs and undirected edges, and the DAGs that extend it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from veridag import _core
from veridag.checks import OneOf
from veridag.errors import InputError

from . import text as notation
from .base import Graph, InvalidGraph
from .causal import MOST, NotAmenable, Question, obstacles
from .matrices import Arc, Matrix, find_cycle, matrix_from_pairs

if TYPE_CHECKING:
    from .dag import DAG


@dataclass(frozen=True, eq=False, repr=False)
class PDAG(Graph):
    """A partially directed graph, such as the CPDAG that stands for a class of equivalent DAGs."""

    @classmethod
    def from_arcs(cls, arcs: Iterable[Arc], edges: Iterable[Arc] = (), names: Sequence[str] | None = None) -> Self:
        """A graph from arcs ``(from, to)`` and undirected edges; an arc given in both directions is an edge too."""
        return cls(*matrix_from_pairs(arcs, edges, names))

    @classmethod
    def from_dot(cls, text: str) -> Self:
        """From Graphviz' language; ``dir=none`` or ``--`` make an undirected edge."""
        names, arcs, edges, undetermined = notation.read_dot(text)
        if undetermined:
            raise InputError(f"the DOT graph has the undetermined (dashed) pair {undetermined[0]}: read a PartialGraph")
        return cls.from_arcs(arcs, edges, names)

    def meek(self) -> PDAG:
        """The graph closed under Meek's (1995) four orientation rules."""
        return PDAG(self.names, _core.meek(self.adjacency))

    def extension(self) -> DAG:
        """A DAG with the same skeleton and v-structures that keeps every arc (Dor and Tarsi 1992).

        Among several, the choice depends on the names alone, not on the column order. Raises `InvalidGraph` with a
        witness when there is none.
        """
        from .dag import DAG

        problem, matrix = self._extend()
        if problem is not None:
            raise problem
        return DAG(self.names, matrix)

    def why_invalid(self) -> InvalidGraph | None:
        """None if some DAG extends the graph, else the reason with its witness.

        The witness is a directed cycle, or a set of variables none of which could be the last of them: each has an
        arc to another of the set, or would gain a v-structure that the graph does not have.
        """
        return self._extend()[0]

    def _extend(self) -> tuple[InvalidGraph | None, Matrix]:
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        extended, stuck = _core.extend(np.ascontiguousarray(self.adjacency[np.ix_(order, order)]))
        matrix = np.empty_like(self.adjacency)
        matrix[np.ix_(order, order)] = extended
        if not len(stuck):
            return None, matrix
        cycle = self._named(find_cycle(self._directed))
        if cycle:
            return InvalidGraph(
                f"no DAG extends the graph: its arcs form the cycle {' -> '.join(cycle)}", cycle
            ), matrix
        witness = self._named(sorted(order[i] for i in stuck))
        message = (
            f"no DAG extends the graph: each of {', '.join(witness)} has an arc to another, or would gain a v-structure"
        )
        return InvalidGraph(message, witness), matrix

    def is_cpdag(self) -> bool:
        """Whether the graph is the completed PDAG of some class of equivalent DAGs; see `why_invalid`."""
        problem, matrix = self._extend()
        return problem is None and bool((_core.cpdag(matrix) == self.adjacency).all())

    def cpdag(self) -> PDAG:
        """The completed PDAG of the graph's extensions; a CPDAG is its own."""
        return self.extension().cpdag()

    def obstacles(self, x: str | Iterable[str], y: str | Iterable[str]) -> tuple[Arc, ...]:
        """The undirected edges out of x, as (x, v), with which a causal path to y begins in some DAG of the class.

        If there are none, the graph is amenable (Perkovic et al. 2018): one adjustment set can be right for all DAGs
        of the class. Otherwise the data cannot tell the effect, unless the directions of these edges are known.
        """
        problem = self.why_invalid()
        if problem is not None:
            raise problem
        found = obstacles(self.meek().adjacency, Question.of(self, x, y))
        return tuple((self.names[u], self.names[v]) for u, v in found)

    def adjustment_sets(
        self,
        x: str | Iterable[str],
        y: str | Iterable[str],
        kind: Literal["minimal", "all"] = "minimal",
        *,
        observed: Iterable[str] | None = None,
        most: int = MOST,
    ) -> list[tuple[str, ...]]:
        """The sets that are adjustment sets in all DAGs that extend the graph; see `DAG.adjustment_sets`.

        Raises `NotAmenable` if the directions that are left open matter. Otherwise all DAGs have the same sets.
        """
        kind = OneOf(("minimal", "all"))("kind", kind)
        return self._amenable(x, y).adjustment_sets(x, y, kind, observed=observed, most=most)

    def optimal_adjustment(self, x: str | Iterable[str], y: str | Iterable[str]) -> tuple[str, ...] | None:
        """The adjustment set with the smallest asymptotic variance; see `DAG.optimal_adjustment`.

        Raises `NotAmenable` if the directions that are left open matter.
        """
        return self._amenable(x, y).optimal_adjustment(x, y)

    def is_valid_adjustment(
        self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()
    ) -> bool:
        """Whether adjusting for `given` yields the effect of x on y in all DAGs that extend the graph.

        False as well if the directions that are left open matter; see `obstacles`.
        """
        asked = Question.of(self, x, y)
        asked.check(self, "given", given)
        return not self.obstacles(x, y) and self.extension().is_valid_adjustment(x, y, given)

    def _amenable(self, x: str | Iterable[str], y: str | Iterable[str]) -> DAG:
        """Any DAG that extends the graph, since all have the same adjustment sets (Henckel et al. 2022)."""
        edges = self.obstacles(x, y)
        if edges:
            raise NotAmenable(edges, _listed(x), _listed(y))
        return self.extension()


def _listed(names: str | Iterable[str]) -> str:
    return names if isinstance(names, str) else ", ".join(names)


def completed(graph: DAG | PDAG) -> PDAG:
    """The CPDAG of the class that a graph stands for; a PDAG that no DAG extends stands for itself."""
    if isinstance(graph, PDAG) and graph.why_invalid() is not None:
        return graph
    return graph.cpdag()
