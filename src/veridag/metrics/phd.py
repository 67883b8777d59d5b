"""The partial Hamming distance."""

from __future__ import annotations

from veridag.graph import DAG, PDAG, PartialGraph

from ._comparison import count_pairs, determined, require


def phd(a: DAG | PDAG | PartialGraph, b: DAG | PDAG | PartialGraph) -> int:
    r"""Compute the partial Hamming distance: pairs joined differently, among those that both graphs determine.

    $$
    \mathrm{PHD} = \tfrac{1}{2} \sum_{(u, v) \in S \cap S'} [f_E(u, v) \neq f_{E'}(u, v)]
    $$

    Here $S$ are the pairs that a partial graph determines (Viinikka 2019, definition 10). Between DAGs and PDAGs, which
    determine all pairs, this is `shd`. A pair counts 1 for any difference. The distance is symmetric. Zero does not
    mean that the graphs are equal: undetermined pairs do not count.

    Args:
        a, b: The graphs. They need the same variables, in any order. DAGs and PDAGs are converted to CPDAGs, as for
            `shd`.

    See also:
        `shd`, `phd_parts`, `skeleton_phd`, `intersection_validation`, docs/metrics.md
    """
    require("a", a, DAG, PDAG, PartialGraph)
    require("b", b, DAG, PDAG, PartialGraph)
    ours, theirs, both = determined(a, b)
    return count_pairs(both & (ours != theirs))
