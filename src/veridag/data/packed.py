"""Discrete columns whose codes take as few bits as their states need, for tables with many rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag._core import PackedStates

from .columns import Array, Column, check_states, frozen

Codes = Array | PackedStates

#: Rows that are unpacked at a time.
ROWS = 1 << 20


def bits_for(arity: int) -> int:
    """How many bits the codes of so many states take."""
    return next(bits for bits in (1, 2, 4, 8, 16) if arity <= 1 << bits)


def blocks_of(codes: Codes) -> Iterator[Array]:
    """The codes, some rows at a time."""
    for start in range(0, len(codes), ROWS):
        stop = min(start + ROWS, len(codes))
        yield np.asarray(codes.unpack(start, stop)) if isinstance(codes, PackedStates) else codes[start:stop]


def unpacked(codes: Codes) -> Array:
    """All codes as an array."""
    return frozen(np.asarray(codes.unpack(0, len(codes)))) if isinstance(codes, PackedStates) else codes


def pack(codes: Codes, arity: int, lut: Array | None = None) -> PackedStates:
    """The codes of so many states with few bits each; with `lut`, what that has for each."""
    packed = PackedStates(bits_for(arity))
    dtype = np.uint8 if packed.bits <= 8 else np.uint16
    for block in blocks_of(codes):
        packed.append(np.ascontiguousarray(block if lut is None else lut[block], dtype=dtype))
    return packed


def look_up(lut: NDArray[Any], codes: Codes) -> NDArray[Any]:
    """The entry of `lut` for each code, with little additional memory."""
    if not isinstance(codes, PackedStates):
        return np.asarray(lut[codes])
    found = np.empty(len(codes), lut.dtype)
    start = 0
    for block in blocks_of(codes):
        found[start : start + len(block)] = lut[block]
        start += len(block)
    return found


def code_counts(codes: Codes, size: int, weights: Array | None = None) -> NDArray[np.int64]:
    """How often each code below `size` occurs."""
    if weights is None and not isinstance(codes, PackedStates) and len(codes) <= ROWS:
        return np.bincount(codes, minlength=size)
    counts = np.zeros(size, np.int64)
    start = 0
    for block in blocks_of(codes):
        own = None if weights is None else weights[start : start + len(block)]
        counts += np.bincount(block, weights=own, minlength=size).astype(np.int64)  # exact: all are below 2^53
        start += len(block)
    return counts


class PackedColumn(Column):
    """A discrete column that holds its codes in `packed`; `values` unpacks them all, each time."""

    __slots__ = ("packed",)
    packed: PackedStates

    @property
    def values(self) -> Array:
        """The codes."""
        return unpacked(self.packed)

    @values.setter
    def values(self, given: Codes) -> None:
        object.__setattr__(self, "packed", given)

    def __post_init__(self) -> None:
        if isinstance(self.packed, PackedStates) and self.observed is None and self.kind == "discrete":
            object.__setattr__(self, "states", check_states(self.name, self.states))
            return
        plain = Column(self.name, self.kind, unpacked(self.packed), self.states, self.reason, self.edges, self.observed)
        for field in ("states", "observed"):
            object.__setattr__(self, field, getattr(plain, field))
        object.__setattr__(self, "packed", pack(plain.values, len(plain.states)))

    @property
    def nrows(self) -> int:
        """The number of rows."""
        return len(self.packed)

    def in_order(self, rows: NDArray[np.intp]) -> PackedStates:
        """The codes at these rows, as the core takes them."""
        values, packed = self.values, PackedStates(self.packed.bits)
        for start in range(0, len(rows), ROWS):
            packed.append(values[rows[start : start + ROWS]])
        return packed

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.name, self.kind, self.values, self.states, self.reason, self.edges, self.observed, self.indicates)
        return PackedColumn, given
