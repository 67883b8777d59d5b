"""What the partial Hamming distance is made of."""

from __future__ import annotations

from veridag.graph import DAG, PDAG, PartialGraph

from ._comparison import determined, require
from .shd_parts import StructuralErrors, tell_apart


def phd_parts(truth: DAG | PDAG | PartialGraph, estimate: DAG | PDAG | PartialGraph) -> StructuralErrors:
    """Missing, spurious and misoriented edges among the pairs that both graphs determine; they sum to `phd`.

    The errors of an agreement graph (Viinikka 2019, section 4.3), or of an estimate measured by one. Takes what `phd`
    takes; `arcs` counts the truth's on the pairs that both determine. Exchanging truth and estimate exchanges missing
    and spurious.
    """
    require("truth", truth, DAG, PDAG, PartialGraph)
    require("estimate", estimate, DAG, PDAG, PartialGraph)
    true, found, both = determined(truth, estimate)
    return tell_apart(true & both, found & both)
