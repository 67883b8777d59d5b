from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.data import continuous, data_sets, discrete, expanded, numbers
from veridag.data import Data
from veridag.errors import InputError


def test_quantile_bins_have_equal_counts():
    data = numbers(np.arange(1.0, 10.0)).discretize(bins=3)
    assert data.states["Z"] == ("up_to_3", "from_3_to_6", "above_6")
    assert data.column("Z").tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert data.notes == ("discretized 'Z' by quantile at 3, 6",)


def test_interval_bins_have_equal_widths_and_may_be_empty():
    data = numbers([0.0, 1.0, 9.0]).discretize(bins=3, method="interval")
    assert data.states["Z"] == ("up_to_3", "from_3_to_6", "above_6")
    assert data.column("Z").tolist() == [0, 0, 2]


def test_ties_in_quantiles_merge_bins_and_are_noted():
    data = numbers([1.0, 1, 1, 1, 1, 2]).discretize(bins=3)
    assert data.states["Z"] == ("up_to_1", "above_1")
    assert data.notes == ("discretized 'Z' by quantile at 1 (2 bins and not 3, because of ties)",)


@pytest.mark.parametrize("method", ["quantile", "interval"])
def test_a_constant_column_becomes_one_state(method):
    data = numbers([2.5, 2.5]).discretize(method=method)
    assert data.states["Z"] == ("always_2.5",)
    assert "constant" in data.notes[0]


def test_close_edges_get_labels_that_differ():
    data = numbers([1.0, 1.0000001, 1.0000002]).discretize(bins=3)
    assert data.states["Z"] == ("up_to_1", "from_1_to_1.0000001", "above_1.0000001")


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=40),
    st.integers(2, 6),
    st.sampled_from(["quantile", "interval"]),
)
def test_bins_keep_the_order_of_the_values(values, bins, method):
    data = numbers(values).discretize(bins, method)
    codes = data.column("Z").astype(int)
    order = np.argsort(values, kind="stable")
    assert np.all(np.diff(codes[order]) >= 0)
    assert data.arities["Z"] <= bins
    if method == "quantile":
        assert set(codes) == set(range(data.arities["Z"]))


@given(data_sets(weighted=True), st.integers(2, 4), st.sampled_from(["quantile", "interval"]))
def test_weighted_rows_are_discretized_like_repeated_rows(data, bins, method):
    data = data.rows(data.weights > 0)
    assert expanded(data.discretize(bins, method)) == expanded(data).discretize(bins, method)


def test_quantiles_part_a_column_whose_largest_value_is_the_commonest():
    assert numbers([0.0, 1.0, 1.0, 1.0]).discretize(bins=2).column("Z").tolist() == [0, 1, 1, 1]


def test_only_the_named_columns_are_discretized():
    data = Data([continuous("A"), continuous("B"), discrete()]).discretize(columns=["B"])
    assert dict(data.kinds) == {"A": "continuous", "B": "discrete", "X": "discrete"}
    assert Data([continuous(), discrete()]).discretize(2).kind == "discrete"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bins": 1}, "bins=1 must be an integer from 2"),
        ({"bins": 2.5}, r"bins=2\.5"),
        ({"method": "kmeans"}, "method='kmeans': there is no such method; choose from 'quantile', 'interval'"),
        ({"columns": ["X"]}, "'X' is discrete already"),
        ({"columns": ["W"]}, "no column 'W'"),
        ({"columns": "Z"}, r"must be a list of names: \['Z'\]"),
    ],
)
def test_discretize_explains_mistakes(arguments, message):
    with pytest.raises(InputError, match=message):
        Data([continuous(), discrete()]).discretize(**arguments)
