"""Bins that separate the states of another column (Fayyad and Irani 1993)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from veridag.checks import Instance, checked
from veridag.data.columns import Array, Column
from veridag.errors import InputError, suggest

from .base import TIE, Edges, Method, n_log_n


@dataclass(frozen=True)
class MDL(Method):
    """Cuts where the states of a discrete column differ, as long as that shortens its description.

    Observations S are cut at the value that leaves least entropy of the column `by`. The cut
    is kept, and both sides are cut in turn, if with N observations, k states in S, and k_1 and k_2 on the two sides

        Gain > log2(N - 1) / N + (log2(3^k - 2) - k Ent(S) + k_1 Ent(S_1) + k_2 Ent(S_2)) / N

    Of cuts that are equally good, the one at the smallest value is taken. A column may end up with one bin.
    """

    name: ClassVar[str] = "mdl"
    stage: ClassVar[int] = 2
    by: str = field(metadata=checked(Instance(str, "the name of a discrete column")))

    @property
    def words(self) -> str:
        """The method with its column."""
        return f"mdl of {self.by!r}"

    def __str__(self) -> str:
        return f"mdl(by={self.by})"

    def edges(self, columns: Mapping[str, Column], chosen: Sequence[str], weights: Array | None) -> dict[str, Edges]:
        """The cuts of each column by itself."""
        if self.by not in columns:
            raise InputError(f"{self}: there is no such column: {suggest(self.by, columns)}")
        by = columns[self.by]
        if by.kind == "continuous":
            raise InputError(
                f"{self}: {self.by!r} is continuous: name a discrete column, or discretize it with quantile"
            )
        return {name: _edges(columns[name], by, weights) for name in chosen}


def _edges(column: Column, by: Column, weights: Array | None) -> Edges:
    counted = np.ones(len(column.values), np.int64) if weights is None else weights
    rows = counted > 0
    for mask in (column.observed, by.observed):
        if mask is not None:
            rows = rows & mask
    values, position = np.unique(column.values[rows], return_inverse=True)
    states, state = np.unique(by.values[rows], return_inverse=True)
    counts = np.bincount(position * len(states) + state, counted[rows], len(values) * len(states))
    upto = np.cumsum(counts.reshape(len(values), -1).astype(np.int64), axis=0)
    upto = np.vstack([np.zeros_like(upto[:1]), upto])
    cuts: list[int] = []
    waiting = [(0, len(values))]
    while waiting:
        first, last = waiting.pop()
        at = _best_cut(upto[first : last + 1])
        if at is not None:
            cuts.append(first + at)
            waiting += [(first, first + at), (first + at, last)]
    return values[np.array(sorted(cuts), dtype=np.int64) - 1]


def _best_cut(upto: NDArray[np.int64]) -> int | None:
    """How many of the distinct values come before the best cut; None if no cut is worth it.

    ``upto[i, c]`` is how often state c occurs among all values before the i-th.
    """
    if len(upto) < 3:
        return None
    left, right, whole = upto[1:-1] - upto[0], upto[-1] - upto[1:-1], upto[-1] - upto[0]
    n = int(whole.sum())
    left_bits, right_bits, bits = _bits(left), _bits(right), float(_bits(whole[None])[0])
    remaining = left_bits + right_bits
    at = int((remaining <= remaining.min() + TIE * n).argmax())
    k, k1, k2 = (int(np.count_nonzero(part)) for part in (whole, left[at], right[at]))
    n1, n2 = int(left[at].sum()), int(right[at].sum())
    of_entropies = k * bits / n - k1 * float(left_bits[at]) / n1 - k2 * float(right_bits[at]) / n2
    # log2(3^k - 2) without the power, which overflows for many states
    delta = k * log(3, 2) + log(1 - 2 * 3.0**-k, 2) - of_entropies
    gain = bits - float(remaining[at])
    return at + 1 if gain > log(n - 1, 2) + delta + TIE * n else None


def _bits(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The number of observations times their entropy in bits, for each row of counts."""
    bits: NDArray[np.float64] = (n_log_n(counts.sum(axis=1)) - n_log_n(counts).sum(axis=1)) / log(2)
    return bits
