"""The structural Hamming distance."""

from __future__ import annotations

from veridag.graph import DAG, PDAG

from ._comparison import classes, count_pairs, require


def shd(a: DAG | PDAG, b: DAG | PDAG) -> int:
    """The structural Hamming distance (Tsamardinos et al. 2006): the pairs joined differently in two CPDAGs.

    1/2 sum over (u, v) of [f_E(u, v) != f_E'(u, v)], with f the type of a pair: forward, backward, undirected or not
    joined (Viinikka 2019, definitions 5 and 6). A pair counts 1 however it differs: an arc more or less, another
    direction, or an edge instead of an arc. DAGs and PDAGs are taken for the classes they stand for; a PDAG that no DAG
    extends is compared as it is. Symmetric. The graphs need the same variables, in any order.
    """
    require("a", a, DAG, PDAG)
    require("b", b, DAG, PDAG)
    ours, theirs = classes(a, b)
    return count_pairs(ours != theirs)
