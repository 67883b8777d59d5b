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
    """The least and the greatest structural intervention distance of the DAGs in a class."""

    lower: int
    upper: int


@overload
def sid(truth: DAG, estimate: DAG) -> int: ...
@overload
def sid(truth: DAG, estimate: PDAG) -> SidBounds: ...
def sid(truth: DAG, estimate: DAG | PDAG) -> int | SidBounds:
    """The structural intervention distance (Peters and Bühlmann 2015): the effects that an estimate gets wrong.

    The number of ordered pairs (i, j) for which p(j | do(i)), computed with the parents that i has in the estimate, is
    not the true one for some distribution of the truth. With Z = pa(i) in the estimate, the computed one is p(j) if j
    is in Z, which is right if j is no descendant of i in the truth, and otherwise sum_z p(j | i, z) p(z), which is
    right if, in the truth, no variable of Z descends from one on a directed path from i to j (other than i), and Z
    blocks all paths between i and j that are not directed from i to j.

    Not symmetric. A reversed arc can count any number of pairs. The truth is a DAG. For a DAG as the estimate the
    result is an int. For a CPDAG it is `SidBounds`, the exact minimum and maximum over the DAGs of the class; a PDAG
    that is no CPDAG is refused, and so is a class with chain components too dense to search (`MAX_CHOICES`).
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
