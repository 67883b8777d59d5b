from __future__ import annotations

import datetime
import gzip
import io
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veridag.data import Data, DataWarning, read
from veridag.errors import InputError


def csv(text: str | bytes, **options) -> Data:
    return read(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


def one(values, **options) -> Data:
    """Data with the column X, by way of polars."""
    return Data.from_frame(pl.DataFrame({"X": values}), **options)


def labels(data: Data, name: str = "X") -> list[str]:
    return [data.states[name][code] for code in data.column(name)]


# --- which kind and which states ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "states", "rule"),
    [
        (["b", "a", "b"], ("a", "b"), "text"),
        (["10", "9", "10"], ("9", "10"), "text"),
        ([10, 9, -1], ("-1", "9", "10"), "integer codes"),
        ([True, False, True], ("False", "True"), "boolean"),
        (pl.Series(["x", "y", "x"], dtype=pl.Enum(["z", "y", "x"])), ("z", "y", "x"), "declared categories"),
        (pl.Series(["x", "b", "x"], dtype=pl.Categorical), ("b", "x"), "text"),
    ],
)
def test_discrete_columns_get_ordered_states(values, states, rule):
    data = one(values)
    assert data.states["X"] == states
    assert labels(data) == [str(v) for v in values]
    assert data.describe().rows[0]["rule"] == rule


def test_decimal_numbers_are_continuous():
    data = one([0.5, 1.0, 2.0])
    assert data.kind == "continuous"
    assert data.column("X").tolist() == [0.5, 1.0, 2.0]
    assert data.describe().rows[0]["rule"] == "decimal numbers"


def test_declared_states_rule_over_everything():
    assert one([1, 0, 1], states={"X": [1, 0, 2]}).states["X"] == ("1", "0", "2")
    assert one([1.0, 0.0], states={"X": [0, 1]}).states["X"] == ("0", "1")
    assert one([True, False], states={"X": [True, False]}).states["X"] == ("True", "False")
    assert one(["a", "b"], states={"X": np.array(["b", "a"])}).column("X").tolist() == [1, 0]
    assert one(["a", "b"], states={"X": ["b", "a"]}).describe().rows[0]["rule"] == "states="


def test_a_value_that_is_not_declared_is_an_error():
    with pytest.raises(InputError, match="'X' has the value 'c', which is not among its declared states 'a', 'b'"):
        one(["a", "c"], states={"X": ["a", "b"]})


def test_kinds_rule_over_the_type():
    assert one([3, 1, 2], kinds={"X": "continuous"}).column("X").tolist() == [3.0, 1.0, 2.0]
    assert one([2.0, 10.0, 1.0], kinds={"X": "discrete"}).states["X"] == ("1", "2", "10")
    assert one([2.5, 10.0, -1.0], kinds={"X": "discrete"}).states["X"] == ("-1", "2.5", "10")
    assert one(["1", "2.5"], kinds={"X": "continuous"}).column("X").tolist() == [1.0, 2.5]
    with pytest.raises(InputError, match="'X' should hold numbers, but has the value 'a'"):
        one(["1", "a"], kinds={"X": "continuous"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": {"Y": "discrete"}}, "kinds= names the column 'Y', which does not exist"),
        ({"states": {"x": ["a"]}}, "states= names the column 'x'.*'X'"),
        ({"group": "hospital"}, "group= names the column 'hospital'.*known are 'X'"),
        ({"weights": "count"}, "weights= names the column 'count'"),
        ({"kinds": {"X": "ordinal"}}, "a kind is 'discrete' or 'continuous'"),
        ({"kinds": {"X": "continuous"}, "states": {"X": ["a"]}}, "declared states= but is 'continuous' in kinds="),
        ({"kinds": "discrete"}, "kinds='discrete' must be a dictionary"),
        ({"states": {"X": {"a", "b"}}}, "as a list, in the order"),
        ({"states": {"X": "ab"}}, "as a list"),
        ({"states": {"X": ["a", "a"]}}, "the state 'a' twice"),
        ({"states": {"X": []}}, "at least one state"),
        ({"missing": "ignore"}, "missing='ignore' must be 'error', 'state' or 'drop'"),
        ({"missing_values": "NA"}, r"must be a list of texts: \['NA'\]"),
        ({"group": "X", "weights": "X"}, "cannot be both group= and weights="),
        ({"group": "X"}, "no column is left"),
        ({"group": ["X"]}, r"group=\['X'\] must be the name of a column"),
        ({"group": 0}, "group=0 must be the name of a column"),
        ({"group": ""}, "group= names the column ''"),
        ({"weights": ""}, "weights= names the column ''"),
        ({"missing_values": None}, r"missing_values=None must be a list of texts or numbers; \[\] for none"),
        ({"missing_values": -99}, "missing_values=-99 must be a list"),
        ({"missing": np.array(["drop", "state"])}, "must be 'error', 'state' or 'drop'"),
        ({"kinds": {"X": np.array(["discrete", "b"])}}, "a kind is 'discrete' or 'continuous'"),
    ],
)
def test_wrong_options_are_explained(options, message):
    with pytest.raises(InputError, match=message):
        one(["a", "b"], **options)


def test_integers_with_many_values_look_continuous():
    ages = [20 + i % 74 for i in range(80)]
    message = (
        r"column 'X' has 74 distinct values in 80 rows and looks continuous: discretize it, or pass "
        r"kinds=\{'X': 'continuous'\} \(or 'discrete' to keep every value as a state\)"
    )
    with pytest.raises(InputError, match=message):
        one(ages)
    assert one(ages, kinds={"X": "discrete"}).arities["X"] == 74
    assert one(ages, kinds={"X": "continuous"}).kind == "continuous"
    assert one(ages, states={"X": range(20, 100)}).arities["X"] == 80
    assert one([i % 20 for i in range(40)]).arities["X"] == 20
    assert one([i % 30 for i in range(300)]).arities["X"] == 30
    with pytest.raises(InputError, match="looks continuous"):
        one([i % 31 for i in range(300)])


@pytest.mark.parametrize("values", [list(range(11)), [f"id{i}" for i in range(11)]])
def test_all_distinct_columns_look_like_identifiers(values):
    message = r"different value in every one of its 11 rows and looks like an identifier: leave it out, or pass kinds="
    with pytest.raises(InputError, match=message):
        one(values)
    assert one(values, kinds={"X": "discrete"}).arities["X"] == 11
    assert one(values[:10]).arities["X"] == 10
    frame = pl.DataFrame({"X": values, "count": [2] * 11})
    assert Data.from_frame(frame, weights="count").n == 22  # not distinct: each value was seen twice


def test_more_than_65535_states_are_an_error():
    with pytest.raises(InputError, match="'X' has 65536 states; at most 65535"):
        one(range(65_536), kinds={"X": "discrete"})
    with pytest.raises(InputError, match="'X' has 65536 states"):
        one([f"v{i}" for i in range(65_536)], kinds={"X": "discrete"})


@pytest.mark.parametrize(("arity", "dtype"), [(256, np.uint8), (257, np.uint16)])
def test_codes_are_as_small_as_possible(arity, dtype):
    data = one([i % arity for i in range(3000)])
    assert data.column("X").dtype == dtype
    assert labels(data) == [str(i % arity) for i in range(3000)]


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt8, pl.Int16, pl.Int64, pl.UInt64])
def test_extreme_integers_keep_their_values(dtype):
    low, high = (int(pl.select(v).item()) for v in (dtype.min(), dtype.max()))
    values = [low, 0, high, low]
    assert labels(one(pl.Series(values, dtype=dtype))) == [str(v) for v in values]


def test_infinite_values_are_an_error():
    with pytest.raises(InputError, match="'X' has 1 values that are not finite, the first is inf: remove"):
        one([1.5, float("inf")])


def test_constant_columns_give_one_warning_that_names_them():
    with pytest.warns(DataWarning, match="'A', 'B'") as caught:
        data = Data.from_frame(pl.DataFrame({"A": ["x", "x"], "B": [1, 1], "C": ["u", "v"]}))
    assert len(caught) == 1
    assert data.states["A"] == ("x",)
    with pytest.warns(DataWarning, match="'X'"):
        one([1.5, 1.5])
    with pytest.warns(DataWarning, match="'X'"):
        one(["a", "a"], states={"X": ["a", "b"]})


def test_rows_of_weight_zero_do_not_hide_a_constant_column():
    frame = pl.DataFrame({"A": ["x", "y", "x"], "C": ["u", "w", "v"]})
    with pytest.warns(DataWarning, match="structure: 'A'$") as caught:
        data = Data.from_frame(frame, weights=[2, 0, 1])
    assert len(caught) == 1
    assert data.states["A"] == ("x", "y")
    with pytest.warns(DataWarning, match="structure: 'X'$"):
        one([0.5, 1.5, 0.5], weights=[2, 0, 1])


def test_mixed_data_gives_a_warning_with_the_remedy():
    with pytest.warns(DataWarning, match=r"1 discrete and 2 continuous.*discretize\(\).*select\(\)"):
        Data.from_frame(pl.DataFrame({"A": ["x", "y"], "B": [1.5, 2.5], "C": [0.5, 1.5]}))


# --- missing values -------------------------------------------------------------------------------------------------


def test_missing_values_are_an_error_that_names_columns_and_remedies():
    frame = pl.DataFrame({"A": ["x", None, "NA"], "B": [1, None, 2], "C": ["u", "v", "u"]})
    with pytest.raises(InputError, match="2 in column 'A', 1 in column 'B'") as error:
        Data.from_frame(frame)
    for remedy in ("missing='drop'", "missing='state'", "states=", "missing_values=", "'NA'"):
        assert remedy in str(error.value)
    assert "'C'" not in str(error.value)


def test_missing_rows_can_be_dropped_and_only_remaining_states_count():
    frame = pl.DataFrame({"A": ["x", "gone", "y"], "B": [1, None, 2], "w": [1, 5, 2], "g": ["n", "s", "n"]})
    data = Data.from_frame(frame, missing="drop", weights="w", group="g")
    assert data.states["A"] == ("x", "y")
    assert data.weights.tolist() == [1, 2]
    assert data.groups == ("n",)
    assert data.notes == ("dropped 1 of 3 rows with missing values (1 in column 'B')",)
    assert Data.from_frame(frame.drop("w", "g"), missing="drop", weights=[4, 5, 6]).weights.tolist() == [4, 6]
    with pytest.raises(InputError, match="leaves no row of 2"):
        one([None, "NA"], missing="drop")


def test_missing_can_become_the_last_state():
    data = one(["z", None, "a", "?"], missing="state")
    assert data.states["X"] == ("a", "z", "missing")
    assert labels(data) == ["z", "missing", "a", "missing"]
    assert data.notes == ("missing values became the state 'missing' (2 in column 'X')",)
    assert str(data.describe()).endswith(f"note: {data.notes[0]}")
    assert one([1, None, 0], missing="state").states["X"] == ("0", "1", "missing")
    assert one([True, None, False], missing="state").states["X"] == ("False", "True", "missing")
    assert one(["a", None], states={"X": ["b", "a"]}, missing="state").states["X"] == ("b", "a", "missing")


def test_a_state_called_missing_takes_in_missing_values():
    data = one(["missing", "a", None], missing="state")
    assert data.states["X"] == ("a", "missing")
    assert labels(data) == ["missing", "a", "missing"]


def test_missing_numbers_cannot_become_a_state():
    with pytest.raises(InputError, match=r"missing='state' is for discrete columns.*1 in column 'X'.*missing='drop'"):
        one([1.5, None], missing="state")


@pytest.mark.parametrize("token", ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"])
def test_texts_that_mean_missing_do_so_in_files_and_frames(token):
    with pytest.raises(InputError, match="1 in column 'X'"):
        one(["a", token, "b"])
    with pytest.raises(InputError, match="1 in column 'X'"):
        csv(f"X,Y\na,1\n{token},0\nb,1\n")


@pytest.mark.parametrize("token", ["NA", "None", ""])
def test_declared_states_are_never_missing(token):
    states = ["a", token]
    declared = {"states": {"X": states}}
    assert labels(one(["a", token], **declared)) == states
    assert labels(one(pl.Series(["a", token], dtype=pl.Enum(states)))) == states
    assert labels(Data.from_frame(pd.DataFrame({"X": pd.Categorical(["a", token])}))) == states or token < "a"
    table = pa.table({"X": pa.array(["a", token]).dictionary_encode()})
    assert labels(Data.from_frame(table)) == states
    if token:
        assert labels(csv(f"X,Y\na,1\n{token},0\n", **declared)) == states


def test_missing_values_can_be_chosen():
    assert one(["NA", "a"], missing_values=[]).states["X"] == ("NA", "a")
    with pytest.raises(InputError, match="1 in column 'X'"):
        one(["unknown", "a"], missing_values=["unknown"])
    for values in ([1, -99], [1.5, -99.0], ["1", "-99"]):
        with pytest.raises(InputError, match="1 in column 'X'"):
            one(values, missing_values=[-99])
    with pytest.raises(InputError, match="1 in column 'X'"):
        csv("X\n1.5\n-99.0\n2.5\n", missing_values=["-99"])


# --- groups and weights ---------------------------------------------------------------------------------------------


def test_group_and_weight_columns_are_kept_apart():
    data = csv("X,site,count\na,10,3\nb,9,2\na,9,0\n", group="site", weights="count")
    assert data.names == ("X",)
    assert data.groups == ("9", "10")
    assert data.group.tolist() == [1, 0, 0]
    assert data.weights.tolist() == [3, 2, 0]
    assert (data.n, data.nrows) == (5, 3)
    assert {label: part.n for label, part in data.by_group().items()} == {"9": 2, "10": 3}


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1], "weights= holds -1"),
        ([1, 0.5], r"weights= holds 0\.5"),
        ([0, 0], "all 0"),
        ([1], r"shape \(1,\), but there are 2 rows"),
        ([1.0, float("nan")], "holds nan"),
        (["1", "2"], r"must be integers, not <U1 as in \['1', '2'\]: convert"),
        ([1, None], "must be integers, not object"),
        ([[1], [1, 2]], r"weights=\[\[1\], \[1, 2\]\] must be a column's name or integers"),
        (5, "weights=5 must be a column's name or integers, one for each row"),
        ({1, 2}, r"weights=\{1, 2\} must be"),
        (np.ma.array([1, 2], mask=[0, 1]), r"masked array: pass weights\.filled"),
        (2**53 * np.array([1, 1]), "holds 9007199254740992"),
    ],
)
def test_weights_must_count_observations(weights, message):
    with pytest.raises(InputError, match=message):
        one(["a", "b"], weights=weights)


def test_weights_can_be_an_array():
    data = one(["a", "b"], weights=np.array([2, 3]))
    assert data.n == 5
    with pytest.raises(InputError, match="all 0"):
        one(["a", None], weights=np.array([0, 3]), missing="drop")


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float16, np.uint64])
def test_weights_may_be_of_any_numeric_type(dtype):
    assert one(["a", "b"], weights=np.array([1, 1], dtype=dtype)).weights.tolist() == [1, 1]


def test_a_weight_column_must_hold_numbers():
    with pytest.raises(InputError, match="'w' should hold numbers, but has the value 'x'"):
        csv("X,w\na,1\nb,x\n", weights="w")
    with pytest.raises(InputError, match="1 in column 'w'"):
        csv("X,w\na,1\nb,\n", weights="w")
    assert csv("X,w\na,1.0\nb,2.0\n", weights="w").weights.tolist() == [1, 2]


# --- frames and arrays ----------------------------------------------------------------------------------------------


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
    with pytest.warns(DataWarning, match="mixed"):
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
        (np.zeros((2, 2)), "AB", "names='AB' must be a list of texts"),
        (np.zeros((2, 2)), 5, "names=5 must be a list of texts"),
        (np.zeros((2, 2)), ["A", None], "names= holds None, which is no text"),
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


# --- CSV ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "states"),
    [
        (["1", "10", "9"], ("1", "9", "10")),
        (["01", "1", "01"], ("01", "1")),
        (["+1", "1", "-1"], ("-1", "+1", "1")),
        (["-0", "0", "1"], ("-0", "0", "1")),
        ([" 1", "1", "2"], (" 1", "1", "2")),
        (["99999999999999999999", "1", "1"], ("1", "99999999999999999999")),
        (["3000000000", "-3000000000", "1"], ("-3000000000", "1", "3000000000")),
        (["true", "false", "true"], ("false", "true")),
        (["1", "a", "2"], ("1", "2", "a")),
        (["1_0", "10", "10"], ("10", "1_0")),
    ],
)
@pytest.mark.parametrize("after", [0, 1500])
def test_no_two_different_fields_become_one_state(fields, states, after):
    """Also when they come so late that the columns have been taken for integers."""
    rows = ["0,u"] * after + [f"{v},k{i}" for i, v in enumerate(fields)]
    data = csv("X,Y\n" + "\n".join(rows) + "\n")
    assert labels(data)[after:] == fields
    assert set(data.states["X"]) == {*states, *(["0"] if after else [])}
    if not after:
        assert data.states["X"] == states


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_line_endings_do_not_matter(ending, last):
    text = ending.join(["X,Y", "1,a", "2,b", "-13,a"]) + (ending if last else "")
    assert labels(csv(text)) == ["1", "2", "-13"]
    assert labels(csv(text), "Y") == ["a", "b", "a"]


@given(st.lists(st.integers(-120, 120), min_size=1, max_size=20), st.data())
def test_a_field_in_another_form_is_never_read_as_the_plain_one(values, draw):
    """Reading integers fast is safe only if this holds wherever the odd field is."""
    fields = [str(v) for v in values] + ["7"]
    odd = draw.draw(st.integers(0, len(fields) - 1))
    fields[odd] = fields[odd].replace("-", "-0") if "-" in fields[odd] else "0" + fields[odd]
    ending = draw.draw(st.sampled_from(["\n", "\r\n"]))
    body = "".join(f"{v},k{i % 2}{ending}" for i, v in enumerate(["5"] * 1100 + fields))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        data = csv(f"X,Y{ending}{body}", kinds={"X": "discrete"})
    assert labels(data)[1100:] == fields


@pytest.mark.parametrize("after", [0, 1500])
def test_numbers_in_files_are_continuous_if_one_has_a_decimal_point(after):
    text = "X\n" + "".join(f"{i}.5\n" for i in range(after)) + "1\n2.5\n-.5\n1e3\n+2.\n"
    data = csv(text)
    assert data.column("X")[after:].tolist() == [1, 2.5, -0.5, 1000, 2]
    assert csv("X\n1.0\n1\n2.50\n", kinds={"X": "discrete"}).states["X"] == ("1", "1.0", "2.50")


def test_a_late_text_makes_a_column_of_numbers_text():
    rows = [f"{i % 700}.5" for i in range(1500)]
    data = csv("X\n" + "\n".join([*rows, "low"]) + "\n")
    assert labels(data) == [*rows, "low"]
    with pytest.raises(InputError, match="1 in column 'X'"):
        csv("X\n" + "\n".join([*rows, "NA"]) + "\n")
    with pytest.raises(InputError, match="'X' should hold numbers, but has the value 'low'"):
        csv("X\n" + "\n".join([*rows, "low"]) + "\n", kinds={"X": "continuous"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("X,Y\n", "there is a header, but there are no rows"),
        ("X,X\n1,2\n", "column name 'X' occurs 2 times"),
        (",X\n1,2\n", "column 1 has no name"),
        ("X,Y\n1,2\n3\n", "line 3 has 1 fields where the header has 2"),
        ("X,Y\n1,2\n3,4,5\n", "line 3 has 3 fields where the header has 2"),
        ("X,Y\na,b\n\nc,d\n", "line 3 is blank: remove it"),
        ('X,Y\n"a\nb",1\n"c,d",2\ne\n', "line 5 has 1 fields"),
        ('X,Y\n"a\nb",1\n"c,d",2,3\n', "line 4 has 3 fields"),
        ('"X\n1",Y\n1,2\n3\n', "line 4 has 1 fields"),
        ('X,Y\n"a,1\nb,2\n', "line 2: a quoted field is not closed properly"),
        ("X,Y\r1,2\n3,4\n", "line 1: the header cannot be read .it holds a carriage return"),
        ('X,"Y\n1,2\n', "line 2: the header cannot be read .unexpected end of data"),
        ("X;Y\n1;2\n", "only one column, 'X;Y': pass separator=';'"),
        ("X\tY\n1\t2\n", r"pass separator='\\t'"),
        (b"X,Y\na,b\n\xe9,c\n", "line 3 is not in utf-8: the byte 0xe9 cannot be; pass encoding=.*'latin-1'"),
        ("X\n1\n".encode("utf-16"), "line 1 is not in utf-8"),
        ("a,b\nx,q\ny,z".encode("utf-16-le"), "line 1 holds a NUL byte.*pass encoding='utf-16'"),
        ("a,b\nx,q\ny,z".encode("utf-16-be"), "line 1 holds a NUL byte.*'utf-16-be'"),
        ("a,b\nx,q\ny,\0z\n", "line 3 holds a NUL byte.*or remove the byte"),
    ],
)
def test_files_that_cannot_be_read_are_explained(text, message):
    with pytest.raises(InputError, match=message):
        csv(text)


def test_short_rows_are_found_wherever_they_are():
    for end in ("1,2\n" * 3, ""):
        with pytest.raises(InputError, match="line 1502 has 1 fields where the header has 2"):
            csv("X,Y\n" + "1,2\n" * 1500 + "01\n" + end)


def test_an_empty_last_field_is_missing_and_not_a_short_row():
    with pytest.raises(InputError, match="1 in column 'Y'"):
        csv("X,Y\na,\nb,c\n")
    with pytest.raises(InputError, match="1 in column 'Y'"):
        csv('X,Y\n"a,b",\nb,c\n')


def test_quotes_separators_and_newlines_inside_fields():
    data = csv('X,"Y, too"\n"a,b",1\n"c\nd",2\n"say ""hi""",1\n')
    assert data.names == ("X", "Y, too")
    assert labels(data) == ["a,b", "c\nd", 'say "hi"']


def test_a_carriage_return_in_a_name_does_not_cost_a_row():
    data = csv('"X\r1",Y\na,b\nb,a\n')
    assert data.names == ("X\r1", "Y")
    assert labels(data, "Y") == ["b", "a"]


def test_empty_lines_at_the_end_are_no_rows():
    assert csv("X,Y\na,1\nb,2\n\n\n").nrows == 2
    assert csv("X,Y\r\na,1\r\nb,2\r\n\r\n").nrows == 2


def test_encodings_and_separators():
    assert labels(csv("X;Y\né;1\nü;2\n".encode("latin-1"), encoding="latin-1", separator=";")) == ["é", "ü"]
    assert labels(csv("\ufeffX,Y\né,1\nü,2\n")) == ["é", "ü"]
    assert labels(csv("X,Y\né,1\nü,2\n".encode("utf-16"), encoding="utf-16")) == ["é", "ü"]
    assert labels(csv("X,Y\né,1\nü,2\n".encode("utf-16-le"), encoding="utf-16")) == ["é", "ü"]
    with pytest.raises(InputError, match="encoding=None must be the name of one"):
        csv("X\n1\n", encoding=None)
    with pytest.raises(InputError, match="separator=5 must be one character"):
        csv("X\n1\n", separator=5)
    with pytest.raises(InputError, match="encoding='klingon' is not known"):
        csv("X\n1\n", encoding="klingon")
    with pytest.raises(InputError, match="separator='ab' must be one character"):
        csv("X\n1\n", separator="ab")


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def data():
    frame = pl.DataFrame({"A": ["x", "y", "x"], "B": [3, 1, 1], "C": ["u", "None", "u"]})
    return Data.from_frame(frame, states={"A": ["unseen", "y", "x"], "B": [3, 1], "C": ["u", "None"]})


def test_every_format_gives_the_same_data(data, tmp_path):
    frame = data.to_polars()
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ipc(tmp_path / "a.arrow")
    frame.write_csv(tmp_path / "A.CSV")
    frame.write_csv(tmp_path / "a.tsv", separator="\t")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress((tmp_path / "A.CSV").read_bytes()))
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress((tmp_path / "a.tsv").read_bytes()))
    for name in ("a.parquet", "a.arrow"):
        assert read(tmp_path / name) == data
    for name in ("A.CSV", "a.tsv", "a.csv.gz", "a.tsv.gz"):
        assert read(str(tmp_path / name), states=data.states) == data
    for name in ("a.parquet", "a.arrow", "A.CSV", "a.csv.gz"):
        with (tmp_path / name).open("rb") as stream:
            assert read(stream, states=data.states) == data


def test_messages_name_the_file(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("X,Y\n1,2\n3\n")
    with pytest.raises(InputError, match=r"cases\.csv: line 3 has 1 fields"):
        read(path)
    path.write_text("X,Y\n1,NA\n")
    with pytest.raises(InputError, match=r"cases\.csv: values are missing: 1 in column 'Y'"):
        read(path)


def test_files_that_do_not_exist_or_have_another_format(tmp_path):
    (tmp_path / "cases.csv").write_text("X\n1\n")
    with pytest.raises(InputError, match=r"no such file; did you mean 'cases\.csv'"):
        read(tmp_path / "case.csv")
    with pytest.raises(InputError, match="no such file in the folder") as error:
        read(tmp_path / "zzzzzzzz.tsv")
    assert "cases" not in str(error.value)
    with pytest.raises(InputError, match=r"no such file, since there is no folder '.*nowhere'"):
        read(tmp_path / "nowhere" / "cases.csv")
    with pytest.raises(InputError, match="path=5 must be a path as text or Path, or an open binary stream"):
        read(5)
    with pytest.raises(InputError, match=r"must be one of \.csv, \.csv\.gz, \.tsv, \.tsv\.gz, \.parquet, \.arrow"):
        read(tmp_path / "cases.xlsx")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "folder.csv")
    for suffix in ("parquet", "arrow", "csv.gz"):
        (tmp_path / f"bad.{suffix}").write_text("X,Y\n1,2\n")
    with pytest.raises(InputError, match=r"bad\.parquet: cannot be read as a \.parquet file"):
        read(tmp_path / "bad.parquet")
    with pytest.raises(InputError, match=r"bad\.arrow: cannot be read as a \.arrow file"):
        read(tmp_path / "bad.arrow")
    with pytest.raises(InputError, match=r"bad\.csv\.gz: the compressed file is damaged"):
        read(tmp_path / "bad.csv.gz")
    with pytest.raises(InputError, match="separator=';' is only for"):
        read(tmp_path / "bad.arrow", separator=";")
    with pytest.raises(InputError, match="open it in binary mode"):
        read(io.StringIO("X\n1\n"))


def test_importing_data_loads_no_frame_library():
    code = (
        "import sys, veridag.data; print([m for m in ('polars', 'pandas', 'pyarrow', 'narwhals') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_reading_a_file_needs_neither_pandas_nor_pyarrow():
    code = (
        "import sys, io; sys.modules['pandas'] = sys.modules['pyarrow'] = None\n"
        "from veridag.data import Data, read; import polars as pl\n"
        "data = read(io.BytesIO(b'X,Y\\na,1\\nb,2\\n'))\n"
        "print(data == Data.from_frame(data.to_polars()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True", done.stderr
