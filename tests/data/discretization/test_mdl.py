from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.discretization import fayyad_irani
from strategies.data import continuous, discrete, expanded
from veridag.data import Column, Data
from veridag.errors import InputError


@st.composite
def classes(draw, weighted=False):
    """A column X whose values go with the states of Y, more or less."""
    n = draw(st.integers(2, 60))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    k = draw(st.integers(1, 4))
    y = rng.integers(0, k, n)
    x = np.round(y * draw(st.sampled_from([0.5, 2.0, 5.0])) + rng.normal(size=n), draw(st.integers(0, 2)))
    states = [f"s{i}" for i in range(k + 1)]  # one is never observed
    weights = None
    if weighted:
        weights = rng.integers(0, 4, n)
        weights[0] = 2
    return Data([continuous("X", x), Column.discrete("Y", y, states)], weights)


def edges(data: Data) -> list[float]:
    _, at, text = data.notes[0].partition(" at ")
    return [float(word) for word in text.split(", ")] if at else []


@given(classes())
def test_cuts_are_those_of_the_slow_version(data):
    found = data.discretize(method="mdl(by=Y)")
    assert edges(found) == fayyad_irani(data.column("X").tolist(), data.column("Y").tolist())


@given(classes(weighted=True))
def test_weighted_rows_count_like_repeated_rows(data):
    data = data.rows(data.weights > 0)
    assert expanded(data.discretize(method="mdl(by=Y)")) == expanded(data).discretize(method="mdl(by=Y)")


@given(classes(weighted=True), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_that_of_states_matters(data, random):
    rows = list(range(data.nrows))
    random.shuffle(rows)
    x, y = data.columns
    codes = np.arange(len(y.states))[::-1]
    other = Data([x, Column.discrete("Y", codes[y.values], y.states[::-1])], data.weights).rows(rows)
    assert edges(other.discretize(method="mdl(by=Y)")) == edges(data.discretize(method="mdl(by=Y)"))


def test_classes_that_are_apart_are_cut_apart():
    data = Data([continuous("X", range(60)), discrete("Y", [0] * 20 + [1] * 20 + [2] * 20, ["a", "b", "c"])])
    found = data.discretize(method="mdl(by=Y)")
    assert found.states["X"] == ("up_to_19", "from_19_to_39", "above_39")
    assert found.notes == ("discretized 'X' by mdl of 'Y' at 19, 39",)


def test_a_column_that_tells_nothing_has_one_state():
    data = Data([continuous("X", range(40)), discrete("Y", [0, 1] * 20)]).discretize(method="mdl(by=Y)")
    assert data.states["X"] == ("all",)
    assert data.notes == ("discretized 'X' by mdl of 'Y': no cut improves the criterion, so one state",)


def test_hundreds_of_states_are_no_trouble():
    states = [f"s{i}" for i in range(900)]
    data = Data([continuous("X", range(900)), Column.discrete("Y", np.arange(900), states)])
    assert data.discretize(method="mdl(by=Y)").arities["X"] >= 1


def test_the_column_to_cut_by_may_be_cut_first():
    data = Data([continuous("X", range(60)), continuous("Z", range(60))])
    found = data.discretize(method={"X": "mdl(by=Z)", "Z": "quantile(3)"})
    assert found.states["X"] == found.states["Z"]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("mdl(by=Q)", r"mdl\(by=Q\): there is no such column"),
        ("mdl(by=X)", "'X' is continuous: name a discrete column"),
    ],
)
def test_the_column_to_cut_by_must_be_a_discrete_one(method, message):
    with pytest.raises(InputError, match=message):
        Data([continuous("X"), discrete("Y")]).discretize(method=method)
