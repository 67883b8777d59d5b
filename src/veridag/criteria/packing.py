"""Families and sets one after the other in flat arrays, as the core and score tables have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

#: A family as the core knows it: the column of the child, and those of its parents, ascending.
Family = tuple[int, tuple[int, ...]]

#: A test as the core knows it: the columns of x and y, and those of the conditioning variables, ascending.
Triple = tuple[int, int, tuple[int, ...]]


def starts(sizes: Iterable[int]) -> Int64s:
    """Where each of some pieces starts if they come one after the other, and where the last ends."""
    return np.cumsum([0, *sizes], dtype=np.int64)


def pack_sets(sets: Sequence[Sequence[int]]) -> tuple[Int64s, Int32s]:
    """Sets of columns: where each starts, and all their members."""
    return starts(map(len, sets)), np.array([v for members in sets for v in members], dtype=np.int32)


def pack(families: Sequence[tuple[int, Sequence[int]]]) -> tuple[Int32s, Int64s, Int32s]:
    """Families: children, where each one's parents start, all parents."""
    return np.array([child for child, _ in families], dtype=np.int32), *pack_sets([parents for _, parents in families])


def pack_tests(tests: Sequence[Triple]) -> tuple[Int32s, Int32s, Int64s, Int32s]:
    """Tests: x, y, where each one's conditioning variables start, all of these."""
    x, y = (np.array([test[i] for test in tests], dtype=np.int32) for i in (0, 1))
    return x, y, *pack_sets([given for _, _, given in tests])
