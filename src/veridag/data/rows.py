"""Rows that are asked for by position or by a mask."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError


def row_positions(which: Any, nrows: int) -> NDArray[np.intp]:
    """The positions of rows, or of those where a mask is true."""
    index = np.asarray(which)
    if index.ndim != 1:
        raise InputError(f"rows() needs a list of positions or a mask, not an array of shape {index.shape}")
    if index.dtype == bool:
        if len(index) != nrows:
            raise InputError(f"rows(): the mask has {len(index)} entries for {nrows} rows")
        return np.flatnonzero(index)
    if not index.size:
        return np.zeros(0, dtype=np.intp)
    if index.dtype.kind not in "iu":
        raise InputError(f"rows() needs integers or a mask, not {index.dtype}")
    if index.min() < 0 or index.max() >= nrows:
        wrong = index[(index < 0) | (index >= nrows)][0]
        raise InputError(f"rows(): there is no row {wrong}; rows are counted from 0 to {nrows - 1}")
    return index.astype(np.intp, copy=False)
