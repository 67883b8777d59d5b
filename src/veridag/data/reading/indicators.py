"""Columns that say where others have no value, so that being missing can have causes and effects of its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from veridag.data.columns import Column, listed

#: The states of an indicator.
OBSERVED, MISSING = "observed", "missing"
_ENDING = "_missing"


def indicators(columns: Sequence[Column], taken: Collection[str]) -> tuple[tuple[Column, ...], list[str]]:
    """A column for each with missing values, under a name that is not taken, and the note that says so."""
    used, found = {*taken}, []
    for column in columns:
        if column.observed is None:
            continue
        name, number = f"{column.name}{_ENDING}", 2
        while name in used:
            name, number = f"{column.name}{_ENDING}_{number}", number + 1
        used.add(name)
        codes = np.where(column.observed, np.uint8(0), np.uint8(1))
        made = Column.discrete(name, codes, (OBSERVED, MISSING), f"where {column.name!r} is missing")
        found.append(replace(made, indicates=column.name))
    return tuple(found), [
        f"added columns that show where values are missing: {listed([c.name for c in found])}"
    ] if found else []


def indicated(name: str) -> str:
    """The column that an indicator of this name is about, or the name itself."""
    return re.sub(rf"{_ENDING}(_\d+)?$", "", name)
