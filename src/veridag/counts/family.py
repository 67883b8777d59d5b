"""What every count starts from: the variables of a family, checked and in column order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.errors import InputError, suggest

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def check_family(data: Data, child: str, parents: Sequence[str], kind: str) -> tuple[str, ...]:
    """The parents in column order, if all are columns of the right kind, different from each other and the child."""
    ordered = check_variables(data, child, parents)
    for name in (child, *parents):
        if data.kinds[name] != kind:
            raise InputError(f"column {name!r} is {data.kinds[name]}, but {kind} data is needed here")
    return ordered


def check_variables(data: Data, child: str, parents: Sequence[str]) -> tuple[str, ...]:
    """The parents in column order, if all are columns of any kind, different from each other and the child."""
    for name in (child, *parents):
        if name not in data.kinds:
            raise InputError(f"the data has no column {name!r}: {suggest(name, data.names)}")
    if child in parents or len(set(parents)) < len(parents):
        raise InputError(f"the parents of {child!r} must be different from it and from each other: {tuple(parents)}")
    if data.n == 0:
        raise InputError("the data has no rows")
    return tuple(sorted(parents, key=data.names.index))
