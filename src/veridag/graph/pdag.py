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
    """A partially directed acyclic graph, such as the CPDAG of an equivalence class.

    Attributes:
        names: The variables, in column order.
        adjacency: A boolean matrix: ``adjacency[i, j]`` means i -> j. An undirected edge is set in both directions.

    See also:
        `PDAG.from_arcs`, `DAG`, `Knowledge.orient`, docs/causal.md
    """

    @classmethod
    def from_arcs(cls, arcs: Iterable[Arc], edges: Iterable[Arc] = (), names: Sequence[str] | None = None) -> Self:
        """Make a PDAG from arcs ``(from, to)`` and undirected edges. An arc given in both directions is an edge."""
        return cls(*matrix_from_pairs(arcs, edges, names))

    @classmethod
    def from_dot(cls, text: str) -> Self:
        """Make a PDAG from the DOT language of Graphviz. ``dir=none`` or ``--`` is an undirected edge."""
        names, arcs, edges, undetermined = notation.read_dot(text)
        if undetermined:
            raise InputError(f"the DOT graph has the undetermined (dashed) pair {undetermined[0]}: read a PartialGraph")
        return cls.from_arcs(arcs, edges, names)

    def meek(self) -> PDAG:
        """The graph closed under Meek's (1995) four orientation rules."""
        return PDAG(self.names, _core.meek(self.adjacency))

    def extension(self) -> DAG:
        """A DAG with the same skeleton and v-structures that keeps every arc (Dor and Tarsi 1992).

        If there are several, the choice depends only on the names, not on the column order.

        Raises:
            InvalidGraph: If there is none, with a witness.
        """
        from .dag import DAG

        problem, matrix = self._extend()
        if problem is not None:
            raise problem
        return DAG(self.names, matrix)

    def why_invalid(self) -> InvalidGraph | None:
        """None if some DAG extends the graph; otherwise the reason with its witness.

        The witness is a directed cycle, or a set of variables of which none can be the last: each has an arc to another
        one of the set, or would create a v-structure that the graph does not have.
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
        """Whether the graph is the CPDAG of some equivalence class. See also `why_invalid`."""
        problem, matrix = self._extend()
        return problem is None and bool((_core.cpdag(matrix) == self.adjacency).all())

    def cpdag(self) -> PDAG:
        """The CPDAG of the graph's extensions. A CPDAG is its own."""
        return self.extension().cpdag()

    def obstacles(self, x: str | Iterable[str], y: str | Iterable[str]) -> tuple[Arc, ...]:
        """The undirected edges at x, as (x, v), that start a causal path to y in some DAG of the class.

        If there are none, the graph is amenable (Perkovic et al. 2018): one adjustment set can be valid for all DAGs of
        the class. Otherwise the effect is not identified unless the directions of these edges are known.
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
        """Find the sets that are adjustment sets in all DAGs that extend the graph.

        Args:
            x, y, kind, observed, most: As in `DAG.adjustment_sets`.

        Raises:
            NotAmenable: If the effect depends on directions that the graph leaves open. Otherwise all DAGs have the
                same sets.
        """
        kind = OneOf(("minimal", "all"))("kind", kind)
        return self._amenable(x, y).adjustment_sets(x, y, kind, observed=observed, most=most)

    def optimal_adjustment(self, x: str | Iterable[str], y: str | Iterable[str]) -> tuple[str, ...] | None:
        """The adjustment set with the smallest asymptotic variance, as `DAG.optimal_adjustment`.

        Raises:
            NotAmenable: If the effect depends on directions that the graph leaves open.
        """
        return self._amenable(x, y).optimal_adjustment(x, y)

    def is_valid_adjustment(
        self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()
    ) -> bool:
        """Whether adjusting for `given` identifies the effect of x on y in all DAGs that extend the graph.

        Also False if the effect depends on directions that the graph leaves open; see `obstacles`.
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
