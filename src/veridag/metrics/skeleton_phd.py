"""The partial Hamming distance of skeletons."""

from __future__ import annotations

from veridag.graph import DAG, PDAG, PartialGraph

from ._comparison import count_pairs, determined, require


def skeleton_phd(a: DAG | PDAG | PartialGraph, b: DAG | PDAG | PartialGraph) -> int:
    """The pairs joined in only one of two graphs, of those both determine: `phd` with directions left out.

    Takes what `phd` takes. Symmetric. A reversal counts nothing. To have the pairs determined on whose adjacency
    several graphs agree, whatever the directions, make the agreement of their skeletons:
    ``PartialGraph.agreement(g.skeleton() for g in graphs)``.
    """
    require("a", a, DAG, PDAG, PartialGraph)
    require("b", b, DAG, PDAG, PartialGraph)
    ours, theirs, both = determined(a, b)
    return count_pairs(both & ((ours | ours.T) != (theirs | theirs.T)))
