from __future__ import annotations

import pickle

import numpy as np
import pytest

from strategies.data import continuous, discrete
from veridag.data import Column
from veridag.errors import InputError


def test_a_column_takes_a_read_only_array_as_it_is():
    codes, values = np.array([0, 1], dtype=np.uint8), np.array([0.5, 1.5])
    for array in (codes, values):
        array.flags.writeable = False
    assert np.shares_memory(Column.discrete("X", codes, ["a", "b"]).values, codes)
    assert np.shares_memory(Column.continuous("Z", values).values, values)
    assert np.shares_memory(Column.continuous("Z", values[:1]).values, values)


def test_a_column_does_not_change_with_the_array_it_was_made_of():
    codes, values = np.array([0, 1], dtype=np.uint8), np.array([0.5, 1.5])
    view = values.view()
    view.flags.writeable = False
    columns = [
        Column.discrete("X", codes, ["a", "b"]),
        Column.continuous("Y", values),
        Column.continuous("Z", view),  # read-only itself, but not what it is a view of
    ]
    codes[0], values[0] = 1, 99.0
    assert [c.values[0] for c in columns] == [0, 0.5, 0.5]


def test_parts_and_pickles_of_a_column_are_not_copied_again(monkeypatch):
    column = continuous()
    copies = []
    monkeypatch.setattr("veridag.data.columns._can_be_written", lambda array: copies.append(array.flags.writeable))
    column.take(np.array([0, 1]))
    column.take(slice(2))
    pickle.loads(pickle.dumps(column))
    assert copies == [False, False, False]


def test_a_column_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        discrete().values[0] = 1
    with pytest.raises(AttributeError):
        discrete().name = "Y"


@pytest.mark.parametrize(("arity", "dtype"), [(1, np.uint8), (256, np.uint8), (257, np.uint16), (65_535, np.uint16)])
def test_codes_take_as_few_bytes_as_the_states_allow(arity, dtype):
    column = Column.discrete("X", np.array([0, arity - 1]), map(str, range(arity)))
    assert column.values.dtype == dtype
    assert column.values[1] == arity - 1


def test_more_than_65535_states_are_refused():
    with pytest.raises(InputError, match="'X' has 65536 states; at most 65535"):
        Column.discrete("X", np.array([0]), map(str, range(65_536)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Column.discrete("X", np.array([0, 2]), ["a", "b"]),
            "'X' has the code 2, but its 2 states are coded 0 to 1",
        ),
        (lambda: Column.discrete("X", np.array([-1]), ["a"]), "the code -1"),
        (lambda: Column.discrete("X", np.array([0.5]), ["a"]), "must be integers, not float64"),
        (lambda: Column.discrete("X", np.array([[0]]), ["a"]), r"one-dimensional, not of shape \(1, 1\)"),
        (lambda: Column.discrete("X", np.array([0]), []), "at least one state"),
        (lambda: Column.discrete("X", np.array([0]), [1]), "states are strings"),
        (lambda: Column.discrete("X", np.array([0]), ["a", "b", "a"]), "the state 'a' twice"),
        (lambda: Column.discrete("", np.array([0]), ["a"]), "a column name must be a non-empty string"),
        (lambda: Column("X", "ordinal", np.array([0]), ("a",)), "'discrete' or 'continuous', not 'ordinal'"),
        (lambda: Column.continuous("Z", np.array([1.0, np.inf, -np.inf])), "'Z' has 2 values that are not finite"),
        (lambda: Column.continuous("Z", np.array(["a"])), "must be numbers"),
    ],
)
def test_a_column_that_makes_no_sense_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_columns_are_equal_by_content_and_not_by_reason():
    assert Column.discrete("X", np.array([0]), ["a"], "sampled") == Column.discrete("X", np.array([0]), ["a"], "read")
    assert discrete() != discrete(states=("no", "maybe"))
    assert discrete() != "X"
