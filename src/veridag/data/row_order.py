"""An order of the rows that comes from their values alone.

Floating-point sums depend on the order of their terms. What is summed over rows is summed in this order, so that the
same rows give the same bits however they are arranged, and whatever the order of the columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .columns import Array
from .packed import ROWS, code_counts

Words = NDArray[np.uint64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


def row_order(columns: Iterable[Array], weights: Array | None = None) -> NDArray[np.intp]:
    """The positions of the rows, sorted by a 64-bit hash of their values and weights.

    Rows with the same values share a hash, and their order makes no difference. Among a million other rows, two share a
    hash with a probability of $10^{-7}$. Each column has a factor made from its own values, so its position does not
    matter. If another column has the same values in another order, it gets a second factor. Without it, rows in which
    the two are exchanged would share a hash.
    """
    total = np.zeros(0, np.uint64)
    same: Counter[int] = Counter()
    for i, values in enumerate(columns):
        if i == 0:
            total = np.zeros(len(values), np.uint64)
        _add(total, values, same)
    if weights is not None:
        total += _words(weights) * _FACTOR
    return np.argsort(total, kind="stable")


def _add(total: Words, values: Array, same: Counter[int]) -> None:
    """Add the words of a column, times a factor made from their sum; `same` has how many columns had which sum."""
    has_codes = values.dtype.itemsize <= 2  # of few values, each is mixed once
    words = _words_of_codes(np.iinfo(values.dtype).max + 1) if has_codes else _words(values)
    counts = code_counts(values, len(words)).astype(np.uint64) if has_codes else _ONE
    sum_of_words = int((counts * words).sum(dtype=np.uint64))
    factor = np.uint64((sum_of_words + same[sum_of_words] * int(_FACTOR)) % 2**64 | 1)
    words = np.multiply(words, factor, out=None if has_codes else words)
    same[sum_of_words] += 1
    if not has_codes:
        total += words
        return
    for start in range(0, len(values), ROWS):  # the words of all rows at once would take 8 bytes each
        total[start : start + ROWS] += words[values[start : start + ROWS]]


@cache
def _words_of_codes(size: int) -> Words:
    """A word for each code below the size."""
    return _mixed(np.arange(1, size + 1, dtype=np.uint64))


def _words(values: Array) -> Words:
    """A well mixed 64-bit word for each value: of an integer, or of the bits of a floating-point number."""
    is_float = values.dtype.kind == "f"
    words = (values + 0.0).view(np.uint64) if is_float else values.astype(np.uint64)  # -0.0 + 0.0 is 0.0
    return _mixed(words + _ONE)


def _mixed(words: Words) -> Words:
    words = words * _FACTOR
    words ^= words >> _HALF
    words *= _FACTOR
    words ^= words >> _HALF
    return words
