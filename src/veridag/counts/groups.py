"""Counts of a family in each of several related data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from veridag.data import Data

from .discrete import FamilyCounts, count_parts
from .family import Counts


@dataclass(frozen=True, eq=False)
class GroupedCounts:
    """The counts of a family in each of several related data sets: `n_fjk` has an axis for the data sets f, those that
    have observations, then one for the configurations j that occur in any of them, and one for the states k.
    """

    family: FamilyCounts  # of all data sets together
    groups: tuple[str, ...]
    n_fjk: Counts


def grouped_counts(data: Data, child: str, parents: Sequence[str]) -> GroupedCounts:
    """Count a family in each group of the data, the parents in column order; a row of weight w counts w times."""
    assert data.group is not None, "callers check that there are groups"
    groups = data.observed_groups
    number = np.array([groups.index(label) if label in groups else -1 for label in data.groups])
    family, n_fjk = count_parts(data, child, parents, number[data.group], len(groups))
    return GroupedCounts(family, groups, n_fjk)
