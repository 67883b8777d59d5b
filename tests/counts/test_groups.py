from __future__ import annotations

import numpy as np

from veridag.counts import family_counts, grouped_counts
from veridag.data import Column, Data


def test_groups_are_counted_apart_and_those_without_observations_left_out():
    rng = np.random.default_rng(1)
    columns = [Column.discrete(v, rng.integers(0, 2, 40), "ab") for v in "XY"]
    group = rng.choice([0, 2, 3], 40)
    data = Data(columns, np.where(group == 3, 0, rng.integers(1, 4, 40)), group, ("north", "none", "south", "zero"))
    found = grouped_counts(data, "X", ["Y"])
    assert found.groups == ("north", "south")
    np.testing.assert_array_equal(found.n_fjk.sum(axis=0), found.family.n_ijk)
    for f, label in enumerate(found.groups):
        np.testing.assert_array_equal(found.n_fjk[f], family_counts(data.by_group()[label], "X", ["Y"]).n_ijk)
