from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.discretization import codes_or_none, hartemink, mutual_information
from naive.missing import with_gaps
from strategies.data import continuous, discrete, expanded
from veridag.data import Column, Data
from veridag.data.discretization import Hartemink
from veridag.data.discretization.hartemink import _Bins
from veridag.errors import InputError


@st.composite
def mixed(draw, weighted=False):
    """Related columns: two or three continuous ones, often tied, and perhaps a discrete one."""
    n = draw(st.integers(4, 25))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    cause = rng.normal(size=n)
    decimals = draw(st.integers(0, 2))
    columns = [
        continuous(f"C{i}", np.round(cause + rng.normal(size=n), decimals)) for i in range(draw(st.integers(2, 3)))
    ]
    if draw(st.booleans()):
        columns.append(discrete("D", (cause > 0).astype(int)))
    weights = None
    if weighted:
        weights = rng.integers(0, 4, n)
        weights[0] = 2
    return Data(columns, weights)


@given(mixed(), st.integers(2, 4), st.integers(4, 8))
def test_bins_are_merged_as_the_slow_version_merges_them(data, bins, initial):
    found = data.discretize(method=Hartemink(bins, initial))
    expected = hartemink(data, bins, initial)
    assert {name: found.column(name).tolist() for name in data.names} == expected


@given(mixed(), st.integers(2, 4), st.integers(4, 8), st.integers(0, 100))
def test_pairs_are_compared_where_both_are_observed(data, bins, initial, seed):
    data = with_gaps(data, 0.3, seed)
    found = data.discretize(method=Hartemink(bins, initial))
    expected = hartemink(data, bins, initial)
    assert {name: codes_or_none(found, name) for name in data.names} == expected
    assert found.missing_counts == data.missing_counts


def test_a_mask_that_hides_nothing_changes_nothing():
    coded = [(np.array([0, 1, 1, 0, 2]), 3), (np.array([0, 1, 2, 2, 1]), 3), (np.array([1, 0, 0, 1, 1]), 2)]
    plain, masked = (_Bins.count(coded, [mask, None, None], 2, None) for mask in (None, np.ones(5, bool)))
    for first in (0, 3):
        np.testing.assert_allclose(masked.losses(first, first + 2), plain.losses(first, first + 2), rtol=1e-12)


@given(mixed(weighted=True), st.integers(2, 3))
def test_weighted_rows_count_like_repeated_rows(data, bins):
    method = Hartemink(bins, initial=6)
    data = data.rows(data.weights > 0)
    assert expanded(data.discretize(method=method)) == expanded(data).discretize(method=method)


@given(mixed(weighted=True), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_and_columns_nor_names_matter(data, random):
    rows, names = list(range(data.nrows)), list(data.names)
    random.shuffle(rows)
    random.shuffle(names)
    method = Hartemink(2, initial=6)
    found = data.rows(rows).select(names).discretize(method=method)
    assert found.select(data.names) == data.discretize(method=method).rows(rows)
    renamed = [Column(f"Z{name}", c.kind, c.values, c.states) for name, c in zip(names, data.columns, strict=True)]
    other = Data(renamed, data.weights).discretize(method=method)
    assert [c.states for c in other.columns] == [c.states for c in data.discretize(method=method).columns]


def test_a_threshold_that_matters_is_kept_where_quantiles_miss_it():
    rng = np.random.default_rng(1)
    x = rng.uniform(size=2000)
    effect = discrete("Y", (x > 0.8).astype(int))
    data = Data([continuous("X", x), effect])
    found = data.discretize(method="hartemink(2)")
    edge = float(found.notes[0].rsplit(" ", 1)[1])
    assert abs(edge - 0.8) < 0.03
    by_quantile = data.discretize(method="quantile(2)")
    kept, lost = (mutual_information(d.column("X").tolist(), d.column("Y").tolist()) for d in (found, by_quantile))
    assert kept > 2 * lost


def test_a_column_alone_has_bins_of_about_equal_counts():
    found = Data([continuous("X", np.arange(120.0))]).discretize(method="hartemink(4, initial=20)")
    assert np.bincount(found.column("X")).min() >= 20


def test_columns_with_few_values_keep_them():
    data = Data(
        [continuous("A", [0.0, 0, 1, 1, 0, 1]), continuous("B", [3.0, 3, 3, 3, 3, 3]), continuous("C", range(6))]
    )
    found = data.discretize(method="hartemink(3)")
    assert dict(found.arities) == {"A": 2, "B": 1, "C": 3}
    assert found.notes[0] == "discretized 'A' by hartemink at 0 (2 bins and not 3, because of ties)"
    assert "constant" in found.notes[1]


def test_continuous_columns_that_are_not_cut_take_part():
    rng = np.random.default_rng(2)
    x = rng.uniform(size=1000)
    data = Data([continuous("X", x), continuous("Y", (x > 0.7) + rng.normal(size=1000) / 10)])
    found = data.discretize(method="hartemink(2)", columns=["X"])
    assert found.kinds["Y"] == "continuous"
    assert abs(float(found.notes[0].rsplit(" ", 1)[1]) - 0.7) < 0.05


def test_columns_of_other_methods_are_cut_first():
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    data = Data([continuous("X", x), continuous("Y", x + rng.normal(size=200))])
    both = data.discretize(method={"X": "hartemink(2)", "Y": "interval(2)"})
    assert both == data.discretize(2, "interval", ["Y"]).discretize(method="hartemink(2)")


def test_counts_that_do_not_fit_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr("veridag.data.discretization.hartemink.free_memory", lambda: 1000)
    data = Data([continuous("A", range(50)), continuous("B", range(50))])
    with pytest.raises(InputError, match=r"hartemink: the counts of 40 bins .*initial=10"):
        data.discretize(method="hartemink")
