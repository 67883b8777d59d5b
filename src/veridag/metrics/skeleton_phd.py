"""The partial Hamming distance of skeletons."""

from __future__ import annotations

from veridag.graph import DAG, PDAG, PartialGraph

from ._comparison import count_pairs, determined, require


def skeleton_phd(a: DAG | PDAG | PartialGraph, b: DAG | PDAG | PartialGraph) -> int:
    """Count the pairs joined in only one of two graphs, among those that both determine: `phd` without directions.

    The distance is symmetric, and a reversed arc counts 0. To compare with the adjacencies that several graphs agree
    on, regardless of direction, use the agreement of their skeletons: ``PartialGraph.agreement(g.skeleton() for g in
    graphs)``.

    Args:
        a, b: The graphs, as for `phd`.

    See also:
        `phd`, `hamming`, docs/metrics.md
    """
    require("a", a, DAG, PDAG, PartialGraph)
    require("b", b, DAG, PDAG, PartialGraph)
    ours, theirs, both = determined(a, b)
    return count_pairs(both & ((ours | ours.T) != (theirs | theirs.T)))
