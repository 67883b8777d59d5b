"""The structural Hamming distance."""

from __future__ import annotations

from veridag.graph import DAG, PDAG

from ._comparison import classes, count_pairs, require


def shd(a: DAG | PDAG, b: DAG | PDAG) -> int:
    r"""Compute the structural Hamming distance: the number of pairs that two CPDAGs join differently.

    $$
    \mathrm{SHD} = \tfrac{1}{2} \sum_{(u, v)} [f_E(u, v) \neq f_{E'}(u, v)]
    $$

    Here $f$ is the type of a pair: forward, backward, undirected or not joined (Tsamardinos et al. 2006; Viinikka 2019,
    definitions 5 and 6). A pair counts 1 for any difference: an extra or missing arc, another direction, or an edge
    instead of an arc. The distance is symmetric.

    Args:
        a, b: The graphs. They need the same variables, in any order. DAGs and PDAGs are converted to the CPDAGs of
            their equivalence classes; a PDAG that no DAG extends is compared as it is.

    See also:
        `shd_parts`, `scaled_shd`, `phd`, docs/metrics.md
    """
    require("a", a, DAG, PDAG)
    require("b", b, DAG, PDAG)
    ours, theirs = classes(a, b)
    return count_pairs(ours != theirs)
