from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.data import continuous, data_sets, discrete
from veridag.data import Column, Data, read
from veridag.errors import InputError


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
        (lambda: Data([discrete()], group=np.zeros(4, dtype=int)), "must be given together"),
        (lambda: Data([discrete()], group=np.zeros(3, dtype=int), groups=("a",)), "3 entries for 4 rows"),
        (lambda: Data([discrete()]).column("x"), "no column 'x': choose from 'X'"),
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


@given(data_sets())
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


# --- parts -----------------------------------------------------------------------------------------------------------


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


@given(data_sets(grouped=True))
def test_groups_partition_the_observations(data):
    assert sum(part.n for part in data.by_group().values()) == data.n


@given(data_sets(), st.randoms(use_true_random=False))
def test_permuting_rows_of_a_frame_permutes_the_data(data, random):
    order = list(range(data.nrows))
    random.shuffle(order)
    assert data.rows(order).rows(np.argsort(order)) == data
    assert data.rows(order).to_polars().equals(data.to_polars()[order])
