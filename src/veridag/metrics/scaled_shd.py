"""The structural Hamming distance relative to the size of the truth."""

from __future__ import annotations

from veridag.graph import DAG, PDAG

from .shd_parts import shd_parts


def scaled_shd(truth: DAG | PDAG, estimate: DAG | PDAG) -> float:
    """Compute SHD(truth, estimate) / |A|, where A are the arcs of the truth.

    The distance is defined by Scutari, Graafland and Gutierrez (2019, section 4). It is not symmetric. The empty
    estimate has distance 1. If the truth has no arcs, the distance is 0 for an empty estimate and infinite otherwise.

    Args:
        truth: The true graph.
        estimate: The graph to evaluate.

    See also:
        `shd`, docs/metrics.md
    """
    return shd_parts(truth, estimate).scaled.total
