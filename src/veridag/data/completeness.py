"""Which values of a table are there: rows in which some variables are observed, and the refusal of missing values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError, setting, speaks_flags

from .columns import Array, Column, code_type


def rows_observed(columns: Iterable[Column]) -> NDArray[np.bool_] | None:
    """The rows in which all these columns have a value; None stands for all rows."""
    masks = [c.observed for c in columns if c.observed is not None]
    return np.logical_and.reduce(masks) if masks else None


def missing_in(column: Column, weights: Array | None) -> int:
    """The number of observations in which a column has no value."""
    if column.observed is None:
        return 0
    gone = ~column.observed
    return int(gone.sum() if weights is None else weights[gone].sum())


def with_missing_mark(column: Column) -> Array:
    """The values of a column, with a mark where one is missing: a code beyond those of its states, or `NaN`."""
    if column.observed is None:
        return column.values
    if column.kind == "continuous":
        return np.where(column.observed, column.values, np.nan)
    r = len(column.states)
    return np.where(column.observed, column.values, np.array(r, code_type(r + 1))).astype(code_type(r + 1), copy=False)


def refusal(columns: Sequence[Column], what: str, remedy: str = "") -> InputError:
    """The error of a function that needs complete columns; `remedy` is an alternative to dropping rows."""
    gaps = [f"{int((~c.observed).sum())} in column {c.name!r}" for c in columns if c.observed is not None]
    found = ", ".join(gaps[:5]) + (f" and others in {len(gaps) - 5} more columns" if len(gaps) > 5 else "")
    own = "" if speaks_flags() else "data.complete_cases() or "
    return InputError(
        f"{what} needs complete data, and values are missing: {found}; leave out these rows with "
        f"{own}{setting('missing', 'drop')}{remedy and ', or '}{remedy}"
    )
