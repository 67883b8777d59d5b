"""How many arcs a graph has."""

from __future__ import annotations

from veridag.graph import DAG, PDAG

from ._comparison import count_pairs, require


def arc_count(graph: DAG | PDAG) -> int:
    """The number of arcs, an undirected edge counting as one: the same for a DAG and its CPDAG."""
    require("graph", graph, DAG, PDAG)
    return count_pairs(graph.adjacency)
