from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, rankdata

from strategies.data import continuous, expanded
from veridag.data import Data
from veridag.data.transform import TRANSFORMS, transformed
from veridag.errors import InputError

SKEWED = st.lists(st.floats(0.01, 1e6), min_size=2, max_size=30)


@given(SKEWED)
def test_normal_scores_are_quantiles_of_the_middle_of_the_ranks(values):
    column, note = transformed(continuous("X", values), None, "rank")
    expected = norm.ppf((rankdata(values) - 0.5) / len(values))
    assert np.allclose(column.values, expected)
    assert note == "took normal scores of 'X'"


@given(SKEWED)
def test_logarithms_are_natural(values):
    column, note = transformed(continuous("X", values), None, "log")
    assert np.allclose(np.exp(column.values), values)
    assert note == "took the logarithm of 'X'"


@pytest.mark.parametrize("method", TRANSFORMS)
@given(SKEWED, st.integers(0, 10**6))
def test_weighted_rows_are_transformed_like_repeated_rows(method, values, seed):
    weights = np.random.default_rng(seed).integers(1, 4, len(values))
    data = Data([continuous("X", values)], weights)
    ours = Data([transformed(data.columns[0], weights, method)[0]], weights)
    theirs = transformed(expanded(data).columns[0], None, method)[0]
    assert np.allclose(expanded(ours).column("X"), theirs.values)


@pytest.mark.parametrize("method", TRANSFORMS)
@given(SKEWED)
def test_a_transform_keeps_the_order_of_the_values_and_their_ties(method, values):
    data = Data([continuous("X", values)])
    found = transformed(data.columns[0], None, method)[0].values
    order = np.argsort(values, kind="stable")
    assert np.all(np.diff(found[order]) >= 0)
    assert len(np.unique(found)) <= len(set(values))


def test_rows_of_weight_zero_have_finite_scores_and_move_nobody():
    weights = np.array([0, 2, 2, 0])
    scores = transformed(continuous("X", [1.0, 2.0, 3.0, 4.0]), weights, "rank")[0].values
    assert np.isfinite(scores).all()
    assert np.allclose(scores[1:3], norm.ppf([0.25, 0.75]))


@pytest.mark.parametrize("values", [[0.0, 1.0], [-1.0, 2.0]])
def test_a_logarithm_needs_positive_values(values):
    with pytest.raises(InputError, match=r"a logarithm needs positive values.*use transform=\{'X': 'rank'\}"):
        transformed(continuous("X", values), None, "log")


def test_a_column_is_transformed_before_it_is_cut():
    frame = pl.DataFrame({"income": [1.0, 10.0, 100.0, 1000.0]})
    plain = Data.from_frame(frame, discretize="interval(2)")
    logs = Data.from_frame(frame, transform={"income": "log"}, discretize="interval(2)")
    assert plain.column("income").tolist() == [0, 0, 0, 1]
    assert logs.column("income").tolist() == [0, 0, 1, 1]
    assert logs.notes[0] == "took the logarithm of 'income'"


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        ({"Q": "log"}, "transform= names the column 'Q', which is not a variable"),
        ({"kind": "log"}, "transform= is for continuous columns, and 'kind' is discrete"),
        ({"income": "sqrt"}, "transform='sqrt' must be 'log' or 'rank'"),
        ("log", "transform='log' must be a dictionary"),
    ],
)
def test_mistakes_are_explained(transform, message):
    frame = pl.DataFrame({"income": [1.5, 2.5], "kind": ["a", "b"]})
    with pytest.raises(InputError, match=message):
        Data.from_frame(frame, transform=transform)
