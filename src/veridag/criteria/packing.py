"""Families and sets one after the other in flat arrays, as the core and score tables have them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

#: A family as the core knows it: the column of the child, and those of its parents, ascending.
Family = tuple[int, tuple[int, ...]]

#: A test as the core knows it: the columns of x and y, and those of the conditioning variables, ascending.
Triple = tuple[int, int, tuple[int, ...]]


def starts(sizes: ArrayLike) -> Int64s:
    """Where each of some pieces starts if they come one after the other, and where the last ends."""
    ends = np.cumsum(np.asarray(sizes, dtype=np.int64))
    return np.concatenate([np.zeros(1, dtype=np.int64), ends])


def pack_sets(sets: Sequence[Sequence[int]]) -> tuple[Int64s, Int32s]:
    """Sets of columns: where each starts, and all their members."""
    members = np.array([v for own in sets for v in own], dtype=np.int32)
    return starts([len(own) for own in sets]), members


def pack(families: Sequence[tuple[int, Sequence[int]]]) -> tuple[Int32s, Int64s, Int32s]:
    """Families: children, where each one's parents start, all parents."""
    return np.array([child for child, _ in families], dtype=np.int32), *pack_sets([parents for _, parents in families])


def pack_tests(tests: Sequence[Triple]) -> tuple[Int32s, Int32s, Int64s, Int32s]:
    """Tests: x, y, where each one's conditioning variables start, all of these."""
    x, y = (np.array([test[i] for test in tests], dtype=np.int32) for i in (0, 1))
    return x, y, *pack_sets([given for _, _, given in tests])


def members_of(rows: Int64s, offsets: Int64s, members: Int32s) -> tuple[Int64s, Int32s]:
    """Some of the packed sets, in the order of `rows`: where each starts now, and their members."""
    sizes = np.diff(offsets)[rows]
    ends = starts(sizes)
    within = np.arange(int(ends[-1])) - np.repeat(ends[:-1], sizes)
    return ends, members[np.repeat(offsets[rows], sizes) + within]


def renumbered(offsets: Int64s, members: Int32s, place: Int32s) -> Int32s:
    """The members of packed sets with column v at ``place[v]``, ascending within each set."""
    moved = place[members]
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return moved[np.lexsort((moved, owners))]
