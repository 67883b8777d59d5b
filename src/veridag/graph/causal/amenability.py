"""Whether the directions that a class of DAGs leaves open matter to an effect."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from veridag import _core
from veridag.errors import InputError
from veridag.graph.matrices import Arc, Matrix

from .question import Question


class NotAmenable(InputError):
    """Raised if no set is an adjustment set in all DAGs of a class.

    If the directions of `edges` were known, there could be one.

    Args:
        edges: The undirected edges that cause it, from x to another variable.
        x: The cause.
        y: The outcome.

    See also:
        `PDAG.obstacles`, `experiments`, docs/causal.md
    """

    def __init__(self, edges: Sequence[Arc], x: str = "x", y: str = "y") -> None:
        self.edges = tuple(edges)
        listed = ", ".join(f"{u} - {v}" for u, v in self.edges)
        which = "it" if len(self.edges) == 1 else "them"
        super().__init__(
            f"the effect is not identified: the graph does not direct {listed}, where a causal path from {x} to {y} "
            f"may start: direct {which}, or use one DAG of the equivalence class"
        )


def obstacles(a: Matrix, asked: Question) -> list[tuple[int, int]]:
    """The undirected edges (x, v) with which a proper causal path from x to y begins in some DAG of the class.

    Without any, the graph is amenable (Perkovic et al. 2018; for graphs with known directions Perkovic, Kalisch and
    Maathuis 2017). `a` is closed under Meek's rules. The edge is directed out of x, and what follows by these rules is
    too; then y must not be reached from v by a path that may be causal.
    """
    found = []
    for x in sorted(asked.x):
        for v in np.flatnonzero(a[x] & a[:, x]).tolist():
            if v not in asked.x and _may_reach(_directed_out(a, x, v), v, asked.y, asked.x):
                found.append((x, v))
    return found


def _directed_out(a: Matrix, x: int, v: int) -> Matrix:
    directed = a.copy()
    directed[v, x] = False
    return np.asarray(_core.meek(directed), dtype=bool)


def _may_reach(a: Matrix, start: int, y: AbstractSet[int], avoid: AbstractSet[int]) -> bool:
    """Whether a path that may be directed leads from a variable to y.

    If there is one, there is one without arcs to a variable before the last, so that no two variables that are two
    steps apart are joined (Perkovic, Kalisch and Maathuis 2017).
    """
    joined = a | a.T
    frontier: list[tuple[int | None, int]] = [(None, start)]
    seen = set(frontier)
    while frontier:
        before, v = frontier.pop()
        if v in y:
            return True
        for w in np.flatnonzero(a[v]).tolist():
            step = (v, w)
            if w not in avoid and step not in seen and (before is None or (w != before and not joined[before, w])):
                seen.add(step)
                frontier.append(step)
    return False
