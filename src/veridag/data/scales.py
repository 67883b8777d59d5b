"""Continuous columns of a scale at which moments overflow or lose their digits."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from veridag.errors import InputError

from .columns import Array, Column

#: Values above this, and columns that vary by less than its inverse, are refused: products of two of their variances,
#: as in a correlation, would overflow or lose digits.
LARGEST = 1e70


def check_scales(columns: Iterable[Column], weights: Array | None = None) -> None:
    """Refuse continuous columns with values of more than 1e70, or that vary by less than 1e-70 but do vary.

    Missing values and rows of weight zero do not count.
    """
    for column in columns:
        if column.kind != "continuous":
            continue
        present, own = column.present(), column.present_among(weights)
        values = present.values if own is None else present.values[own > 0]
        if not values.size:
            continue
        low, high = float(values.min()), float(values.max())
        largest = max(-low, high)
        if largest > LARGEST:
            raise _refusal(column.name, f"values of up to {largest:.3g}", largest)
        if 0.0 < high - low < 1 / LARGEST:
            raise _refusal(column.name, f"values that differ by at most {high - low:.3g}", high - low)


def _refusal(name: str, what: str, scale: float) -> InputError:
    by = 10.0 ** np.floor(np.log10(scale))
    return InputError(
        f"column {name!r} has {what}, outside the range of {1 / LARGEST:g} to {LARGEST:g} in which moments can be "
        f"computed: divide it by {by:g}, or leave it out"
    )
