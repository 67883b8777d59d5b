"""Rows that are marked with what was set in them."""

from __future__ import annotations

import io
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import veridag as vd
from strategies.data import csv
from veridag import InputError
from veridag.data import Column, Data, DataWarning
from veridag.data.settings import TableSettings

CSV = "A,B,C,did\n0,0,0,\n1,1,0,B\n0,1,1,A;C\n1,0,1,none\n"
ROWS = [(), ("B",), ("A", "C"), ()]


def frame() -> pd.DataFrame:
    return pd.DataFrame({"A": list("0101"), "B": list("0110"), "C": list("0011"), "did": [None, "B", "A;C", "none"]})


def small() -> Data:
    return csv(CSV, targets="did")


def test_a_column_names_what_was_set():
    data = small()
    assert list(data.targets) == ROWS
    assert data.names == ("A", "B", "C")
    assert data.targets.sets == ((), ("A", "C"), ("B",))
    assert data.targets.names == ("A", "B", "C")
    assert data.target_sets == (("A", "C"), ("B",))
    assert data.targets[1] == ("B",)
    assert data.targets[2:] == ROWS[2:]
    assert len(data.targets) == 4
    assert any("'A' and 'C' in 1" in note for note in data.notes)
    assert "something set in 2 rows" in repr(data)
    assert repr(data.targets) == "<Targets: 'A', 'B', 'C' set in 2 of 4 rows>"


@pytest.mark.parametrize("strict", [True, False])
def test_a_frame_and_a_file_give_the_same(strict):
    rows = frame()
    data = Data.from_frame(rows, targets="did", strict=strict)
    assert list(data.targets) == ROWS
    stream = io.BytesIO(rows.to_csv(index=False).encode())
    assert vd.read(stream, targets="did", strict=strict).targets == data.targets


@pytest.mark.parametrize("text", ["A+C", "C;A", " A ; C ", "A+C;A"])
def test_several_names_are_separated_by_a_semicolon_or_a_plus(text):
    data = csv(f"A,B,C,did\n0,0,1,{text}\n1,1,0,None\n", targets="did")
    assert list(data.targets) == [("A", "C"), ()]


def test_a_name_that_has_a_separator_in_it_is_a_name():
    data = Data.from_frame({"A+B": ["0", "1"], "B": ["0", "1"], "did": ["A+B", ""]}, targets="did")
    assert list(data.targets) == [("A+B",), ()]


def test_a_list_says_what_was_set_in_each_row():
    table = frame().drop(columns="did")
    series = pd.Series([None, "B", pd.NA, ""])
    for given in (
        series,
        ROWS,
        [None, "B", ["C", "A"], ""],
        [np.nan, "B", ("A", "C"), None],
        np.array(["", "B", "", ""]),
    ):
        data = Data.from_frame(table, targets=given)
        assert data.targets[1] == ("B",)
    assert list(Data.from_frame(table, targets=[None, "B", ["C", "A"], ""]).targets) == ROWS
    assert list(Data.from_numpy(np.eye(3, dtype=int), targets=["X1", None, None]).targets) == [("X1",), (), ()]


def test_conditions_say_what_was_set_in_each():
    table = frame().assign(did=["control", "drug", "both", "control"])
    meaning = {"control": [], "drug": "B", "both": ["A", "C"]}
    data = Data.from_frame(table, targets={"did": meaning})
    assert (list(data.targets), data.group, data.names) == (ROWS, None, ("A", "B", "C"))
    grouped = Data.from_frame(table, group="did", targets=meaning)
    assert (list(grouped.targets), grouped.groups) == (ROWS, ("both", "control", "drug"))
    numbers = Data.from_frame(table.assign(did=[0, 1, 2, 0]), targets={"did": {0: None, 1: "B", 2: ["A", "C"]}})
    assert list(numbers.targets) == ROWS


def test_data_in_which_nothing_was_set_has_no_targets():
    assert csv("A,B,did\n0,1,\n1,0,none\n", targets="did").targets is None
    assert small().rows([0, 3]).targets is None
    assert Data.from_frame({"A": ["0", "1"]}, targets=[None, ()]).targets is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"targets": "dif"}, "targets= names the column 'dif', which does not exist: did you mean 'did'"),
        ({"targets": ["B"]}, "targets= has 1 entries for 4 rows"),
        ({"targets": ["B", "D", None, None]}, "targets= names 'D', which is not a variable"),
        ({"targets": [1, None, None, None]}, "targets= has the entry 1: give the name"),
        ({"targets": 3}, "targets=3 must be the name of a column, a list with one entry for each row, or a dictionary"),
        ({"targets": {"x": "A", "y": "B"}}, "name the column of these conditions.*or in group="),
        ({"targets": {"did": {"B": "B"}}}, "does not declare what was set where 'did' is 'A;C': add 'A;C': \\[\\]"),
        ({"targets": {"did": {"B": "B", "x": []}}}, "names the condition 'x', which is not a value of column 'did'"),
        ({"targets": "did", "weights": "did"}, "cannot be both targets= and weights="),
    ],
)
def test_mistakes_are_named_with_a_remedy(given, said):
    with pytest.raises(vd.InputError, match=said):
        Data.from_frame(frame(), missing="keep", **given)


def test_a_field_that_names_no_column_has_a_suggestion():
    said = r"'did'.*'alfa'.*not a column of the table: did you mean 'alpha'\?.*condition"
    with pytest.raises(vd.InputError, match=said):
        csv("alpha,B,did\n0,1,alfa\n1,0,\n", targets="did")


def test_a_variable_that_is_left_out_is_no_target_and_a_note_says_so():
    data = csv(CSV, targets="did", drop=["B"])
    assert list(data.targets) == [(), (), ("A", "C"), ()]
    assert any("'B' was set in some rows and is left out" in note for note in data.notes)
    part = small().select(["C", "A"])
    assert list(part.targets) == [(), (), ("A", "C"), ()]
    assert any("'B' was set in some rows and is left out" in note for note in part.notes)
    assert small().select(["C", "B", "A"]).notes == small().notes


def test_rows_that_are_dropped_take_their_targets_along():
    data = csv("A,B,did\n0,1,B\n,0,A\n1,0,\n", targets="did", missing="drop")
    assert list(data.targets) == [("B",), ()]
    assert csv("A,B,did\n0,1,B\n,0,A\n1,0,\n", targets="did", missing="keep").targets[1] == ("A",)


def big(n: int = 60) -> Data:
    rng = np.random.default_rng(3)
    columns = [Column.discrete(v, rng.integers(0, 2, n).astype(np.uint8), ("0", "1")) for v in "AB"]
    # The row number, by which rows are known again.
    columns.append(Column.continuous("row", np.arange(n, dtype=float)))
    targets = [[(), ("A",), ("A", "B")][k] for k in rng.integers(0, 3, n)]
    return Data(columns, rng.integers(1, 4, n), rng.integers(0, 2, n), ("x", "y"), targets=targets)


def belongs(part: Data, whole: Data) -> bool:
    rows = part.column("row").astype(int)
    return [part.targets[i] for i in range(part.nrows)] == [whole.targets[k] for k in rows]


def test_targets_stay_with_their_rows():
    data = big()
    parts = [data.rows([5, 3, 3, 40]), data.rows(data.column("A") == 0), data.rows(slice(10, 30))]
    parts += [data.resample(1), data.subsample(30, 2), *data.by_group().values()]
    parts += [own for pair in data.folds(3, 1) for own in pair]
    parts += [data.select(["row", "B", "A"]), data.in_data_order(), data.complete_cases()]
    parts += [replace(data, weights=None).resample(1), replace(data, weights=None).subsample(20, 1)]
    for part in parts:
        assert belongs(part, data)
    assert pickle.loads(pickle.dumps(data)) == data
    assert pickle.loads(pickle.dumps(data)).targets == data.targets
    assert replace(data, targets=None) != data


def test_a_bootstrap_sample_has_as_many_rows_of_each_experiment():
    data = replace(big(), weights=None)
    drawn = data.resample(7)
    assert drawn.targets.counted() == data.targets.counted()


def test_rows_in_which_nothing_of_interest_was_set():
    data = big()
    part = data.not_set("B")
    assert part.targets is None
    assert part.column("row").tolist() == [i for i in range(data.nrows) if "B" not in data.targets[i]]
    assert data.not_set("B") is part
    assert data.not_set(("A", "B")).nrows == sum(own == () for own in data.targets)
    assert data.not_set("row").nrows == data.nrows
    observed = replace(data, targets=None)
    assert observed.not_set("B") is observed


def test_rows_of_weight_zero_make_no_target_set():
    data = replace(small(), weights=np.array([1, 0, 2, 1]))
    assert data.target_sets == (("A", "C"),)
    assert data.targets.counted(data.weights) == {(): 2, ("A", "C"): 2, ("B",): 0}


def test_a_row_in_which_nothing_was_set_has_an_empty_field(tmp_path):
    data = Data.from_frame({"A": ["0", "1"], "B": ["0", "1"], "did": ["A", ""]}, targets="did")
    data.write(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "A,B,targets\n0,0,A\n1,1,\n"


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_table_that_is_written_is_read_back(tmp_path, suffix):
    data = small()
    data.write(tmp_path / f"t{suffix}")
    assert vd.read(tmp_path / f"t{suffix}", targets="targets").targets == data.targets
    assert data.to_pandas(targets="did")["did"].fillna("").tolist() == ["", "B", "A;C", ""]
    with pytest.raises(vd.InputError, match="targets='A' is also the name of a variable"):
        data.to_polars(targets="A")
    with pytest.raises(vd.InputError, match="weights= and targets= are both 'weight'"):
        replace(data, weights=[1, 1, 1, 1]).to_polars(targets="weight")


def test_settings_beside_a_table_hold_the_column_or_the_conditions(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(CSV.replace(",\n", ",-\n"))
    for given in ("did", {"did": {"-": [], "B": "B", "A;C": ["A", "C"], "none": []}}):
        if given == "did":
            table.write_text(CSV)
        else:
            table.write_text(CSV.replace(",\n", ",-\n"))
        TableSettings(targets=given).write(tmp_path / "t.toml")
        assert list(vd.read(table).targets) == ROWS


def test_constant_where_it_was_set_is_fine():
    with pytest.warns(DataWarning, match="constant"):
        csv("A,B,did\n0,1,B\n1,1,B\n", targets="did")
    data = csv("A,B,did\n0,1,B\n1,1,B\n1,0,\n", targets="did")
    assert data.constants == ()


def test_the_column_of_targets_is_not_offered_as_a_variable():
    table = {"A": ["0", "1"], "B": ["1", "0"], "setting": ["Q", ""]}
    with pytest.raises(
        InputError, match=r"names 'Q', which is not a column of the table: choose from 'A', 'B'\. If it is a"
    ):
        Data.from_frame(table, targets="setting")
