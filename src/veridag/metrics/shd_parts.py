"""What the structural Hamming distance is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from veridag.graph import DAG, PDAG, Matrix

from ._comparison import classes, count_pairs, require


@dataclass(frozen=True)
class ScaledErrors:
    """Errors per arc of the truth."""

    missing: float
    spurious: float
    misoriented: float
    total: float


@dataclass(frozen=True)
class StructuralErrors:
    """The pairs joined in the truth alone, in the estimate alone, and in both but differently.

    `arcs` is the number of arcs of the truth, undirected edges included.
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
    """Missing, spurious and misoriented edges of an estimate, which sum to `shd` (Eggeling et al. 2019, section 5.1).

    Between CPDAGs, as in `shd`. Missing is a pair joined in the truth alone, spurious one joined in the estimate alone,
    misoriented one joined in both, but in another direction or directed in only one of them. Exchanging truth and
    estimate exchanges missing and spurious.
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
