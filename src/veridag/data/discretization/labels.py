"""The names of bins: states that every network format accepts and other programs can read.

They start with a letter, because pyAgrum accepts no number at the start of a state in BIF, and no plus at all.
"""

from __future__ import annotations

from itertools import pairwise

from .base import Edges

#: The only state of a column that is not worth a cut.
WHOLE = "all"


def bin_labels(edges: Edges) -> list[str]:
    """The states of a column that is cut at these edges: ``up_to_5.4``, ``from_5.4_to_6.1``, ``above_6.1``."""
    if not len(edges):
        return [WHOLE]
    shown = shown_edges(edges)
    inner = [f"from_{a}_to_{b}" for a, b in pairwise(shown)]
    return [f"up_to_{shown[0]}", *inner, f"above_{shown[-1]}"]


def constant_label(value: float) -> str:
    """The only state of a column that has one value."""
    return f"always_{value + 0.0:.6g}".replace("e+", "e")


def shown_edges(edges: Edges) -> list[str]:
    """Numbers with as few digits as tell the edges apart, but no fewer than four."""
    for digits in range(4, 18):
        short = [f"{e:.{digits}g}".replace("e+", "e") for e in edges + 0.0]  # no -0, and no plus
        if len({float(e) for e in short}) == len(edges):
            break
    return short
