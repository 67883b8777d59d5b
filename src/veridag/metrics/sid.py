"""The structural intervention distance."""

from __future__ import annotations

from typing import NamedTuple, overload

import numpy as np

from veridag import _core
from veridag.errors import InputError
from veridag.graph import DAG, PDAG

from ._comparison import require, side_by_side

#: How many choices of a source the bounds for a CPDAG may take; a clique of k variables takes k 2^(k-1).
MAX_CHOICES = 200_000


class SidBounds(NamedTuple):
    """The smallest and the largest structural intervention distance of the DAGs in an equivalence class.

    Attributes:
        lower: The smallest distance.
        upper: The largest distance.

    See also:
        `sid`
    """

    lower: int
    upper: int


@overload
def sid(truth: DAG, estimate: DAG) -> int: ...
@overload
def sid(truth: DAG, estimate: PDAG) -> SidBounds: ...
def sid(truth: DAG, estimate: DAG | PDAG) -> int | SidBounds:
    r"""Compute the structural intervention distance: the number of causal effects that an estimate gets wrong.

    It is the number of ordered pairs (i, j) for which p(j | do(i)), computed with the parents of i in the estimate, is
    wrong for some distribution of the truth (Peters and Bühlmann 2015). Let Z be these parents. If j is in Z, the
    computed effect is p(j); it is correct if j is not a descendant of i in the truth. Otherwise it is
    $\sum_z p(j | i, z) p(z)$. This is correct under two conditions on the truth: Z blocks all paths between i and j
    that are not directed from i to j, and no variable of Z descends from a variable other than i on a directed path
    from i to j.

    The distance is not symmetric. One reversed arc can make any number of pairs wrong.

    Args:
        truth: The true graph, a DAG.
        estimate: The graph to evaluate: a DAG or a CPDAG.

    Returns:
        An int for a DAG; for a CPDAG the exact minimum and maximum over the DAGs of its class.

    Raises:
        InputError: If the estimate is a PDAG but not a CPDAG, or has chain components too dense to search.

    See also:
        `shd`, docs/metrics.md
    """
    require("truth", truth, DAG)
    require("estimate", estimate, DAG, PDAG)
    true, found = side_by_side(truth, estimate)
    if isinstance(estimate, DAG):
        return int(np.count_nonzero(_core.wrong_effects(true, found)))
    _check_cpdag(estimate)
    lower, upper, too_large = _core.intervention_bounds(true, found, MAX_CHOICES)
    if too_large:
        raise InputError(
            f"estimate: the undirected edges around {truth.names[too_large[0]]!r}, between {len(too_large)} "
            "variables, have too many orientations for bounds: compare one DAG of the class, estimate.extension()"
        )
    return SidBounds(lower, upper)


def _check_cpdag(estimate: PDAG) -> None:
    problem = estimate.why_invalid()
    if problem is not None:
        raise InputError(f"estimate: the distance is defined between DAGs, but {problem}")
    if not estimate.is_cpdag():
        raise InputError(
            "estimate: the PDAG is not a CPDAG, and the bounds are over an equivalence class: pass estimate.cpdag(), "
            "or one DAG, estimate.extension()"
        )
