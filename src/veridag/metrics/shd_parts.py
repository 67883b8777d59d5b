"""What the structural Hamming distance is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from veridag.graph import DAG, PDAG, Matrix

from ._comparison import classes, count_pairs, require


@dataclass(frozen=True)
class ScaledErrors:
    """Errors per arc of the truth.

    Attributes:
        missing: Missing edges per arc.
        spurious: Spurious edges per arc.
        misoriented: Misoriented edges per arc.
        total: Their sum.
    """

    missing: float
    spurious: float
    misoriented: float
    total: float


@dataclass(frozen=True)
class StructuralErrors:
    """The errors of an estimate, as `shd_parts` and `phd_parts` return them.

    Attributes:
        missing: Pairs joined only in the truth.
        spurious: Pairs joined only in the estimate.
        misoriented: Pairs joined in both, but differently.
        arcs: Number of arcs of the truth, including undirected edges.

    See also:
        `shd_parts`, `phd_parts`
    """

    missing: int
    spurious: int
    misoriented: int
    arcs: int

    @property
    def total(self) -> int:
        """The sum of the three: the structural Hamming distance."""
        return self.missing + self.spurious + self.misoriented

    @property
    def scaled(self) -> ScaledErrors:
        """Each divided by the number of true arcs; if there are none, 0 stays 0 and the rest is infinite."""
        return ScaledErrors(*map(self._per_arc, (self.missing, self.spurious, self.misoriented, self.total)))

    def _per_arc(self, count: int) -> float:
        if self.arcs:
            return count / self.arcs
        return math.inf if count else 0.0


def shd_parts(truth: DAG | PDAG, estimate: DAG | PDAG) -> StructuralErrors:
    """Count missing, spurious and misoriented edges of an estimate, which sum to `shd`.

    The graphs are compared as CPDAGs, as in `shd` (Eggeling et al. 2019, section 5.1). A missing edge is a pair joined
    only in the truth, a spurious edge one joined only in the estimate. A misoriented edge is joined in both, but in
    another direction or directed in only one of them. If you exchange the two graphs, missing and spurious edges are
    exchanged.

    Args:
        truth: The true graph.
        estimate: The graph to evaluate.

    See also:
        `shd`, `confusion`, docs/metrics.md
    """
    require("truth", truth, DAG, PDAG)
    require("estimate", estimate, DAG, PDAG)
    return tell_apart(*classes(truth, estimate))


def tell_apart(truth: Matrix, estimate: Matrix) -> StructuralErrors:
    """The errors of one adjacency matrix about another."""
    true, found = truth | truth.T, estimate | estimate.T
    return StructuralErrors(
        missing=count_pairs(true & ~found),
        spurious=count_pairs(found & ~true),
        misoriented=count_pairs(true & found & (truth != estimate)),
        arcs=count_pairs(true),
    )
