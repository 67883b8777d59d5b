"""Subsamples: their sizes, and which rows they hold."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import veridag as vd
from veridag.trust.subsampling import default_sizes, subsample


@pytest.mark.parametrize(
    ("n", "sizes"), [(12_800, (6400, 3200, 1600, 800, 400, 200, 100)), (150, (75,)), (201, (100,)), (205, (102, 51))]
)
def test_sizes_are_halved_until_the_first_of_at_most_100(n, sizes):
    assert default_sizes(n) == sizes


@pytest.mark.parametrize("n", [413_696, 1_100_000_000, 2**53 - 1])
def test_no_number_of_observations_takes_more_than_twelve_sizes(n):
    assert default_sizes(413_695)[-2:] == (201, 100)  # still halved
    sizes = default_sizes(n)
    assert len(sizes) == 12
    assert sizes[0] == n // 2
    assert sizes[-1] == 100
    ratios = [larger / smaller for larger, smaller in pairwise(sizes)]
    assert min(ratios) >= 1.99
    np.testing.assert_allclose(ratios, ratios[0], rtol=0.01)


def test_subsamples_are_without_replacement_and_shared_by_all():
    data = vd.Data.from_numpy(np.arange(100.0)[:, None] + 0.5, ["X"])
    drawn = subsample(data, 60, 1, 0).column("X")
    assert len(set(drawn.tolist())) == 60
    assert np.array_equal(drawn, subsample(data, 60, 1, 0).column("X"))
    assert not np.array_equal(drawn, subsample(data, 60, 1, 1).column("X"))
    assert not np.array_equal(drawn, subsample(data, 60, 2, 0).column("X"))


def test_a_weighted_row_is_drawn_at_most_as_often_as_it_counts():
    weights = np.array([5, 3, 1, 0])
    data = vd.Data.from_numpy(np.array([[0], [1], [2], [1]]), ["X"], weights=weights)
    drawn = [subsample(data, 6, 0, repeat) for repeat in range(200)]
    assert all(part.n == 6 for part in drawn)
    counts = np.array([np.bincount(part.column("X"), part.weights, minlength=3) for part in drawn])
    assert (counts <= [5, 3, 1]).all()
    assert np.allclose(counts.mean(axis=0), 6 / 9 * np.array([5, 3, 1]), atol=0.2)


def test_subsamples_are_the_same_as_ever():
    data = vd.Data.from_numpy(np.linspace(0, 1, 100)[:, None] ** 2, ["X"])
    rows = np.flatnonzero(np.isin(data.column("X"), subsample(data, 5, 1, 0).column("X")))
    assert rows.tolist() == [36, 37, 69, 79, 90]  # all published numbers depend on them
