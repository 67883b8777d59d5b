"""Columns of Python values, as JSON and databases give them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time, timedelta
from typing import Any

import numpy as np

from veridag.data.columns import state_name
from veridag.data.reading.raw import Raw, Unusable, field_levels, object_column
from veridag.data.reading.rules import Rules

_PLAIN = (bool, int, float, str)


def value_column(name: str, values: Sequence[Any], rules: Rules) -> Raw:
    """A column of values, None and `NaN` for missing; with care, one of several types counts as text."""
    present = [v for v in values if v is not None and v == v]
    types = {type(v) for v in present}
    odd = sorted(t.__name__ for t in types if not issubclass(t, _PLAIN))
    if odd:
        is_date = all(issubclass(t, date | time | timedelta) for t in types)
        return Unusable(
            name,
            f"values of the type {odd[0]}",
            is_date,
            lambda: ["" if v is None or v != v else str(v) for v in values],
        )
    mixed = len(types) > 1 and not types <= {int, float}
    if mixed and not rules.strict:
        return field_levels(name, ["" if v is None or v != v else state_name(v) for v in values])
    nulls = np.fromiter((v is None or v != v for v in values), dtype=bool, count=len(values))
    return object_column(name, values, nulls)
