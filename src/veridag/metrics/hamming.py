"""The Hamming distance of skeletons."""

from __future__ import annotations

from veridag.graph import DAG, PDAG

from ._comparison import count_pairs, require, side_by_side


def hamming(a: DAG | PDAG, b: DAG | PDAG) -> int:
    """Compute the Hamming distance of the skeletons: the number of pairs joined in only one of two graphs.

    Directions do not matter, so a DAG and its CPDAG give the same distance. It is symmetric, and equals missing plus
    spurious of `shd_parts`.

    Args:
        a, b: The graphs. They need the same variables, in any order.

    See also:
        `shd`, docs/metrics.md
    """
    require("a", a, DAG, PDAG)
    require("b", b, DAG, PDAG)
    ours, theirs = side_by_side(a, b)
    return count_pairs((ours | ours.T) != (theirs | theirs.T))
