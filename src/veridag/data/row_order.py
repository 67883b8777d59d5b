"""An order of the rows that comes from their values alone.

Floating-point sums depend on the order of their terms. What is summed over rows is summed in this order, so that the
same rows give the same bits however they are arranged, and whatever the order of the columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .columns import Array

Words = NDArray[np.uint64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


def row_order(columns: Sequence[Array], weights: Array | None = None) -> NDArray[np.intp]:
    """The positions of the rows, sorted by a 64-bit hash of their values and weights.

    Only rows with the same values may share a hash, but for one chance in 10^7 among a million rows, and the order of
    those makes no difference. A column enters with a factor made from its own values, so that its place does not
    matter, unless another column has the same values in another order: without a second factor, rows in which the two
    are exchanged would share a hash.
    """
    rows = len(columns[0]) if columns else 0
    total = np.zeros(rows, np.uint64)
    same: Counter[int] = Counter()
    for values in columns:
        words = _words(values)
        sum_of_words = int(words.sum(dtype=np.uint64))
        total += words * np.uint64((sum_of_words + same[sum_of_words] * int(_FACTOR)) % 2**64 | 1)
        same[sum_of_words] += 1
    if weights is not None:
        total += _words(weights) * _FACTOR
    return np.argsort(total, kind="stable")


def _words(values: Array) -> Words:
    """A well mixed 64-bit word for each value: of its code, or of the bits of a floating-point number."""
    if values.dtype.itemsize <= 2:  # few values: mix each once
        return np.asarray(_mixed(np.arange(1, np.iinfo(values.dtype).max + 2, dtype=np.uint64))[values])
    is_float = values.dtype.kind == "f"
    words = (values + 0.0).view(np.uint64) if is_float else values.astype(np.uint64)  # -0.0 + 0.0 is 0.0
    return _mixed(words + _ONE)


def _mixed(words: Words) -> Words:
    words = words * _FACTOR
    words ^= words >> _HALF
    words *= _FACTOR
    words ^= words >> _HALF
    return words
