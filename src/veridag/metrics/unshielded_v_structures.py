"""How much of a graph is v-structures."""

from __future__ import annotations

from veridag.graph import DAG, PDAG

from ._comparison import require


def unshielded_v_structures(graph: DAG | PDAG) -> float:
    r"""Compute the proportion of unshielded v-structures among adjacent pairs of arcs.

    An unshielded v-structure is u -> w <- v with u and v not joined (Scutari et al. 2019, section 5.2). Two arcs are
    adjacent if they share a variable: there are $\sum_w d_w (d_w - 1) / 2$ such pairs, where $d_w$ is the number of
    variables joined to w. Undirected edges count as arcs in these pairs, so a DAG and its CPDAG have the same value.
    The value is 0 if no two arcs are adjacent.

    Args:
        graph: The graph: a DAG or a PDAG.

    See also:
        `arc_count`, docs/metrics.md
    """
    require("graph", graph, DAG, PDAG)
    degree = (graph.adjacency | graph.adjacency.T).sum(axis=1)
    pairs = int((degree * (degree - 1)).sum()) // 2
    return len(graph.v_structures()) / pairs if pairs else 0.0
