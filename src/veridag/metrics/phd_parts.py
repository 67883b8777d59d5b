"""What the partial Hamming distance is made of."""

from __future__ import annotations

from veridag.graph import DAG, PDAG, PartialGraph

from ._comparison import determined, require
from .shd_parts import StructuralErrors, tell_apart


def phd_parts(truth: DAG | PDAG | PartialGraph, estimate: DAG | PDAG | PartialGraph) -> StructuralErrors:
    """Count missing, spurious and misoriented edges among the pairs that both graphs determine.

    They sum to `phd`. Use it for the errors of an agreement graph (Viinikka 2019, section 4.3), or of an estimate
    compared with one. If you exchange the two graphs, missing and spurious edges are exchanged.

    Args:
        truth: The true graph, or an agreement graph.
        estimate: The graph to evaluate.

    Returns:
        The counts. `arcs` counts the arcs of the truth on the pairs that both graphs determine.

    See also:
        `phd`, `shd_parts`, docs/metrics.md
    """
    require("truth", truth, DAG, PDAG, PartialGraph)
    require("estimate", estimate, DAG, PDAG, PartialGraph)
    true, found, both = determined(truth, estimate)
    return tell_apart(true & both, found & both)
