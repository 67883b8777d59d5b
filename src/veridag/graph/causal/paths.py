"""Causal paths from x to y, and the graphs in which they are cut.

A path is proper if only its first variable is in x. ``a[i, j]`` means i -> j.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from veridag.graph.matrices import Matrix, closure


def causal_nodes(a: Matrix, x: AbstractSet[int], y: AbstractSet[int]) -> set[int]:
    """The variables on proper directed paths from x to y, without x: cn(x, y) of Perkovic et al. (2018)."""
    cut = a.copy()
    cut[:, list(x)] = False  # no path returns to x
    below = closure(set(x), cut)
    cut = a.copy()
    cut[list(x)] = False  # no path starts again in x
    return (below & closure(set(y), cut.T)) - x


def forbidden_nodes(a: Matrix, x: AbstractSet[int], y: AbstractSet[int]) -> set[int]:
    """x, and the descendants of the variables on proper directed paths from x to y: forb(x, y)."""
    return closure(causal_nodes(a, x, y), a) | x


def without_causal_paths(a: Matrix, x: AbstractSet[int], y: AbstractSet[int]) -> Matrix:
    """The proper back-door graph: without the first arc of every proper directed path from x to y."""
    cut = a.copy()
    for i in x:
        cut[i, list(causal_nodes(a, x, y))] = False
    return cut


def without_arcs_from(a: Matrix, nodes: AbstractSet[int]) -> Matrix:
    """The graph without the arcs out of some variables."""
    cut = a.copy()
    cut[list(nodes)] = False
    return cut
