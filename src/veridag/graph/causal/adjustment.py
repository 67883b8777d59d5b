"""Adjustment sets z of a DAG: p(y | do(x)) is the sum over z of p(y | x, z) p(z)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import numpy as np

from veridag.graph.matrices import Matrix, closure

from .paths import causal_nodes, forbidden_nodes, without_arcs_from, without_causal_paths
from .question import Question
from .separators import is_separator, minimal_separators, separators


def is_adjustment_set(a: Matrix, asked: Question, given: AbstractSet[int]) -> bool:
    """The adjustment criterion (Shpitser et al. 2010) in the form of Perkovic et al. (2018).

    `given` has none of the forbidden variables, and separates x from y once the first arc of every proper directed
    path from x to y is removed (van der Zander et al. 2014). It holds if and only if the adjustment formula does for
    all distributions of the DAG.
    """
    if given & forbidden_nodes(a, asked.x, asked.y):
        return False
    return is_separator(without_causal_paths(a, asked.x, asked.y), asked.x, asked.y, given)


def is_back_door_set(a: Matrix, asked: Question, given: AbstractSet[int]) -> bool:
    """Pearl's (1993) back-door criterion: no descendant of x, and every path into x is blocked."""
    if given & closure(set(asked.x), a):
        return False
    return is_separator(without_arcs_from(a, asked.x), asked.x, asked.y, given)


def minimal_adjustment_sets(a: Matrix, asked: Question) -> Iterator[frozenset[int]]:
    """The adjustment sets of usable variables that have no proper subset that is one."""
    usable = asked.usable - forbidden_nodes(a, asked.x, asked.y)
    return minimal_separators(without_causal_paths(a, asked.x, asked.y), asked.x, asked.y, usable)


def adjustment_sets(a: Matrix, asked: Question) -> Iterator[frozenset[int]]:
    """All adjustment sets of usable variables."""
    usable = asked.usable - forbidden_nodes(a, asked.x, asked.y)
    return separators(without_causal_paths(a, asked.x, asked.y), asked.x, asked.y, usable)


def back_door_sets(a: Matrix, asked: Question) -> Iterator[frozenset[int]]:
    """The minimal sets of usable variables that meet the back-door criterion."""
    usable = asked.usable - closure(set(asked.x), a)
    return minimal_separators(without_arcs_from(a, asked.x), asked.x, asked.y, usable)


def optimal_adjustment(a: Matrix, asked: Question) -> tuple[int, ...] | None:
    """O(x, y) = pa(cn(x, y)) without forb(x, y) (Henckel, Perkovic and Maathuis 2022).

    None if it is no adjustment set, and then there is none, or if some y is no descendant of x.
    """
    on_paths = causal_nodes(a, asked.x, asked.y)
    if not asked.y <= on_paths:
        return None
    parents = set(np.flatnonzero(a[:, list(on_paths)].any(axis=1)).tolist())
    optimal = parents - forbidden_nodes(a, asked.x, asked.y)
    return tuple(sorted(optimal)) if is_adjustment_set(a, asked, optimal) else None
