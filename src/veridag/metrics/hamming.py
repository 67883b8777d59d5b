"""The Hamming distance of skeletons."""

from __future__ import annotations

from veridag.graph import DAG, PDAG

from ._comparison import count_pairs, require, side_by_side


def hamming(a: DAG | PDAG, b: DAG | PDAG) -> int:
    """The Hamming distance of the skeletons: the pairs joined in only one of two graphs.

    Directions do not matter, so a reversal counts nothing, and it makes no difference whether a DAG or its CPDAG is
    given. Symmetric; missing plus spurious of `shd_parts`.
    """
    require("a", a, DAG, PDAG)
    require("b", b, DAG, PDAG)
    ours, theirs = side_by_side(a, b)
    return count_pairs((ours | ours.T) != (theirs | theirs.T))
