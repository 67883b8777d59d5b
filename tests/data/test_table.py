from __future__ import annotations

import contextlib
import copy
import gzip
import io
import os
import pickle
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veridag.data import Column, Data, DataWarning, read
from veridag.errors import InputError


def discrete(name="X", codes=(0, 1, 1, 0), states=("no", "yes")):
    return Column.discrete(name, np.array(codes, dtype=np.uint8), states)


def continuous(name="Z", values=(0.5, 1.5, 2.5, 3.5)):
    return Column.continuous(name, np.array(values, dtype=float))


def numbers(values, weights=None):
    return Data([continuous("Z", values)], weights=weights)


def expanded(data: Data) -> Data:
    """The same observations without weights: the slow obvious form."""
    rows = [i for i in range(data.nrows) for _ in range(data.weights[i])]
    part = data.rows(rows)
    return Data(part.columns, None, part.group, part.groups)


@st.composite
def tables(draw, weighted=None, grouped=None):
    """Data of any kind, with unobserved states, weights and groups."""
    n = draw(st.integers(1, 12))
    letters = st.characters(exclude_characters="\0", exclude_categories=["Cs"])  # arrow's names end at a zero
    names = draw(st.lists(st.text(letters, min_size=1, max_size=4), min_size=1, max_size=3, unique=True))
    columns = []
    for name in names:
        if draw(st.booleans()):
            states = draw(st.lists(st.text(letters, max_size=3), min_size=1, max_size=5, unique=True))
            codes = draw(st.lists(st.integers(0, len(states) - 1), min_size=n, max_size=n))
            columns.append(Column.discrete(name, np.array(codes), states))
        else:
            values = draw(st.lists(st.floats(-1e6, 1e6), min_size=n, max_size=n))
            columns.append(Column.continuous(name, np.array(values)))
    weights = group = None
    if draw(st.booleans()) if weighted is None else weighted:
        weights = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
        weights[0] += 2
    if draw(st.booleans()) if grouped is None else grouped:
        group = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    return Data(columns, weights, group, ("a", "b", "c") if group is not None else ())


def read_back(frame, data: Data) -> Data:
    group = "(group)" if data.group is not None else None
    weights = "(weight)" if data.weights is not None else None
    return Data.from_frame(frame, group=group, weights=weights)


# --- columns --------------------------------------------------------------------------------------------------------


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
        (lambda: Column.discrete("X", np.array([0]), [1]), "states are texts"),
        (lambda: Column.discrete("X", np.array([0]), ["a", "b", "a"]), "the state 'a' twice"),
        (lambda: Column.discrete("", np.array([0]), ["a"]), "name must be a text"),
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


# --- the table ------------------------------------------------------------------------------------------------------


def test_the_table_shows_what_is_in_it():
    data = Data([discrete(), continuous()], weights=[1, 0, 2, 3], group=np.array([0, 1, 1, 0]), groups=("n", "s"))
    assert data.names == ("X", "Z")
    assert (data.n, data.nrows, len(data)) == (6, 4, 4)
    assert dict(data.kinds) == {"X": "discrete", "Z": "continuous"}
    assert data.kind == "mixed"
    assert dict(data.states) == {"X": ("no", "yes")}
    assert dict(data.arities) == {"X": 2}
    assert data.column("Z").tolist() == [0.5, 1.5, 2.5, 3.5]
    assert data.weights.dtype == np.int64
    assert repr(data) == "<Data: 6 observations in 4 weighted rows of 2 mixed variables, 2 groups>"


def test_the_table_is_immutable():
    weights = np.array([1, 1, 1, 1])
    data = Data([discrete()], weights=weights, group=np.zeros(4, dtype=int), groups=("a",))
    for array in (data.column("X"), data.weights, data.group):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        data.notes = ()
    with pytest.raises(TypeError):
        data.states["X"] = ("a",)
    with pytest.raises(TypeError, match="unhashable"):
        hash(data)


@pytest.mark.parametrize(
    "shared",
    [
        Data.from_numpy,
        lambda x: Data.from_numpy(x[:, :1]),
        lambda x: Data.from_frame(pd.DataFrame(x, copy=False)),
        lambda x: Data.from_frame(pl.DataFrame({"A": x[:, 0], "B": x[:, 1]})),
        lambda x: Data.from_frame(pa.table({"A": x[:, 0], "B": x[:, 1]})),
        lambda x: Data([Column.continuous("A", x[:, 0])]),
    ],
)
def test_data_does_not_change_with_its_source(shared):
    x = np.asfortranarray([[1.0, 2.0], [3.0, 5.0]])
    data = shared(x)
    before = copy.deepcopy(data)
    x[:] = 99.0
    assert data == before


def test_data_does_not_change_with_a_frame_that_is_written_to():
    frame = pd.DataFrame({"A": [1.5, 2.5], "B": pd.Categorical(["x", "y"])})
    with pytest.warns(DataWarning, match="mixed"):
        data = Data.from_frame(frame)
    frame.iloc[0, 0], frame.iloc[0, 1] = 99.0, "y"
    assert data.column("A").tolist() == [1.5, 2.5]
    assert data.column("B").tolist() == [0, 1]


def test_data_does_not_change_with_the_weights_it_was_given():
    weights = np.array([1, 2, 3, 4])
    data = Data([discrete()], weights=weights)
    weights[0] = 99
    assert data.weights.tolist() == [1, 2, 3, 4]
    assert np.shares_memory(data.select(["X"]).weights, data.weights)


@pytest.mark.parametrize("kind", ["integer", "text", "decimal"])
def test_coded_columns_of_a_file_are_not_copied(kind, monkeypatch):
    fields = {"integer": "12", "text": "ab", "decimal": ["1.5", "2.5"]}[kind]
    taken = []
    monkeypatch.setattr("veridag.data.columns._can_be_written", lambda array: taken.append(array.flags.writeable))
    read(io.BytesIO(f"X,Y\n{fields[0]},{fields[1]}\n{fields[1]},{fields[0]}\n".encode()))
    assert taken == [False, False]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Data([]), "at least one column"),
        (lambda: Data(["X"]), "must be Column objects, not str"),
        (lambda: Data([discrete(), discrete()]), "'X' occurs twice"),
        (lambda: Data([discrete(), continuous(values=[1.0])]), "'Z' has 1 rows, but 'X' 4"),
        (lambda: Data([discrete()], weights=[1, 2]), r"shape \(2,\), but there are 4 rows"),
        (lambda: Data([discrete()], weights=[0, 0]), r"shape \(2,\), but there are 4 rows"),
        (lambda: Data([discrete()], weights=[1, 2, -1, 0]), "holds -1: a weight is a number of observations"),
        (lambda: Data([discrete()], weights=[1, 2, 0.5, 0]), r"holds 0\.5"),
        (lambda: Data([discrete()], group=np.zeros(4, dtype=int)), "belong together"),
        (lambda: Data([discrete()], group=np.zeros(3, dtype=int), groups=("a",)), "3 entries for 4 rows"),
        (lambda: Data([discrete()]).column("x"), "no column 'x': known are 'X'"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_mixed_data_is_refused_where_one_kind_is_needed():
    assert Data([discrete()]).require_one_kind() == "discrete"
    assert Data([continuous()]).require_one_kind() == "continuous"
    with pytest.raises(InputError, match=r"1 discrete and 1 continuous columns: discretize\(\).*select\(\)"):
        Data([discrete(), continuous()]).require_one_kind()


@given(tables())
def test_pickling_and_copying_keep_everything(data):
    for again in (pickle.loads(pickle.dumps(data)), copy.deepcopy(data)):
        assert again == data
        assert again.notes == data.notes
        assert not again.columns[0].values.flags.writeable


def test_equality_is_exact():
    data = Data([discrete()], weights=[1, 2, 3, 4])
    assert data == Data([discrete()], weights=[1, 2, 3, 4], notes=("other notes",))
    assert data != Data([discrete()])
    assert data != Data([discrete()], weights=[1, 2, 3, 5])
    assert data != Data([discrete("Y")], weights=[1, 2, 3, 4])
    assert Data([discrete()]) != Data([discrete()], group=np.zeros(4, dtype=int), groups=("a",))
    assert data != 3


# --- parts ----------------------------------------------------------------------------------------------------------


def test_select_takes_columns_in_the_given_order_and_shares_memory():
    data = Data([discrete(), discrete("Y"), continuous()], weights=[1, 2, 3, 4])
    part = data.select(["Z", "X"])
    assert part.names == ("Z", "X")
    assert part.n == data.n
    assert np.shares_memory(part.column("X"), data.column("X"))


def test_select_explains_mistakes():
    data = Data([discrete("smoker"), discrete("age")])
    with pytest.raises(InputError, match="no column 'smokr': did you mean 'smoker'"):
        data.select(["smokr"])
    with pytest.raises(InputError, match=r"select\(\['age'\]\)"):
        data.select("age")
    with pytest.raises(InputError, match="occurs twice"):
        data.select(["age", "age"])


def test_rows_takes_positions_masks_and_slices():
    data = Data([discrete(codes=[0, 1, 1, 0])], weights=[1, 2, 3, 4])
    assert data.rows([2, 0]).column("X").tolist() == [1, 0]
    assert data.rows([2, 0]).weights.tolist() == [3, 1]
    assert data.rows(np.array([True, False, False, True])) == data.rows([0, 3])
    assert np.shares_memory(data.rows(slice(1, 3)).column("X"), data.column("X"))
    assert data.rows([]).nrows == 0


@pytest.mark.parametrize(
    ("which", "message"),
    [
        ([4], "no row 4; rows are counted from 0 to 3"),
        ([-1], "no row -1"),
        ([True], "mask has 1 entries for 4 rows"),
        ([0.5], "integers or a mask, not float64"),
        (2, "list of positions"),
    ],
)
def test_rows_explains_mistakes(which, message):
    with pytest.raises(InputError, match=message):
        Data([discrete()]).rows(which)


def test_groups_become_data_sets_with_the_same_states():
    data = Data([discrete()], weights=[1, 2, 3, 4], group=np.array([0, 1, 1, 0]), groups=("n", "s", "unobserved"))
    parts = data.by_group()
    assert list(parts) == ["n", "s"]
    assert parts["s"].states == data.states
    assert parts["s"].weights.tolist() == [2, 3]
    assert parts["s"].group is None
    with pytest.raises(InputError, match="no groups: name the column"):
        parts["s"].by_group()


@given(tables(grouped=True))
def test_groups_partition_the_observations(data):
    assert sum(part.n for part in data.by_group().values()) == data.n


@given(tables(), st.integers(0, 100), st.data())
def test_a_subsample_has_the_size_asked_for_and_depends_on_the_seed_alone(data, seed, draw):
    n = draw.draw(st.integers(1, data.n))
    part = data.subsample(n, seed)
    assert part.n == n
    assert part == data.subsample(n, seed)
    assert part.states == data.states
    assert part.notes[-1] == f"subsample of {n} of {data.n} observations (seed {seed})"


@given(tables(weighted=True), st.integers(0, 100), st.data())
def test_a_weighted_row_is_sampled_like_repeated_rows(data, seed, draw):
    n = draw.draw(st.integers(1, data.n))
    assert expanded(data.subsample(n, seed)) == expanded(data).subsample(n, seed)


@given(tables())
def test_a_subsample_of_all_keeps_every_observation_in_order(data):
    whole = data.subsample(data.n, seed=1)
    assert whole == (data if data.weights is None else data.rows(data.weights > 0))


def test_subsamples_are_without_replacement_and_spread_evenly():
    data = Data([Column.discrete("X", np.arange(10), map(str, range(10)))])
    counts = sum(np.bincount(data.subsample(3, seed).column("X"), minlength=10) for seed in range(1000))
    assert counts.sum() == 3000
    assert np.all(abs(counts - 300) < 75)  # five standard deviations
    assert len(set(data.subsample(9, 1).column("X").tolist())) == 9


@given(tables(), st.integers(0, 100), st.data())
def test_folds_partition_the_observations(data, seed, draw):
    k = draw.draw(st.integers(2, min(5, data.n))) if data.n > 1 else None
    if k is None:
        return
    pairs = data.folds(k, seed)
    assert len(pairs) == k
    assert sum(test.n for _, test in pairs) == data.n
    assert max(test.n for _, test in pairs) - min(test.n for _, test in pairs) <= 1
    assert all(train.n + test.n == data.n for train, test in pairs)


def test_every_observation_is_tested_once_and_not_trained_on_then():
    data = Data([Column.discrete("X", np.arange(11), map(str, range(11)))])
    tested = []
    for train, test in data.folds(3, seed=4):
        assert not set(train.column("X")) & set(test.column("X"))
        tested += test.column("X").tolist()
    assert sorted(tested) == list(range(11))


@given(tables(weighted=True), st.integers(0, 100))
def test_weighted_folds_are_those_of_repeated_rows(data, seed):
    for (train, test), (slow_train, slow_test) in zip(data.folds(2, seed), expanded(data).folds(2, seed), strict=True):
        assert (expanded(train), expanded(test)) == (slow_train, slow_test)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: d.subsample(5, 0), r"n=5\): n must be between 1 and the number of observations, 4"),
        (lambda d: d.subsample(0, 0), "n=0"),
        (lambda d: d.subsample(1.5, 0), r"n=1\.5"),
        (lambda d: d.subsample(1, -1), "seed=-1 must be an integer of at least 0"),
        (lambda d: d.subsample(1, "a"), "seed='a'"),
        (lambda d: d.folds(5, 0), "k must be between 2 and the number of observations, 4"),
        (lambda d: d.folds(1, 0), "k=1"),
    ],
)
def test_sampling_explains_mistakes(call, message):
    with pytest.raises(InputError, match=message):
        call(Data([discrete()]))


# --- discretization -------------------------------------------------------------------------------------------------


def test_quantile_bins_have_equal_counts():
    data = numbers(np.arange(1.0, 10.0)).discretize(bins=3)
    assert data.states["Z"] == ("<=3", "(3,6]", ">6")
    assert data.column("Z").tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert data.notes == ("discretized 'Z' by quantile at 3.0, 6.0",)


def test_interval_bins_have_equal_widths_and_may_be_empty():
    data = numbers([0.0, 1.0, 9.0]).discretize(bins=3, method="interval")
    assert data.states["Z"] == ("<=3", "(3,6]", ">6")
    assert data.column("Z").tolist() == [0, 0, 2]


def test_ties_in_quantiles_merge_bins_and_are_noted():
    data = numbers([1.0, 1, 1, 1, 1, 2]).discretize(bins=3)
    assert data.states["Z"] == ("<=1", ">1")
    assert data.notes == ("discretized 'Z' by quantile at 1.0 (2 bins and not 3, because of ties)",)


@pytest.mark.parametrize("method", ["quantile", "interval"])
def test_a_constant_column_becomes_one_state(method):
    data = numbers([2.5, 2.5]).discretize(method=method)
    assert data.states["Z"] == ("2.5",)
    assert "constant" in data.notes[0]


def test_close_edges_get_labels_that_differ():
    data = numbers([1.0, 1.0000001, 1.0000002]).discretize(bins=3)
    assert data.states["Z"] == ("<=1", "(1,1.0000001]", ">1.0000001")


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


@given(tables(weighted=True), st.integers(2, 4), st.sampled_from(["quantile", "interval"]))
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
        ({"method": "kmeans"}, "method='kmeans' must be 'quantile' or 'interval'"),
        ({"columns": ["X"]}, "'X' is discrete already"),
        ({"columns": ["W"]}, "no column 'W'"),
        ({"columns": "Z"}, r"must be a list of names: \['Z'\]"),
    ],
)
def test_discretize_explains_mistakes(arguments, message):
    with pytest.raises(InputError, match=message):
        Data([continuous(), discrete()]).discretize(**arguments)


# --- description ----------------------------------------------------------------------------------------------------


def test_describe_is_an_aligned_table_with_the_notes():
    data = Data([discrete("smoker", states=("no", "yes", "unknown")), continuous()], notes=("dropped 2 rows",))
    assert str(data.describe()).splitlines() == [
        "<Data: 4 observations of 2 mixed variables>",
        "name    kind        states          commonest or range            rule",
        "smoker  discrete    3 (2 observed)  no 50.0%                      given",
        "Z       continuous                  mean 2, sd 1.291, 0.5 to 3.5  given",
        "note: dropped 2 rows",
    ]


def test_describe_counts_observations_and_not_rows():
    data = Data([discrete(), continuous()], weights=[1, 5, 0, 2])
    states, values = data.describe().rows
    assert (states["commonest"], states["share"]) == ("yes", 5 / 8)
    repeated = [0.5] + [1.5] * 5 + [3.5] * 2
    assert values["mean"] == pytest.approx(np.mean(repeated))
    assert values["sd"] == pytest.approx(np.std(repeated, ddof=1))
    assert (values["min"], values["max"]) == (0.5, 3.5)


def test_the_html_form_is_short_and_escaped():
    page = Data([discrete(f"<b{j}>") for j in range(30)])._repr_html_()
    assert "&lt;b0&gt;" in page
    assert "<b0>" not in page
    assert "and 10 more variables" in page


# --- out and back ---------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::veridag.data.DataWarning")
@given(tables())
def test_pandas_and_back_changes_nothing(data):
    assert read_back(data.to_pandas(weights="(weight)", group="(group)"), data) == data


@pytest.mark.filterwarnings("ignore::veridag.data.DataWarning")
@given(tables())
def test_polars_and_back_changes_nothing(data):
    frame = data.to_polars(weights="(weight)", group="(group)")
    assert read_back(frame, data) == data
    assert read_back(frame.to_arrow(), data) == data


def test_frames_have_weights_and_group_as_columns():
    data = Data([discrete()], weights=[1, 2, 3, 4], group=np.array([0, 1, 1, 0]), groups=("n", "s"))
    frame = data.to_pandas()
    assert list(frame.columns) == ["X", "group", "weight"]
    assert frame["weight"].dtype == np.int64
    assert isinstance(frame["X"].dtype, pd.CategoricalDtype)
    assert data.to_polars(weights="w").schema["X"] == pl.Enum(["no", "yes"])
    clash = Data([discrete("weight")], weights=[1, 2, 3, 4])
    with pytest.raises(InputError, match="weights='weight' is a variable too"):
        clash.to_polars()
    assert clash.to_polars(weights="w").columns == ["weight", "w"]
    with pytest.raises(InputError, match="group= and weights= are both 'w': pass two names"):
        data.to_pandas(weights="w", group="w")
    with pytest.raises(InputError, match="weights=5 must be a name"):
        data.to_polars(weights=5)


# --- files ----------------------------------------------------------------------------------------------------------

TEXT = [".csv", ".csv.gz", ".tsv", ".tsv.gz"]
BINARY = [".parquet", ".arrow"]


def reread(data: Data, suffix: str, declare: bool) -> Data:
    """What reading gives of the data that was written; text needs to be told about states and kinds."""
    names = {
        "group": "(group)" if data.group is not None else None,
        "weights": "(weight)" if data.weights is not None else None,
    }
    states = {**data.states, **({"(group)": data.groups} if data.groups else {})}
    kinds = {name: kind for name, kind in data.kinds.items() if kind == "continuous"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"table{suffix}")
        data.write(path, weights="(weight)", group="(group)")
        return read(path, **names, **({"states": states, "kinds": kinds} if declare else {}))


@pytest.mark.filterwarnings("ignore::veridag.data.DataWarning")
@given(tables(), st.sampled_from(BINARY))
def test_binary_files_give_the_same_data_back(data, suffix):
    assert reread(data, suffix, declare=False) == data


@pytest.mark.filterwarnings("ignore::veridag.data.DataWarning")
@given(tables(), st.sampled_from(TEXT))
def test_text_files_give_the_same_data_back_if_the_states_are_declared(data, suffix):
    assert reread(data, suffix, declare=True) == data


@pytest.mark.filterwarnings("ignore::veridag.data.DataWarning")
@pytest.mark.parametrize("suffix", TEXT + BINARY)
@pytest.mark.parametrize("odd", ["^a.*$", "a,b", "a\tb", 'a"b', "a\nb", "a\rb", "\ufeffa", " a ", "*", "ä", ""])
def test_odd_names_and_states_survive_being_written(suffix, odd):
    data = Data([discrete(odd or "X", states=(odd, "b")), discrete("c", codes=(0, 0, 0, 0), states=("NA", odd))])
    assert reread(data, suffix, declare=suffix in TEXT) == data


def test_text_files_hold_names_of_states_and_the_extra_columns(tmp_path):
    data = Data([discrete(), continuous()], weights=[1, 2, 3, 4], group=np.array([0, 1, 1, 0]), groups=("n", "s"))
    data.write(tmp_path / "t.csv")
    lines = "X,Z,group,weight\nno,0.5,n,1\nyes,1.5,s,2\nyes,2.5,s,3\nno,3.5,n,4\n"
    assert (tmp_path / "t.csv").read_bytes() == lines.encode()
    data.write(str(tmp_path / "T.TSV.GZ"))
    assert gzip.decompress((tmp_path / "T.TSV.GZ").read_bytes()) == lines.replace(",", "\t").encode()


def test_unobserved_states_stay_in_binary_files_only(tmp_path):
    data = Data([discrete(states=("no", "yes", "unknown"))])
    for suffix in (".parquet", ".arrow"):
        data.write(tmp_path / f"t{suffix}")
        assert read(tmp_path / f"t{suffix}").states["X"] == ("no", "yes", "unknown")
    data.write(tmp_path / "t.csv")
    assert read(tmp_path / "t.csv").states["X"] == ("no", "yes")


def test_compressed_files_do_not_depend_on_time_or_name(tmp_path, monkeypatch):
    data = Data([discrete()])
    data.write(tmp_path / "a.csv.gz")
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    data.write(tmp_path / "b.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_rows_are_written_in_order_across_chunks(monkeypatch):
    whole, parts = io.BytesIO(), io.BytesIO()
    data = Data([discrete(codes=[0, 1, 1, 0, 1, 0, 0]), continuous(values=range(7))])
    data.write(whole)
    monkeypatch.setattr("veridag.data.reading.files.CHUNK", 3)
    data.write(parts)
    assert parts.getvalue() == whole.getvalue()
    assert whole.getvalue().count(b"\n") == 8
    parts = io.BytesIO()
    data.rows([]).write(parts)
    assert parts.getvalue() == b"X,Z\n"


def test_a_million_rows_go_into_a_stream():
    codes = np.arange(1_000_000) % 3 == 0
    stream = io.BytesIO()
    Data([Column.discrete("X", codes.astype(np.uint8), ("no", "yes"))]).write(stream)
    lines = stream.getvalue().splitlines()
    assert lines[:4] == [b"X", b"yes", b"no", b"no"]
    assert len(lines) == 1_000_001


@pytest.mark.parametrize("rows", [1, 1_000_000])
def test_a_closed_pipe_is_a_broken_pipe_error(rows):
    data = Data([Column.discrete("X", np.zeros(rows, dtype=np.uint8), ("no", "yes"))])
    reader, writer = os.pipe()
    os.close(reader)
    stream = os.fdopen(writer, "wb")
    with pytest.raises(BrokenPipeError):
        data.write(stream)
    with contextlib.suppress(BrokenPipeError):  # closing tries to write what is left
        stream.close()


def test_writing_explains_mistakes(tmp_path):
    data = Data([discrete()])
    with pytest.raises(InputError, match=r"one of \.csv, \.csv\.gz, \.tsv, \.tsv\.gz, \.parquet, \.arrow"):
        data.write(tmp_path / "t.docx")
    with pytest.raises(InputError, match=r"takes text: .*sys\.stdout\.buffer"):
        data.write(io.StringIO())
    with pytest.raises(InputError, match="group='group' is a variable too"):
        Data([discrete("group")], group=np.zeros(4, dtype=np.uint8), groups=("n",)).write(tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", TEXT + BINARY)
def test_a_place_that_cannot_be_written_to_is_the_systems_error(tmp_path, suffix):
    data = Data([discrete()])
    with pytest.raises(FileNotFoundError):
        data.write(tmp_path / "nowhere" / f"t{suffix}")
    (tmp_path / f"t{suffix}").mkdir()
    with pytest.raises(IsADirectoryError):
        data.write(tmp_path / f"t{suffix}")


@pytest.mark.parametrize("weights", [np.array([1, 2, 0, 4]), [1, 2, 0, 4], np.array([1.0, 2.0, 0.0, 4.0])])
def test_weights_may_be_an_array_beside_the_frame(weights):
    frame = pl.DataFrame({"X": ["a", "b", "a", "b"]})
    for table in (frame, frame.to_pandas(), frame.to_arrow()):
        assert Data.from_frame(table, weights=weights).weights.tolist() == [1, 2, 0, 4]
    assert Data.from_numpy(np.array([[0], [1], [0], [1]]), weights=weights).n == 7


@given(tables(), st.randoms(use_true_random=False))
def test_permuting_rows_of_a_frame_permutes_the_data(data, random):
    order = list(range(data.nrows))
    random.shuffle(order)
    assert data.rows(order).rows(np.argsort(order)) == data
    assert data.rows(order).to_polars().equals(data.to_polars()[order])


def test_warnings_point_at_the_caller():
    with pytest.warns(DataWarning, match="constant") as caught:
        Data.from_numpy(np.array([[1, 0], [1, 1]]))
    assert caught[0].filename == __file__


FIELDS = st.one_of(
    st.integers(-3, 3).map(str),
    st.sampled_from(["01", "+1", "-0", "1.5", "1e3", ".5", "nan", "NA", "", "?", "yes", " no", "é", "2147483648"]),
)


@given(
    st.integers(2, 4).flatmap(
        lambda width: st.lists(st.lists(FIELDS, min_size=width, max_size=width), min_size=1, max_size=12)
    ),
    st.sampled_from(["\n", "\r\n"]),
)
def test_small_files_are_split_as_polars_reads_large_ones(rows, newline):
    lines = [[f"c{j}" for j in range(len(rows[0]))], *rows]
    text = newline.join(map(",".join, lines)) + newline

    def outcome(small):
        with (
            pytest.MonkeyPatch.context() as patch,
            tempfile.TemporaryDirectory() as folder,
            warnings.catch_warnings(record=True) as said,
        ):
            warnings.simplefilter("always")
            patch.setattr("veridag.data.reading.delimited._SMALL", small)
            path = Path(folder, "table.csv")
            path.write_bytes(text.encode())
            try:
                found = read(path)
            except InputError as error:
                found = str(error).replace(folder, "")
            return found, [str(warning.message).replace(folder, "") for warning in said]

    assert outcome(1 << 21) == outcome(0)
