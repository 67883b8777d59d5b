from __future__ import annotations

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.data import csv, labels
from veridag.data import Data, DataWarning
from veridag.errors import InputError


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (pd.Series(["b", "a"]), ("a", "b")),
        (pd.Series(["b", "a"], dtype=object), ("a", "b")),
        (pd.Series(["b", "a"], dtype="string"), ("a", "b")),
        (pd.Series([True, False]), ("False", "True")),
        (pd.Series([True, True, False], dtype="boolean"), ("False", "True")),
        (pd.Series([True, False], dtype=object), ("False", "True")),
        (pd.Series([10, 9], dtype="Int64"), ("9", "10")),
        (pd.Series([10, 9], dtype=object), ("9", "10")),
        (pd.Series([10, 9], dtype="int64[pyarrow]"), ("9", "10")),
        (pd.Series([200, 9], dtype="uint64"), ("9", "200")),
        (pd.Series(pd.Categorical(["x", "y"], categories=["z", "y", "x"])), ("z", "y", "x")),
        (pd.Series(pd.Categorical([2, 1], categories=[3, 2, 1], ordered=True)), ("3", "2", "1")),
        (pd.Series([1.5, 2.5], dtype="Float64"), None),
        (pd.Series([1.5, 2], dtype=object), None),
    ],
)
def test_pandas_columns_of_every_type(series, expected):
    data = Data.from_frame(pd.DataFrame({"X": series}))
    if expected is None:
        assert data.column("X").tolist() == [float(v) for v in series]
    else:
        assert data.states["X"] == expected
        assert labels(data) == [str(v) for v in series]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(["a", None]),
        pd.Series(["a", None], dtype=object),
        pd.Series(["a", None], dtype="string"),
        pd.Series([True, None], dtype="boolean"),
        pd.Series([True, None], dtype=object),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([1, None]),
        pd.Series([1.5, None], dtype="Float64"),
        pd.Series(pd.Categorical(["a", None])),
        pd.Series([None, None], dtype=object),
        pd.Series([None, None], dtype="Int64"),
    ],
)
def test_missing_values_of_pandas_are_seen_in_every_type(series):
    with pytest.raises(InputError, match=f"{series.isna().sum()} in column 'X'"):
        Data.from_frame(pd.DataFrame({"X": series}))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"X": pd.Series(["a", 1], dtype=object)}), "'X' mixes values of the types int, str: convert"),
        (pd.DataFrame({"X": pd.Series([True, 1], dtype=object)}), "'X' mixes values of the types bool, int"),
        (pd.DataFrame({"X": [[1], [2]]}), "'X' holds list, which is neither"),
        (pd.DataFrame({"X": pd.to_datetime(["2020-01-01"])}), "'X' holds datetime.*or leave it out"),
        (pl.DataFrame({"X": [datetime.date(2020, 1, 1)]}), "'X' holds Date"),
        (pl.DataFrame({"X": pl.Series([1, 2], dtype=pl.Int128)}), r"'X' holds Int128.*cast it to pl\.Int64"),
        (pa.table({"X": [datetime.date(2020, 1, 1)]}), "'X' holds Date"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "column name 'a' occurs 2 times"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "column name '1' occurs 2 times"),
        (pa.table([[1], [2]], names=["a", "a"]), "column name 'a' occurs 2 times"),
        (pl.DataFrame({"X": []}), "no rows"),
        (pd.DataFrame({"X": []}), "no rows"),
        (pd.DataFrame(), "no rows"),
        (pl.LazyFrame({"X": [1]}), r"LazyFrame is not in memory yet: call \.collect\(\)"),
        ([[1, 2]], "pandas, polars or pyarrow table is needed, not list"),
    ],
)
def test_frames_that_cannot_be_read_are_explained(frame, message):
    with pytest.raises(InputError, match=message):
        Data.from_frame(frame)


def test_column_names_that_are_not_texts_become_texts():
    assert Data.from_frame(pd.DataFrame([[1, 2], [2, 1]])).names == ("0", "1")


def test_column_names_that_look_like_patterns_are_names():
    frame = pl.DataFrame({"^a.*$": ["x", "y"], "ab": ["u", "v"], "*": ["p", "q"]})
    assert Data.from_frame(frame).names == ("^a.*$", "ab", "*")


def test_arrow_dictionaries_in_chunks_are_declarations():
    chunks = [pa.array(["x"]).dictionary_encode(), pa.array(["y", None]).dictionary_encode()]
    table = pa.table({"X": pa.chunked_array(chunks)})
    data = Data.from_frame(table, missing="state")
    assert data.states["X"] == ("x", "y", "missing")
    assert data.column("X").tolist() == [0, 1, 2]
    index = pa.array([1, 0], type=pa.int8())
    declared = pa.DictionaryArray.from_arrays(index, pa.array(["z", "a", "unobserved"]))
    assert Data.from_frame(pa.table({"X": declared})).states["X"] == ("z", "a", "unobserved")


def test_numpy_arrays_are_discrete_if_integer_and_continuous_if_float():
    data = Data.from_numpy(np.array([[0, 10], [1, 9]]))
    assert data.names == ("X1", "X2")
    assert data.states["X2"] == ("9", "10")
    assert Data.from_numpy(np.array([[0.0], [1.0]]), ["A"]).kinds["A"] == "continuous"
    assert Data.from_numpy(np.array([[0.0], [1.0]]), kinds={"X1": "discrete"}).states["X1"] == ("0", "1")
    assert Data.from_numpy(np.array([["b"], ["a"]])).states["X1"] == ("a", "b")
    assert Data.from_numpy(np.array([[True], [False]])).states["X1"] == ("False", "True")
    assert Data.from_numpy(np.array([["b", 1.5], ["a", 2.5]], dtype=object)).kind == "mixed"


@pytest.mark.parametrize(
    ("array", "names", "message"),
    [
        (np.array([1, 2]), None, r"two-dimensional array is needed, rows by columns, not one of shape \(2,\)"),
        (np.zeros((2, 2)), ["A"], "1 names for 2 columns"),
        (np.zeros((0, 2)), None, "no rows"),
        (np.zeros((2, 2)), ["A", "A"], "'A' occurs 2 times"),
        (np.array([[np.nan], [1]]), None, "1 in column 'X1'"),
        (np.array([[None], ["a"]], dtype=object), None, "1 in column 'X1'"),
        (np.ma.array([[1], [2]], mask=[[0], [1]]), None, "masked arrays"),
        (np.array([[1j], [2]]), None, "'X1' holds complex128"),
        (np.zeros((2, 2)), "AB", "names='AB' must be a list of strings"),
        (np.zeros((2, 2)), 5, "names=5 must be a list of strings"),
        (np.zeros((2, 2)), ["A", None], "names= has None, which is not a string"),
        ([[1, 2], [3]], None, "two-dimensional array is needed, rows by columns"),
    ],
)
def test_arrays_that_cannot_be_read_are_explained(array, names, message):
    with pytest.raises(InputError, match=message):
        Data.from_numpy(array, names)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=9), st.booleans())
def test_every_library_gives_the_same_data(values, as_text):
    column = [f"s{v}" for v in values] if as_text else values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        data = Data.from_frame(pl.DataFrame({"X": column}))
        assert Data.from_frame(pd.DataFrame({"X": column})) == data
        assert Data.from_frame(pa.table({"X": column})) == data
        assert Data.from_numpy(np.array(column)[:, None], ["X"]) == data
        assert csv("X,Y\n" + "".join(f"{v},0\n" for v in column)).select(["X"]) == data


def test_a_dictionary_of_columns_is_a_table():
    data = Data.from_frame({"A": ["x", "y", "x"], "B": np.array([0.5, 1.5, 2.5]), "C": [True, False, True]})
    assert dict(data.kinds) == {"A": "discrete", "B": "continuous", "C": "discrete"}
    with pytest.raises(InputError, match="the columns do not form a table"):
        Data.from_frame({"A": [1, 2], "B": [1, 2, 3]})
    with pytest.raises(InputError, match="column 'A' mixes values of the types int, object"):
        Data.from_frame({"A": [object(), 1]})
