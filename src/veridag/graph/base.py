"""What all graphs share. They are immutable values over named variables.

One convention holds everywhere: an arc is ``(from, to)``, and ``adjacency[i, j]`` says that there is an arc from
variable i to variable j. A pair with both is joined by an undirected edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridag.errors import InputError, import_optional, suggest
from veridag.files.writing import write_text

from . import text as notation
from .matrices import Arc, Matrix, frozen_matrix
from .names import check_names, default_names

if TYPE_CHECKING:
    import networkx

    from .pdag import PDAG

VStructure = tuple[str, str, str]


class InvalidGraph(InputError):
    """Raised for a graph that is invalid, such as one with a directed cycle.

    Args:
        message: What is wrong.
        witness: The variables that show it, such as those of a cycle.

    See also:
        `PDAG.why_invalid`, docs/knowledge.md
    """

    def __init__(self, message: str, witness: Sequence[str]) -> None:
        super().__init__(message)
        self.witness = tuple(witness)


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """What all graphs have in common: names in column order, and a read-only adjacency matrix.

    Two graphs of the same kind are equal if they have the same variables, in any order, joined in the same way.

    Attributes:
        names: The variables, in column order.
        adjacency: A boolean matrix: ``adjacency[i, j]`` means i -> j. An undirected edge is set in both directions.

    See also:
        `DAG`, `PDAG`, `PartialGraph`
    """

    names: tuple[str, ...]
    adjacency: Matrix

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", check_names(self.names))
        object.__setattr__(self, "adjacency", frozen_matrix(self.adjacency, len(self.names), "adjacency"))
        if self.adjacency.diagonal().any():
            loop = self.names[int(self.adjacency.diagonal().argmax())]
            raise InvalidGraph(f"variable {loop!r} has an arc to itself: remove it", (loop,))

    # ---- in

    @classmethod
    def from_adjacency(cls, matrix: ArrayLike, names: Sequence[str] | None = None) -> Self:
        """Make a graph from a square 0/1 matrix, where ``matrix[i, j]`` means i -> j. Names default to X1, X2, ..."""
        a = np.asarray(matrix)
        if a.ndim != 2 or a.shape[0] != a.shape[1]:
            raise InputError(f"an adjacency matrix must be square, but its shape is {a.shape}")
        return cls(default_names(len(a)) if names is None else tuple(names), a)

    @classmethod
    def empty(cls, names: Sequence[str]) -> Self:
        """Make a graph without arcs."""
        return cls(tuple(names), np.zeros((len(names), len(names)), bool))

    @classmethod
    def from_networkx(cls, graph: networkx.Graph[Any]) -> Self:
        """Convert a networkx graph. Arcs in both directions, or edges without direction, become undirected edges."""
        names = tuple(str(node) for node in graph.nodes)
        at = {node: i for i, node in enumerate(graph.nodes)}
        a = np.zeros((len(names), len(names)), bool)
        for u, v in graph.edges():
            a[at[u], at[v]] = True
            if not graph.is_directed():
                a[at[v], at[u]] = True
        return cls(names, a)

    # ---- out

    def to_networkx(self) -> networkx.DiGraph[str]:
        """Convert to a networkx DiGraph. An undirected edge becomes an arc in each direction."""
        networkx = import_optional("networkx", "to_networkx")
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from((self.names[i], self.names[j]) for i, j in np.argwhere(self.adjacency))
        return graph

    def to_dot(self) -> str:
        """The graph in the DOT language. Undirected edges have ``dir=none``; undetermined pairs are dashed, too."""
        return notation.write_dot(self.names, self.arcs, self.edges, self.undetermined)

    def to_json(self) -> str:
        """The graph as a JSON object with ``kind``, ``variables``, ``arcs``, ``edges`` and ``undetermined``."""
        pairs = {"arcs": self.arcs, "edges": self.edges, "undetermined": self.undetermined}
        return notation.write_json(type(self).__name__, self.names, **pairs)

    def write(self, path: str | Path) -> Path:
        """Write the graph to a file: ``.json``, ``.dot`` or ``.gv``; or a DAG as modelstring to ``.txt``.

        See also:
            `read_graph`, docs/formats.md
        """
        from .files import write_graph

        return write_graph(self, path)

    def to_svg(self, title: str = "") -> str:
        """A layered drawing as SVG text."""
        from veridag.graph.drawing import svg

        at = self._index
        arcs, edges, undetermined = (
            [(at[a], at[b]) for a, b in pairs] for pairs in (self.arcs, self.edges, self.undetermined)
        )
        return svg(self.names, arcs, edges, undetermined, title=title)

    def draw(self, path: str | Path, title: str = "") -> Path:
        """Write a layered drawing to an .svg file. Arcs have arrowheads, edges none; undetermined pairs are dashed."""
        target = Path(path)
        if target.suffix.lower() != ".svg":
            raise InputError(f"path {str(path)!r}: drawings are written as SVG, so the name must end in .svg")
        write_text(target, self.to_svg(title))
        return target

    def _repr_svg_(self) -> str:
        return self.to_svg()

    # ---- looking things up

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """The column of a variable."""
        try:
            return self._index[name]
        except (KeyError, TypeError):  # of what cannot be looked up
            raise InputError(f"the graph has no variable {name!r}: {suggest(str(name), self.names)}") from None

    def indices(self, names: str | Iterable[str]) -> set[int]:
        """The columns of one or several variables."""
        return {self.index(name) for name in ([names] if isinstance(names, str) else names)}

    def _named(self, which: Iterable[int] | NDArray[np.integer]) -> tuple[str, ...]:
        return tuple(self.names[i] for i in which)

    @cached_property
    def _undirected(self) -> Matrix:
        return self.adjacency & self.adjacency.T

    @cached_property
    def _directed(self) -> Matrix:
        return self.adjacency & ~self.adjacency.T

    @cached_property
    def _adjacent(self) -> Matrix:
        return self.adjacency | self.adjacency.T

    @cached_property
    def arcs(self) -> tuple[Arc, ...]:
        """The arcs, in column order."""
        return tuple((self.names[i], self.names[j]) for i, j in np.argwhere(self._directed))

    @cached_property
    def edges(self) -> tuple[Arc, ...]:
        """The undirected edges, each once, in column order."""
        return tuple((self.names[i], self.names[j]) for i, j in np.argwhere(np.triu(self._undirected)))

    @property
    def undetermined(self) -> tuple[Arc, ...]:
        """The undetermined pairs; only a `PartialGraph` has any."""
        return ()

    def parents(self, name: str) -> tuple[str, ...]:
        """The variables with an arc to this one."""
        return self._named(np.flatnonzero(self._directed[:, self.index(name)]))

    def children(self, name: str) -> tuple[str, ...]:
        """The variables with an arc from this one."""
        return self._named(np.flatnonzero(self._directed[self.index(name)]))

    def neighbours(self, name: str) -> tuple[str, ...]:
        """The variables joined to this one by an arc or edge."""
        return self._named(np.flatnonzero(self._adjacent[self.index(name)]))

    def skeleton(self) -> PDAG:
        """The skeleton: the same pairs joined, all by undirected edges."""
        from .pdag import PDAG

        return PDAG(self.names, self._adjacent)

    def v_structures(self) -> tuple[VStructure, ...]:
        """All v-structures a -> c <- b (a and b not joined), as (a, c, b) with a before b in column order."""
        found = []
        for c in range(len(self.names)):
            into = np.flatnonzero(self._directed[:, c])
            found += [(a, c, b) for a, b in combinations(into, 2) if not self._adjacent[a, b]]
        return tuple((self.names[a], self.names[c], self.names[b]) for a, c, b in found)

    def reorder(self, names: Sequence[str]) -> Self:
        """The same graph with its variables in another order."""
        if sorted(names) != sorted(self.names):
            raise InputError(f"names: reorder needs all {len(self.names)} variables of the graph, each once")
        order = [self.index(name) for name in names]
        return type(self)(tuple(names), self.adjacency[np.ix_(order, order)])

    @cached_property
    def _content(self) -> tuple[str, tuple[str, ...], bytes]:
        order = np.array(sorted(range(len(self.names)), key=self.names.__getitem__), dtype=np.intp)
        ordered = np.stack([m[np.ix_(order, order)] for m in self._matrices()])
        return type(self).__name__, self._named(order), np.packbits(ordered).tobytes()

    def _matrices(self) -> tuple[Matrix, ...]:
        return (self.adjacency,)

    def __eq__(self, other: object) -> bool:
        return self._content == other._content if isinstance(other, Graph) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._content)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        counts = [f"{len(self.names)} variables", f"{len(self.arcs)} arcs"]
        counts += [f"{len(self.edges)} edges"] if self.edges else []
        counts += [f"{len(self.undetermined)} undetermined pairs"] if self.undetermined else []
        return f"<{type(self).__name__}: {', '.join(counts)}>"
