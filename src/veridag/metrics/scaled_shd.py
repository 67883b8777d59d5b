"""The structural Hamming distance relative to the size of the truth."""

from __future__ import annotations

from veridag.graph import DAG, PDAG

from .shd_parts import shd_parts


def scaled_shd(truth: DAG | PDAG, estimate: DAG | PDAG) -> float:
    """SHD(truth, estimate) / |A|, with A the arcs of the truth (Scutari, Graafland and Gutierrez 2019, section 4).

    Takes what `shd` takes. Not symmetric, because only the truth's arcs count below the line; the empty estimate is at
    distance 1. If the truth has no arcs, 0 when the estimate has none either and infinity when it has.
    """
    return shd_parts(truth, estimate).scaled.total
