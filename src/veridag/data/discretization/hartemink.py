"""Bins that keep the information that columns have about each other (Hartemink 2001)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from veridag.checks import checked
from veridag.data.columns import Array, Column
from veridag.errors import InputError
from veridag.work.memory import free_memory, shown

from .base import BINS, TIE, Edges, Method, looked_up_n_log_n
from .quantile import quantile_edges


@dataclass(frozen=True)
class Hartemink(Method):
    """Merges adjacent bins, beginning with many, where that loses least mutual information with the other columns.

    Every column starts with `initial` bins of equal counts. In a round every column that
    has more than `bins` of them merges the two adjacent ones whose merger loses least of

        sum over the other columns Y of I(X; Y)

    where all columns are as the last round left them, so that their order does not matter. Losses that are equal are
    decided by the fewest observations in the merged bin, then by the smallest values. Other columns take part as they
    are: discrete ones with their states, continuous ones that are not to be cut in their initial bins. Where values are
    missing, I(X; Y) is that of the observations in which both are observed.
    """

    name: ClassVar[str] = "hartemink"
    stage: ClassVar[int] = 1
    bins: int = field(default=3, metadata=checked(BINS))
    initial: int = field(default=20, metadata=checked(BINS))

    def __post_init__(self) -> None:
        """Check that there is something to merge."""
        super().__post_init__()
        if self.initial < self.bins:
            raise InputError(f"initial={self.initial} must be at least bins={self.bins}: bins are merged, never split")

    def __str__(self) -> str:
        return f"hartemink({self.bins})" if self.initial == 20 else super().__str__()

    def edges(self, columns: Mapping[str, Column], chosen: Sequence[str], weights: Array | None) -> dict[str, Edges]:
        """The edges that are left of the initial ones."""
        others = [name for name in columns if name not in chosen]
        initial = {
            name: quantile_edges(columns[name], weights, self.initial)
            for name in columns
            if columns[name].kind == "continuous"
        }
        coded = [_initial_codes(columns[name], initial.get(name)) for name in (*chosen, *others)]
        observed = [columns[name].observed for name in (*chosen, *others)]
        kept = _merged(_Bins.count(coded, observed, len(chosen), weights), self.bins)
        return {name: initial[name][inner] for name, inner in zip(chosen, kept, strict=True)}


def _initial_codes(column: Column, edges: Edges | None) -> tuple[NDArray[np.int64], int]:
    """The codes of a column, and how many there may be."""
    if edges is None:
        return column.values.astype(np.int64), len(column.states)
    return np.searchsorted(edges, column.values, side="left"), len(edges) + 1


@dataclass
class _Bins:
    """Counts of the bins of all columns together: all that merging needs to know of the rows.

    ``joint[a, b]`` is how often bin a of a column to cut and bin b of another column meet, and 0 if they are bins of
    the same column. Columns to cut come first; their bins are rows and columns of it in the same order. ``owner`` says
    whose bins they are, first of the rows and then of all. Where values are missing, ``scale[i, j]`` is the number of
    all observations, divided by that in which columns i and j are both observed.
    """

    joint: NDArray[np.int64]
    sizes: NDArray[np.int64]
    owner: NDArray[np.int64]
    owner_of_all: NDArray[np.int64]
    ncolumns: int
    f: Callable[[Array], NDArray[np.float64]]  # x log x
    scale: NDArray[np.float64] | None = None

    @classmethod
    def count(
        cls,
        coded: Sequence[tuple[NDArray[np.int64], int]],
        observed: Sequence[NDArray[np.bool_] | None],
        cut: int,
        weights: Array | None,
    ) -> _Bins:
        arities = [arity for _, arity in coded]
        start = np.concatenate([[0], np.cumsum(arities)])
        rows = int(start[cut])
        total = len(coded[0][0]) if weights is None else int(weights.sum())
        dtype = np.int32 if total < 2**31 else np.int64
        _check_memory(rows, int(start[-1]), dtype)
        joint = np.zeros((rows, int(start[-1])), dtype=dtype)
        sizes = np.zeros(rows, dtype=np.int64)
        gaps = any(mask is not None for mask in observed)
        scale = np.zeros((cut, len(coded)))
        for i in range(cut):
            own = slice(start[i], start[i + 1])
            sizes[own] = _counts(coded[i][0], weights, arities[i], observed[i])
            for j in range(i + 1, len(coded)):
                pairs = coded[i][0] * arities[j] + coded[j][0]
                both = _both(observed[i], observed[j])
                counts = _counts(pairs, weights, arities[i] * arities[j], both).reshape(arities[i], -1)
                scale[i, j] = total / max(counts.sum(), 1)
                if j < cut:
                    scale[j, i] = scale[i, j]
                joint[own, start[j] : start[j + 1]] = counts
                if j < cut:
                    joint[start[j] : start[j + 1], own] = counts.T
        owner = np.repeat(np.arange(len(coded)), arities)
        f = looked_up_n_log_n(total)
        return cls(joint, sizes, owner[:rows], owner, len(coded), f, scale if gaps else None)

    def losses(self, first: int, last: int) -> NDArray[np.float64]:
        """What merging each of the bins from first to last - 1 with the next one loses, times n, in natural units.

        With f(x) = x log x, n I(X; Y) = sum f(n_xy) - sum f(n_x) - sum f(n_y) + f(n).
        """
        if self.scale is not None:
            return self._losses_with_gaps(first, last, self.scale[self.owner[first]])
        own, sizes = self.joint[first : last + 1], self.sizes[first : last + 1]
        cells = self.f(own).sum(axis=1)
        of_cells = cells[:-1] + cells[1:] - self.f(own[:-1] + own[1:]).sum(axis=1)
        margin = self.f(sizes)
        of_margin = margin[:-1] + margin[1:] - self.f(sizes[:-1] + sizes[1:])
        loss: NDArray[np.float64] = of_cells - (self.ncolumns - 1) * of_margin
        return loss

    def _losses_with_gaps(self, first: int, last: int, scale: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same where n_x, n_y and n are other observations with each other column."""
        own = self.joint[first : last + 1]
        margins = np.add.reduceat(own, np.searchsorted(self.owner_of_all, np.arange(self.ncolumns)), axis=1)

        def lost(counts: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
            each = self.f(counts)
            loss: NDArray[np.float64] = (each[:-1] + each[1:] - self.f(counts[:-1] + counts[1:])) @ weights
            return loss

        return lost(own, scale[self.owner_of_all]) - lost(margins, scale)

    def merge(self, with_previous: NDArray[np.bool_]) -> None:
        """Merge each marked bin with the one before it, which is not marked itself."""
        second, rows = np.flatnonzero(with_previous), np.flatnonzero(~with_previous)
        columns = np.concatenate([rows, np.arange(len(with_previous), self.joint.shape[1])])
        self.joint[second - 1] += self.joint[second]
        joint = self.joint[rows]
        joint[:, second - 1] += joint[:, second]
        self.joint = joint.take(columns, axis=1)
        self.owner_of_all = self.owner_of_all[columns]
        self.sizes[second - 1] += self.sizes[second]
        self.sizes, self.owner = self.sizes[rows], self.owner[rows]


def _both(a: NDArray[np.bool_] | None, b: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """The rows in which two columns are observed; None stands for all."""
    return b if a is None else a if b is None else a & b


def _counts(codes: Array, weights: Array | None, number: int, rows: NDArray[np.bool_] | None) -> Array:
    """How often each code occurs in these rows."""
    if rows is None:
        return np.bincount(codes, weights, number)
    return np.bincount(codes[rows], None if weights is None else weights[rows], number)


def _check_memory(rows: int, columns: int, dtype: type) -> None:
    """Refuse what does not fit: the counts, and the copy that merging makes."""
    size = 2 * np.dtype(dtype).itemsize * rows * columns
    if size > free_memory():
        raise InputError(
            f"hartemink: the counts of {columns} bins take {shown(size)} of memory, more than is free: start with "
            "fewer bins, such as hartemink(3, initial=10), or use quantile(3)"
        )


def _merged(bins: _Bins, wanted: int) -> list[NDArray[np.int64]]:
    """For each column to cut, the positions of the edges that stay."""
    cut = int(bins.owner[-1]) + 1
    edges = [np.arange(count - 1) for count in np.bincount(bins.owner, minlength=cut)]
    tie = TIE * bins.ncolumns * max(int(bins.sizes.sum()), 1)
    while max(len(own) for own in edges) >= wanted:
        start = np.searchsorted(bins.owner, np.arange(cut + 1))
        with_previous = np.zeros(len(bins.owner), dtype=bool)
        for i in range(cut):
            if len(edges[i]) < wanted:
                continue
            first, last = int(start[i]), int(start[i + 1]) - 1
            loss = bins.losses(first, last)
            together = bins.sizes[first:last] + bins.sizes[first + 1 : last + 1]
            best = int(np.where(loss <= loss.min() + tie, together, np.iinfo(np.int64).max).argmin())
            with_previous[first + best + 1] = True
            edges[i] = np.delete(edges[i], best)
        bins.merge(with_previous)
    return edges
