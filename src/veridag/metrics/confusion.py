"""True and false, positive and negative: arcs and adjacencies that were found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veridag.graph import DAG, PDAG, Matrix

from ._comparison import classes, require, side_by_side


@dataclass(frozen=True)
class Counts:
    """Counts of found and true items, as `Confusion` has them.

    Attributes:
        tp: Found and true.
        fp: Found and not true.
        fn: True and not found.
    """

    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float:
        """TP / (TP + FP), the part of what was found that is true; 1 if nothing was found."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 1.0

    @property
    def recall(self) -> float:
        """TP / (TP + FN), the part of what is true that was found; 1 if there was nothing to find."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 1.0

    @property
    def f1(self) -> float:
        """2 TP / (2 TP + FP + FN), the harmonic mean of precision and recall; 1 if both graphs are empty."""
        either = 2 * self.tp + self.fp + self.fn
        return 2 * self.tp / either if either else 1.0


@dataclass(frozen=True)
class Confusion:
    """The counts that `confusion` returns.

    Attributes:
        arcs: Counts for arcs. An undirected edge is different from both arcs.
        adjacencies: Counts for joined pairs, regardless of direction.

    See also:
        `confusion`, docs/metrics.md
    """

    arcs: Counts
    adjacencies: Counts


def confusion(truth: DAG | PDAG, estimate: DAG | PDAG) -> Confusion:
    """Count true positives, false positives and false negatives, for arcs and for adjacencies.

    The result also has precision, recall and F1. Two DAGs are compared arc by arc. If either graph is a PDAG, both are
    converted to CPDAGs (a PDAG that no DAG extends stays as it is); a pair can then have one of two arcs or an
    undirected edge. A pair that both graphs join in different ways is a false positive and a false negative for arcs,
    and a true positive for adjacencies. If you exchange the two graphs, false positives and false negatives are
    exchanged, and so are precision and recall.

    Args:
        truth: The true graph.
        estimate: The graph to evaluate. It needs the same variables, in any order.

    See also:
        `shd_parts`, docs/metrics.md
    """
    require("truth", truth, DAG, PDAG)
    require("estimate", estimate, DAG, PDAG)
    both_dags = isinstance(truth, DAG) and isinstance(estimate, DAG)
    true, found = side_by_side(truth, estimate) if both_dags else classes(truth, estimate)
    return Confusion(
        arcs=_counts(_things(true), _things(found)),
        adjacencies=_counts(np.triu(true | true.T), np.triu(found | found.T)),
    )


def _things(a: Matrix) -> Matrix:
    """Arcs in one layer, each where it is; undirected edges in another, each once."""
    return np.stack([a & ~a.T, np.triu(a & a.T)])


def _counts(true: Matrix, found: Matrix) -> Counts:
    return Counts(*(int(part.sum()) for part in (true & found, found & ~true, true & ~found)))
