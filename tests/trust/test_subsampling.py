"""Subsamples: their sizes, and which rows they hold."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag.trust.subsampling import default_sizes, subsample


@pytest.mark.parametrize(
    ("n", "sizes"), [(12_800, (6400, 3200, 1600, 800, 400, 200, 100)), (150, (75,)), (201, (100,)), (205, (102, 51))]
)
def test_sizes_are_halved_until_the_first_of_at_most_100(n, sizes):
    assert default_sizes(n) == sizes


def test_subsamples_are_without_replacement_and_shared_by_all():
    data = vd.Data.from_numpy(np.arange(100.0)[:, None] + 0.5, ["X"])
    drawn = subsample(data, 60, 1, 0).column("X")
    assert len(set(drawn.tolist())) == 60
    assert np.array_equal(drawn, subsample(data, 60, 1, 0).column("X"))
    assert not np.array_equal(drawn, subsample(data, 60, 1, 1).column("X"))
    assert not np.array_equal(drawn, subsample(data, 60, 2, 0).column("X"))


def test_weighted_rows_are_drawn_as_if_they_were_written_out():
    values = np.array([[0], [1], [2]])
    weighted = vd.Data.from_numpy(values, ["X"], weights=[5, 3, 1])
    written_out = vd.Data.from_numpy(np.repeat(values, [5, 3, 1], axis=0), ["X"])
    for repeat in range(20):
        part = subsample(weighted, 6, 0, repeat)
        assert np.array_equal(
            np.repeat(part.column("X"), part.weights), subsample(written_out, 6, 0, repeat).column("X")
        )


def test_subsamples_are_the_same_as_ever():
    data = vd.Data.from_numpy(np.linspace(0, 1, 100)[:, None] ** 2, ["X"])
    rows = np.flatnonzero(np.isin(data.column("X"), subsample(data, 5, 1, 0).column("X")))
    assert rows.tolist() == [36, 37, 69, 79, 90]  # all published numbers depend on them
