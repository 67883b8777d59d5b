"""Two graphs side by side: of a kind that a measure takes, over the same variables, in the same order."""

from __future__ import annotations

from veridag.errors import InputError
from veridag.graph import DAG, PDAG, Graph, Matrix, PartialGraph, completed


def require(argument: str, graph: object, *kinds: type[Graph]) -> None:
    """Complain if an argument is none of the kinds."""
    if not isinstance(graph, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise InputError(f"{argument}: a {wanted} is needed, not a {type(graph).__name__}")


def require_same_variables(a: Graph, b: Graph) -> None:
    """Complain if two graphs are not about the same variables, with the first that is in only one of them."""
    odd = sorted(set(a.names) ^ set(b.names))
    if odd:
        where = "first" if odd[0] in a.names else "second"
        raise InputError(
            f"both graphs must have the same variables, but {odd[0]!r} is in only one of them, the {where}: "
            f"give both the same names"
        )


def side_by_side(a: DAG | PDAG, b: DAG | PDAG) -> tuple[Matrix, Matrix]:
    """The adjacency matrices of two graphs as they are, in the first one's order."""
    require_same_variables(a, b)
    return a.adjacency, b.reorder(a.names).adjacency


def classes(a: DAG | PDAG, b: DAG | PDAG) -> tuple[Matrix, Matrix]:
    """The same of the CPDAGs that the graphs stand for."""
    require_same_variables(a, b)
    return side_by_side(completed(a), completed(b))


def determined(a: Graph, b: Graph) -> tuple[Matrix, Matrix, Matrix]:
    """The adjacency matrices of two partial graphs, and which pairs both determine; other graphs determine all."""
    require_same_variables(a, b)
    ours, theirs = (PartialGraph.from_graph(completed(g) if isinstance(g, DAG | PDAG) else g) for g in (a, b))
    theirs = theirs.reorder(ours.names)
    assert ours.determined is not None  # a partial graph always has it
    assert theirs.determined is not None
    return ours.adjacency, theirs.adjacency, ours.determined & theirs.determined


def count_pairs(matrix: Matrix) -> int:
    """How many unordered pairs are marked, in one direction or both."""
    marked = matrix | matrix.T
    return int(marked.sum()) // 2
