from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from strategies.data import csv, labels, one
from veridag.data import Data, DataWarning
from veridag.errors import InputError

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
        ({"group": "hospital"}, "group= names the column 'hospital'.*choose from 'X'"),
        ({"weights": "count"}, "weights= names the column 'count'"),
        ({"kinds": {"X": "ordinal"}}, "a kind is 'discrete' or 'continuous'"),
        ({"kinds": {"X": "continuous"}, "states": {"X": ["a"]}}, "declared states= but is 'continuous' in kinds="),
        ({"kinds": "discrete"}, "kinds='discrete' must be a dictionary"),
        ({"states": {"X": {"a", "b"}}}, "as a list, in order"),
        ({"states": {"X": "ab"}}, "as a list"),
        ({"states": {"X": ["a", "a"]}}, "the state 'a' twice"),
        ({"states": {"X": []}}, "at least one state"),
        ({"missing": "ignore"}, "missing='ignore' must be 'error', 'state', 'drop', 'keep' or 'indicator'"),
        ({"missing_values": "NA"}, r"must be a list of strings: \['NA'\]"),
        ({"group": "X", "weights": "X"}, "cannot be both group= and weights="),
        ({"group": "X"}, "no columns are left"),
        ({"group": ["X"]}, r"group=\['X'\] must be the name of a column"),
        ({"group": 0}, "group=0 must be the name of a column"),
        ({"group": ""}, "group= names the column ''"),
        ({"weights": ""}, "weights= names the column ''"),
        ({"missing_values": -99}, "missing_values=-99 must be a list"),
        ({"missing": np.array(["drop", "state"])}, "must be 'error', 'state', 'drop', 'keep' or 'indicator'"),
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
        r"kinds=\{'X': 'continuous'\} \(kinds=\{'X': 'discrete'\} keeps every value as a state\)"
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
    message = r"different value in each of its 11 rows and looks like an identifier: leave it out \(drop=\['X'\]\)"
    with pytest.raises(InputError, match=message):
        one(values)
    assert one(values, kinds={"X": "discrete"}).arities["X"] == 11
    assert one(values[:10]).arities["X"] == 10
    frame = pl.DataFrame({"X": values, "count": [2] * 11})
    assert Data.from_frame(frame, weights="count").n == 22  # not distinct: each value was seen twice


@pytest.mark.medium
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


# --- missing values -------------------------------------------------------------------------------------------------


def test_missing_values_are_an_error_that_names_columns_and_remedies():
    frame = pl.DataFrame({"A": ["x", None, "NA"], "B": [1, None, 2], "C": ["u", "v", "u"]})
    with pytest.raises(InputError, match="2 in column 'A', 1 in column 'B'") as error:
        Data.from_frame(frame)
    for remedy in ("missing='drop'", "missing='state'", "missing_values=", "missing_values=", "'NA'"):
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
    with pytest.raises(InputError, match="leaves none of the 2"):
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
        (2**53 * np.array([1, 1]), r"sum to 18014398509481984 observations, more than 2\^53 - 1"),
        ([1.0, float("inf")], "holds inf"),
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


@pytest.mark.parametrize("weights", [np.array([1, 2, 0, 4]), [1, 2, 0, 4], np.array([1.0, 2.0, 0.0, 4.0])])
def test_weights_may_be_an_array_beside_the_frame(weights):
    frame = pl.DataFrame({"X": ["a", "b", "a", "b"]})
    for table in (frame, frame.to_pandas(), frame.to_arrow()):
        assert Data.from_frame(table, weights=weights).weights.tolist() == [1, 2, 0, 4]
    assert Data.from_numpy(np.array([[0], [1], [0], [1]]), weights=weights).n == 7


def test_warnings_point_at_the_caller():
    with pytest.warns(DataWarning, match="constant") as caught:
        Data.from_numpy(np.array([[1, 0], [1, 1]]))
    assert caught[0].filename == __file__
