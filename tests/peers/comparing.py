"""What a comparison is, and the list of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Random = np.random.Generator


class Comparison(NamedTuple):
    """One question that a peer answers too.

    `compare` draws an input, and raises AssertionError if the answers differ. It gives a sentence if they differ as is
    understood, and None if they agree.
    """

    peer: str
    what: str
    compare: Callable[[Random], str | None]
    inputs: int


ALL: list[Comparison] = []

Compare = Callable[[Random], str | None]


def compares(peer: str, what: str, inputs: int) -> Callable[[Compare], Compare]:
    """Enter a comparison into the list, with its number of inputs in a round."""

    def enter(compare: Compare) -> Compare:
        ALL.append(Comparison(peer, what, compare, inputs))
        return compare

    return enter


def same(ours: object, theirs: object, tolerance: float = 1e-8) -> None:
    """Complain if two numbers or arrays differ, by more than this share of the larger or of 1."""
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    assert a.shape == b.shape, f"shapes {a.shape} and {b.shape}"
    scale = np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
    assert np.all((a == b) | (np.abs(a - b) <= tolerance * scale)), f"{a.tolist()} and {b.tolist()}"
