"""Graphs over named variables: `DAG`, `PDAG` and `PartialGraph`, all immutable.

One convention holds everywhere: an arc is ``(from, to)``, and ``adjacency[i, j]`` says that there is an arc from
variable i to variable j. A pair with both is joined by an undirected edge.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridag import _core
from veridag.errors import InputError, suggest

from . import text as notation

if TYPE_CHECKING:
    import networkx

Arc = tuple[str, str]
VStructure = tuple[str, str, str]
Matrix = NDArray[np.bool_]
PairType = Literal["none", "forward", "backward", "undirected", "undetermined"]


class InvalidGraph(InputError):
    """A graph that is not what it must be; `witness` names the variables that show it."""

    def __init__(self, message: str, witness: Sequence[str]) -> None:
        super().__init__(message)
        self.witness = tuple(witness)


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """What all graphs share: names in column order, and an adjacency matrix that cannot be written to.

    Two graphs of one kind are equal when they have the same variables, in whatever order, joined in the same way.
    """

    names: tuple[str, ...]
    adjacency: Matrix

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", check_names(self.names))
        object.__setattr__(self, "adjacency", _frozen_matrix(self.adjacency, len(self.names), "adjacency"))
        if self.adjacency.diagonal().any():
            loop = self.names[int(self.adjacency.diagonal().argmax())]
            raise InvalidGraph(f"variable {loop!r} has an arc to itself: remove it", (loop,))

    # ---- in

    @classmethod
    def from_adjacency(cls, matrix: ArrayLike, names: Sequence[str] | None = None) -> Self:
        """A graph from a square 0/1 matrix, ``matrix[i, j]`` meaning i -> j; names default to X1, X2, ..."""
        a = np.asarray(matrix)
        if a.ndim != 2 or a.shape[0] != a.shape[1]:
            raise InputError(f"an adjacency matrix is square, this one has shape {a.shape}")
        return cls(default_names(len(a)) if names is None else tuple(names), a)

    @classmethod
    def empty(cls, names: Sequence[str]) -> Self:
        """The graph without arcs."""
        return cls(tuple(names), np.zeros((len(names), len(names)), bool))

    @classmethod
    def from_networkx(cls, graph: networkx.Graph[Any]) -> Self:
        """From a networkx graph. Arcs in both directions, or the edges of an undirected graph, are undirected edges."""
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
        """A networkx DiGraph; an undirected edge becomes one arc in each direction."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from((self.names[i], self.names[j]) for i, j in np.argwhere(self.adjacency))
        return graph

    def to_dot(self) -> str:
        """Graphviz' language; undirected edges have ``dir=none``, undetermined pairs are dashed as well."""
        return notation.write_dot(self.names, self.arcs, self.edges, self.undetermined)

    def to_json(self) -> str:
        """A JSON object with ``kind``, ``variables`` and the pairs: ``arcs``, ``edges``, ``undetermined``."""
        pairs = {"arcs": self.arcs, "edges": self.edges, "undetermined": self.undetermined}
        return notation.write_json(type(self).__name__, self.names, **pairs)

    def to_svg(self, title: str = "") -> str:
        """A layered drawing as SVG text."""
        from veridag.graph.drawing import svg

        at = self._index
        arcs, edges, undetermined = (
            [(at[a], at[b]) for a, b in pairs] for pairs in (self.arcs, self.edges, self.undetermined)
        )
        return svg(self.names, arcs, edges, undetermined, title=title)

    def draw(self, path: str | Path, title: str = "") -> Path:
        """Write a layered drawing to an .svg file; arcs have heads, edges none, undetermined pairs are dashed."""
        target = Path(path)
        if target.suffix.lower() != ".svg":
            raise InputError(f"path {str(path)!r}: drawings are written as SVG, so the name must end in .svg")
        target.write_text(self.to_svg(title), "utf-8")
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
        except KeyError:
            raise InputError(f"the graph has no variable {name!r}: {suggest(name, self.names)}") from None

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
        """The directed arcs, in column order."""
        return tuple((self.names[i], self.names[j]) for i, j in np.argwhere(self._directed))

    @cached_property
    def edges(self) -> tuple[Arc, ...]:
        """The undirected edges, each once, in column order."""
        return tuple((self.names[i], self.names[j]) for i, j in np.argwhere(np.triu(self._undirected)))

    @property
    def undetermined(self) -> tuple[Arc, ...]:
        """The pairs that the graph says nothing about; only a `PartialGraph` has any."""
        return ()

    def parents(self, name: str) -> tuple[str, ...]:
        """The variables with an arc to this one."""
        return self._named(np.flatnonzero(self._directed[:, self.index(name)]))

    def children(self, name: str) -> tuple[str, ...]:
        """The variables with an arc from this one."""
        return self._named(np.flatnonzero(self._directed[self.index(name)]))

    def neighbours(self, name: str) -> tuple[str, ...]:
        """The variables joined to this one, in whatever direction or none."""
        return self._named(np.flatnonzero(self._adjacent[self.index(name)]))

    def skeleton(self) -> PDAG:
        """The same pairs joined, all without direction."""
        return PDAG(self.names, self._adjacent)

    def v_structures(self) -> tuple[VStructure, ...]:
        """Every a -> c <- b whose a and b are not joined, as (a, c, b) with a before b in column order."""
        found = []
        for c in range(len(self.names)):
            into = np.flatnonzero(self._directed[:, c])
            found += [(a, c, b) for a, b in combinations(into, 2) if not self._adjacent[a, b]]
        return tuple((self.names[a], self.names[c], self.names[b]) for a, c, b in found)

    def reorder(self, names: Sequence[str]) -> Self:
        """The same graph with its variables in another order."""
        if sorted(names) != sorted(self.names):
            raise InputError(f"names: reorder needs the graph's own {len(self.names)} variables, each once")
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


@dataclass(frozen=True, eq=False, repr=False)
class DAG(Graph):
    """A directed acyclic graph: the structure of a Bayesian network."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self._order) < len(self.names):
            cycle = _find_cycle(self)
            raise InvalidGraph(f"the arcs form a cycle: {' -> '.join(cycle)}", cycle)

    @classmethod
    def from_arcs(cls, arcs: Iterable[Arc], names: Sequence[str] | None = None) -> Self:
        """A graph from its arcs ``(from, to)``. Without `names`, the variables come in order of appearance."""
        return cls(*_matrix_from_pairs(arcs, [], names))

    @classmethod
    def from_modelstring(cls, text: str) -> Self:
        """From ``[A][B|A][C|A:B]``, the notation of R bnlearn; the variables keep the order of their factors."""
        names, arcs = notation.read_modelstring(text)
        return cls.from_arcs(arcs, names)

    @classmethod
    def from_dot(cls, text: str) -> Self:
        """From Graphviz' language; attributes other than directions are passed over."""
        names, arcs, edges, undetermined = notation.read_dot(text)
        if edges or undetermined:
            raise InputError(f"the DOT graph has the undirected edge {(edges + undetermined)[0]}: read it as a PDAG")
        return cls.from_arcs(arcs, names)

    def to_modelstring(self) -> str:
        """``[A][B|A][C|A:B]``, in column order."""
        return notation.write_modelstring({name: self.parents(name) for name in self.names})

    @cached_property
    def _order(self) -> list[int]:
        return _topological_order(self.adjacency)

    def topological_order(self) -> tuple[str, ...]:
        """The variables with parents before children; among the possible orders the first by column."""
        return self._named(self._order)

    def ancestors(self, name: str | Iterable[str]) -> tuple[str, ...]:
        """The variables with a directed path to this one, or to any of several, themselves not included."""
        return self._reached(name, self.adjacency.T)

    def descendants(self, name: str | Iterable[str]) -> tuple[str, ...]:
        """The variables with a directed path from this one, or from any of several, themselves not included."""
        return self._reached(name, self.adjacency)

    def _reached(self, name: str | Iterable[str], step: Matrix) -> tuple[str, ...]:
        start = self._indices(name)
        return self._named(sorted(_closure(start, step) - start))

    def _indices(self, names: str | Iterable[str]) -> set[int]:
        return {self.index(name) for name in ([names] if isinstance(names, str) else names)}

    def moral(self) -> PDAG:
        """The moral graph: parents of a common child are joined, and directions dropped."""
        a = self.adjacency.astype(np.float32)
        married = (a @ a.T) > 0
        np.fill_diagonal(married, False)
        return PDAG(self.names, married | self._adjacent)

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Parents, children and the children's other parents: given these, the variable is independent of the rest."""
        i = self.index(name)
        blanket = self._adjacent[i] | self.adjacency[:, self.adjacency[i]].any(axis=1)
        blanket[i] = False
        return self._named(np.flatnonzero(blanket))

    def d_separated(self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()) -> bool:
        """Whether every path between x and y is blocked by `given` (Pearl 1988); x and y may be several variables."""
        xs, ys, zs = self._indices(x), self._indices(y), self._indices(given)
        shared = (xs & ys) | (xs & zs) | (ys & zs)
        if shared:
            raise InputError(
                f"x, y and given must not share variables, but {self.names[min(shared)]!r} is in two of them"
            )
        return not (_active_reach(self.adjacency, xs, zs) & ys)

    def cpdag(self) -> PDAG:
        """The completed PDAG of the Markov equivalence class (Chickering 1995)."""
        return PDAG(self.names, _core.cpdag(self.adjacency))

    def is_equivalent(self, other: DAG) -> bool:
        """Whether both graphs say the same about conditional independence."""
        return self.cpdag() == other.cpdag()

    def nparams(self, arities: Mapping[str, int]) -> int:
        """Free parameters of a discrete network: the sum over variables of (r_i - 1) q_i."""
        r = np.array([_arity(arities, name) for name in self.names], dtype=object)
        return int(sum((r[i] - 1) * r[self.adjacency[:, i]].prod() for i in range(len(r))))


@dataclass(frozen=True, eq=False, repr=False)
class PDAG(Graph):
    """A partially directed graph, such as the CPDAG that stands for a class of equivalent DAGs."""

    @classmethod
    def from_arcs(cls, arcs: Iterable[Arc], edges: Iterable[Arc] = (), names: Sequence[str] | None = None) -> Self:
        """A graph from arcs ``(from, to)`` and undirected edges; an arc given in both directions is an edge too."""
        return cls(*_matrix_from_pairs(arcs, edges, names))

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
        cycle = _find_cycle(self)
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


@dataclass(frozen=True, eq=False, repr=False)
class PartialGraph(Graph):
    """A graph that leaves some pairs undetermined: the pair (S, E) of Viinikka 2019, definition 7.

    `determined` is S as a symmetric matrix; by default every pair is determined.
    """

    determined: Matrix | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        n = len(self.names)
        given = np.ones((n, n), bool) if self.determined is None else self.determined
        full = _frozen_matrix(given, n, "determined") | np.eye(n, dtype=bool)
        object.__setattr__(self, "determined", _frozen_matrix(full, n, "determined"))
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
        """A graph from arcs, undirected edges and undetermined pairs."""
        arcs, edges, pairs = _check_pairs(arcs), _check_pairs(edges), _check_pairs(undetermined)
        if names is None:
            names = tuple(dict.fromkeys(name for pair in (*arcs, *edges, *pairs) for name in pair))
        _, unknown = _matrix_from_pairs([], pairs, names)
        return cls(*_matrix_from_pairs(arcs, edges, names), ~unknown)

    @classmethod
    def from_graph(cls, graph: Graph) -> PartialGraph:
        """An ordinary graph as a partial one in which every pair is determined."""
        return graph if isinstance(graph, PartialGraph) else PartialGraph(graph.names, graph.adjacency)

    @classmethod
    def agreement(cls, graphs: Iterable[Graph]) -> PartialGraph:
        """The agreement graph (Viinikka 2019, definition 9): what all graphs say alike; other pairs are undetermined.

        DAGs and PDAGs are taken for their CPDAGs (see `completed`), partial graphs as they are.
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
        """From Graphviz' language; dashed pairs without direction are undetermined."""
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
        """The pairs that the graph says nothing about, each once, in column order."""
        return tuple((self.names[i], self.names[j]) for i, j in np.argwhere(np.triu(~self._s)))

    @property
    def size(self) -> float:
        """The proportion of pairs that are determined; 1 for a graph of fewer than two variables."""
        pairs = len(self.names) * (len(self.names) - 1)
        return 1.0 if pairs == 0 else float((int(self._s.sum()) - len(self.names)) / pairs)

    def pair(self, a: str, b: str) -> PairType:
        """How two variables are joined, seen from the first: forward is a -> b."""
        i, j = self.index(a), self.index(b)
        if not self._s[i, j]:
            return "undetermined"
        kinds: tuple[PairType, ...] = ("none", "backward", "forward", "undirected")
        return kinds[2 * int(self.adjacency[i, j]) + int(self.adjacency[j, i])]

    def intersection(self, other: Graph) -> PartialGraph:
        """The strict intersection (Viinikka 2019, definition 8): pairs of different type become undetermined."""
        theirs = _aligned(self, other)
        same = (self.adjacency == theirs.adjacency) & (self.adjacency == theirs.adjacency).T
        agreed = self._s & theirs._s & same
        return PartialGraph(self.names, self.adjacency & agreed, agreed)

    def __and__(self, other: Graph) -> PartialGraph:
        return self.intersection(other)

    def project(self, truth: Graph) -> PartialGraph:
        """The truth on the determined pairs alone: (S, S and E) of Viinikka 2019, section 4.4."""
        theirs = _aligned(self, truth)
        known = self._s & theirs._s
        return PartialGraph(self.names, theirs.adjacency & known, known)

    def reorder(self, names: Sequence[str]) -> Self:
        """The same graph with its variables in another order."""
        plain = PDAG(self.names, self.adjacency).reorder(names)
        order = [self.index(name) for name in names]
        return type(self)(plain.names, plain.adjacency, self._s[np.ix_(order, order)])

    def to_networkx(self) -> networkx.DiGraph[str]:
        """A networkx DiGraph; undetermined pairs are arcs both ways with the attribute ``undetermined=True``."""
        graph = super().to_networkx()
        for a, b in self.undetermined:
            graph.add_edge(a, b, undetermined=True)
            graph.add_edge(b, a, undetermined=True)
        return graph

    @classmethod
    def from_networkx(cls, graph: networkx.Graph[Any]) -> Self:
        """From a networkx graph; pairs with the attribute ``undetermined=True`` are undetermined."""
        joined = PDAG.from_networkx(graph)
        known = np.ones_like(joined.adjacency)
        at = {node: i for i, node in enumerate(graph.nodes)}
        for u, v, unknown in graph.edges(data="undetermined"):
            if unknown:
                known[at[u], at[v]] = known[at[v], at[u]] = False
        return cls(joined.names, joined.adjacency & known, known)


def completed(graph: DAG | PDAG) -> PDAG:
    """The CPDAG of the class that a graph stands for; a PDAG that no DAG extends stands for itself."""
    if isinstance(graph, PDAG) and graph.why_invalid() is not None:
        return graph
    return graph.cpdag()


def read_graph(text: str) -> DAG | PDAG | PartialGraph:
    """A graph from the JSON that `Graph.to_json` writes."""
    kind, names, pairs = notation.read_json(text)
    if kind == "DAG" and not pairs["edges"] and not pairs["undetermined"]:
        return DAG.from_arcs(pairs["arcs"], names)
    if kind == "PDAG" and not pairs["undetermined"]:
        return PDAG.from_arcs(pairs["arcs"], pairs["edges"], names)
    if kind == "PartialGraph":
        return PartialGraph.from_arcs(pairs["arcs"], pairs["edges"], pairs["undetermined"], names)
    raise InputError(f"the JSON says {kind!r}, which is no kind of graph, or has pairs that such a graph has not")


def default_names(n: int) -> tuple[str, ...]:
    """X1, X2, ..., Xn."""
    return tuple(f"X{i + 1}" for i in range(n))


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names as a tuple, if each is text, not empty, and there only once."""
    checked = tuple(names)
    for name in checked:
        if not isinstance(name, str) or not name:
            raise InputError(f"names: {name!r} is not a name; every variable needs a non-empty text as its name")
    if len(set(checked)) < len(checked):
        twice = next(name for name in checked if checked.count(name) > 1)
        raise InputError(
            f"names: {twice!r} is there {checked.count(twice)} times; rename the variables so that each is unique"
        )
    return checked


def _frozen_matrix(matrix: Matrix, n: int, argument: str) -> Matrix:
    given = np.asarray(matrix)
    if given.shape != (n, n):
        raise InputError(f"{argument}: {n} variables need a matrix of shape {(n, n)}, not {given.shape}")
    if given.dtype != np.bool_ and not np.isin(given, (0, 1)).all():
        raise InputError(f"{argument}: the matrix holds only 0 and 1 (or False and True): threshold weights first")
    a = np.array(given, dtype=bool, order="C")
    a.flags.writeable = False
    return a


def _check_pairs(pairs: Iterable[Arc]) -> list[Arc]:
    if not isinstance(pairs, Iterable):
        raise InputError(f"arcs and edges are lists of pairs (from, to), not {pairs!r}")
    checked = list(pairs)
    for pair in checked:
        # A text would fall into letters, and a set has no order.
        if isinstance(pair, str) or not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise InputError(f"an arc is a pair (from, to), not {pair!r}")
        if not all(isinstance(name, str) for name in pair):
            raise InputError(f"an arc is a pair (from, to) of names, which are texts, not {pair!r}")
    return checked


def _matrix_from_pairs(
    arcs: Iterable[Arc], edges: Iterable[Arc], names: Sequence[str] | None
) -> tuple[tuple[str, ...], Matrix]:
    arcs, edges = _check_pairs(arcs), _check_pairs(edges)
    directed = {frozenset(arc) for arc in arcs} if edges else set()
    for u, v in edges:
        if {u, v} in directed:
            raise InputError(f"the pair {(u, v)!r} is given as an arc and as an edge: keep one of them")
    if names is None:
        names = tuple(dict.fromkeys(name for pair in (*arcs, *edges) for name in pair))
    checked = check_names(names)
    at = {name: i for i, name in enumerate(checked)}
    a = np.zeros((len(checked), len(checked)), bool)
    try:
        for u, v in arcs:
            a[at[u], at[v]] = True
        for u, v in edges:
            a[at[u], at[v]] = a[at[v], at[u]] = True
    except KeyError:
        unknown = next(name for pair in (*arcs, *edges) for name in pair if name not in at)
        raise InputError(f"an arc names {unknown!r}, which is not in names: {suggest(unknown, checked)}") from None
    return checked, a


def _topological_order(a: Matrix) -> list[int]:
    """Kahn's algorithm, always taking the first column that is free; shorter than the graph if there is a cycle."""
    children: list[list[int]] = [[] for _ in range(len(a))]
    waiting = [0] * len(a)
    for i, j in zip(*(index.tolist() for index in np.nonzero(a)), strict=True):
        children[i].append(j)
        waiting[j] += 1
    free = [i for i, count in enumerate(waiting) if count == 0]
    order = []
    while free:
        i = heapq.heappop(free)
        order.append(i)
        for j in children[i]:
            waiting[j] -= 1
            if waiting[j] == 0:
                heapq.heappush(free, j)
    return order


def _find_cycle(graph: Graph) -> tuple[str, ...]:
    """A directed cycle, its first variable repeated at the end; empty if there is none. Undirected edges do not count,
    except in a DAG, where two opposite arcs are the shortest cycle there is."""
    a = graph.adjacency if isinstance(graph, DAG) else graph._directed
    left = set(range(len(a))) - set(_topological_order(a))
    backward = set(_topological_order(a.T))
    left -= backward
    if not left:
        return ()
    # Every variable left has a parent among those left: walk up until one comes again.
    path = [min(left)]
    while True:
        up = next(int(p) for p in np.flatnonzero(a[:, path[-1]]) if int(p) in left)
        if up in path:
            loop = [*path[path.index(up) :], up]
            return graph._named(reversed(loop))
        path.append(up)


def _closure(start: set[int], step: Matrix) -> set[int]:
    reached, frontier = set(start), list(start)
    while frontier:
        for j in np.flatnonzero(step[frontier.pop()]).tolist():
            if j not in reached:
                reached.add(j)
                frontier.append(j)
    return reached


def _active_reach(a: Matrix, start: set[int], given: set[int]) -> set[int]:
    """The variables joined to `start` by a path that `given` leaves open (Koller and Friedman 2009, algorithm 3.1)."""
    opens_colliders = _closure(given, a.T)
    up, down = True, False
    frontier = [(i, up) for i in start]
    seen = set(frontier)
    while frontier:
        i, came_from_child = frontier.pop()
        steps: list[tuple[int, bool]] = []
        if i not in given:
            steps += [(j, down) for j in np.flatnonzero(a[i]).tolist()]
        if i not in given if came_from_child else i in opens_colliders:
            steps += [(j, up) for j in np.flatnonzero(a[:, i]).tolist()]
        fresh = [step for step in steps if step not in seen]
        seen.update(fresh)
        frontier += fresh
    return {i for i, _ in seen if i not in given}


def _arity(arities: Mapping[str, int], name: str) -> int:
    if name not in arities:
        raise InputError(f"arities: variable {name!r} is missing")
    arity = arities[name]
    if not isinstance(arity, int | np.integer) or isinstance(arity, bool) or arity < 1:
        raise InputError(f"arities: {name!r} has {arity!r}; the number of states is a whole number from 1 up")
    return int(arity)


def _aligned(graph: Graph, other: Graph) -> PartialGraph:
    if sorted(graph.names) != sorted(other.names):
        odd = sorted(set(graph.names) ^ set(other.names))
        raise InputError(f"both graphs must have the same variables, but {odd[0]!r} is in only one of them")
    return PartialGraph.from_graph(other).reorder(graph.names)
