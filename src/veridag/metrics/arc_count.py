"""How many arcs a graph has."""

from __future__ import annotations

from veridag.graph import DAG, PDAG

from ._comparison import count_pairs, require


def arc_count(graph: DAG | PDAG) -> int:
    """Count the arcs, where an undirected edge counts as one: the same for a DAG and its CPDAG.

    Args:
        graph: The graph: a DAG or a PDAG.

    See also:
        `nparams`, docs/metrics.md
    """
    require("graph", graph, DAG, PDAG)
    return count_pairs(graph.adjacency)
