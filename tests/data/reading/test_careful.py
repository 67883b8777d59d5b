"""Tables as people have them: what is done with each, and what is said about it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.messy import TEXTS, content
from veridag.data import Data, TableSettings, inspect, read
from veridag.data.reading.careful.numerals import undressed
from veridag.data.reading.careful.signs import codes_among, names_identifier
from veridag.data.reading.dates import are_dates
from veridag.errors import InputError, speaking_flags

PRINTED = json.loads(Path(__file__).with_name("printed.json").read_text("utf-8"))


def careful(name: str, **settings) -> Data:
    return read(io.BytesIO(content(name)), strict=False, **settings)


def column(values, **settings) -> Data:
    return Data.from_frame(pl.DataFrame({"X": values}), strict=False, **settings)


@pytest.mark.parametrize("name", TEXTS)
def test_a_messy_file_is_read_and_what_was_done_is_said(name):
    with speaking_flags():
        data = careful(name)
    assert [f"{data.n} rows of {', '.join(data.names)}", *data.notes] == PRINTED[name]


def test_there_are_files_for_every_defect():
    assert len(TEXTS) >= 40
    assert PRINTED.keys() == TEXTS.keys()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("decimal-comma", "weight"),
        ("decimal-comma-quoted", "weight"),
    ],
)
def test_numbers_in_other_styles_have_their_value(name, values):
    plain = careful("many-integers").column(values)
    np.testing.assert_array_equal(careful(name).column(values), plain)


@pytest.mark.parametrize(
    ("labels", "decimal", "plain"),
    [
        (["3,14", "2,5"], None, ["3.14", "2.5"]),
        (["1,234", "12"], None, ["1234", "12"]),
        (["1,234", "12"], ",", ["1.234", "12"]),
        (["1.234,5", "0,5"], None, ["1234.5", "0.5"]),
        (["1 234", "1 234 567"], None, ["1234", "1234567"]),
        (["1'234.50", "3"], None, ["1234.50", "3"]),
        (["45%", "7.5 %"], None, ["45", "7.5"]),
        (["$5", "-$7.25"], None, ["5", "-7.25"]),
        (["5 €", "EUR 6"], None, ["5", "6"]),
        (["+3", "-4"], None, ["3", "-4"]),
        (["1,23,456"], None, None),
        (["12,34", "1.234"], None, ["12.34", "1234"]),
        (["001", "002"], None, None),
        (["a1"], None, None),
        ([], None, None),
    ],
)
def test_numbers_as_people_write_them(labels, decimal, plain):
    found = undressed(labels, decimal)
    assert (None if found is None else found[0]) == plain


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=20))
def test_thousands_separated_by_any_mark_are_the_same_integers(numbers):
    for mark in ",' ":
        found = undressed([f"{number:,}".replace(",", mark) for number in numbers])
        assert found is not None
        assert [int(plain) for plain in found[0]] == numbers


@pytest.mark.parametrize(
    "label",
    [
        "2024-01-31",
        "31.01.2024",
        "1/31/24",
        "2024/1/31",
        "31 Jan 2024",
        "Jan 31, 2024",
        "12:30",
        "2024-01-31 12:30:05.5",
    ],
)
def test_dates_are_seen(label):
    assert are_dates([label])


@pytest.mark.parametrize("label", ["3.14", "2024", "1-2", "A-12-B", "12", "1/2", "10:1", "mar", "may be"])
def test_other_texts_are_no_dates(label):
    assert not are_dates([label])


@pytest.mark.parametrize("name", ["id", "ID", "patient_id", "PatientID", "row", "Unnamed: 0 index", "case no"])
def test_names_of_identifiers(name):
    assert names_identifier(name)


@pytest.mark.parametrize("name", ["acid", "width", "idea", "arrow", "notes", "income", "grid"])
def test_names_that_only_contain_such_letters(name):
    assert not names_identifier(name)


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([20, 30, 40, -99], [-99]),
        ([20, 30, 85, 99], []),  # an age
        ([20, 30, 85, 999], [999]),
        ([-20.0, 30, -99, 15], []),  # numbers below zero are usual here
        ([1, 2, 3, -9], [-9]),
        ([-99.0, np.nan, 5.0], []),  # one other value tells nothing
    ],
)
def test_codes_lie_far_outside_the_other_numbers(values, codes):
    assert codes_among(np.array(values, dtype=float)) == codes


def test_integers_are_continuous_if_there_are_many_and_states_if_there_are_few():
    many = column([i % 30 for i in range(600)])
    few = column([i % 15 for i in range(600)])
    assert many.kind == "continuous"
    assert few.kind == "discrete"
    with pytest.raises(InputError, match="looks continuous"):
        Data.from_frame(pl.DataFrame({"X": [i % 70 for i in range(600)]}))


def test_what_is_said_rules_over_what_is_found():
    assert careful("identifier", kinds={"patient": "discrete"}).arities["patient"] == 24
    assert careful("stray-blanks", as_written=["drug"]).states["drug"] == (" statin", "aspirin", "statin", "statin ")
    assert careful("none-is-a-value", missing_values=["None"]).states["drug"][-1] == "missing"
    assert careful("code-minus-99", as_written=["age"]).column("age").min() == -99
    assert careful("missing-number", missing="drop").n == 23
    with pytest.raises(InputError, match="values are missing"):
        careful("missing-number", missing="error")
    assert careful("constant", states={"grade": ["low", "mid", "high"]}).states["grade"] == ("low", "mid", "high")
    assert careful("quotes", columns=["drug", "sex"]).names == ("sex", "drug")
    assert careful("identifier", drop=["patient"]).notes == ()
    assert "drug" not in careful("quotes", drop=["drug"]).names


def test_declared_states_are_taken_by_the_letter():
    with pytest.raises(InputError, match="not among its declared states"):
        careful("stray-blanks", states={"drug": ["aspirin", "statin"]})


def test_dates_and_lists_of_a_frame_are_left_out():
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 12), eager=True)
    frame = pl.DataFrame({"day": days, "list": [[1]] * 12, "X": ["a", "b"] * 6})
    data = Data.from_frame(frame, strict=False)
    assert data.names == ("X",)
    assert "'day' (date or time, Date)" in data.notes[0]
    with pytest.raises(InputError, match="column 'day' holds Date"):
        Data.from_frame(frame)


def test_rows_and_decimal_marks_work_when_strict():
    text = b"a;b\n1,5;x\n2,5;y\n3,5;x\n"
    data = read(io.BytesIO(text), separator=";", decimal=",", columns=["a"], rows=2)
    assert data.column("a").tolist() == [1.5, 2.5]
    assert data.notes == ("2 of 3 rows are used (rows=)",)
    assert read(io.BytesIO(text), separator=";", columns=["b"], rows=(1, 3)).states["b"] == ("x", "y")
    with pytest.raises(InputError, match="rows=-1"):
        read(io.BytesIO(text), separator=";", rows=-1)


def test_rare_states_are_merged_if_asked():
    data = column(["a"] * 9 + ["b"] * 5 + ["c", "d"], merge_rare={"X": 3})
    assert data.states["X"] == ("a", "b", "other")
    assert data.notes == ("merged 2 states of 'X' with fewer than 3 observations into 'other'",)
    assert column(["a"] * 9 + ["b"], merge_rare={"X": 3}).states["X"] == ("a", "b")
    with pytest.raises(InputError, match="merge_rare= names the column 'Y'"):
        column(["a", "b"], merge_rare={"Y": 3})


def test_skewed_columns_can_be_taken_on_another_scale():
    values = [1.5, 2.5, 4.25, 80.5]
    logs = column(values, transform={"X": "log"})
    np.testing.assert_allclose(logs.column("X"), np.log(values))
    ranks = column([5.5, 1.5, 1.5, 9.5], transform={"X": "rank"}).column("X")
    assert ranks[1] == ranks[2]
    assert ranks[1] < ranks[0] < ranks[3]
    with pytest.raises(InputError, match=r"positive values, and the smallest is -1: use transform=\{'X': 'rank'\}"):
        column([-1.0, 2.5], transform={"X": "log"})


def test_an_inspection_finds_everything_at_once():
    found = inspect(io.BytesIO(content("duplicate"))).findings
    assert [(f.column, f.problem) for f in found] == [("gender", "duplicate")]
    found = inspect(io.BytesIO(content("constant"))).findings
    assert [(f.column, f.problem) for f in found] == [("country", "constant")]
    found = inspect(io.BytesIO(content("many-states"))).findings
    assert ("city", "many states") in [(f.column, f.problem) for f in found]
    found = inspect(io.BytesIO(content("code-among-states"))).findings
    assert [(f.column, f.problem, f.done) for f in found] == [("children", "codes among numbers", "")]


def test_skewed_and_nearly_equal_columns_are_found():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    frame = pl.DataFrame({"x": x, "y": x + 0.001 * rng.normal(size=300), "z": np.exp(2 * rng.normal(size=300))})
    buffer = io.BytesIO()
    frame.write_csv(buffer)
    buffer.seek(0)
    inspection = inspect(buffer)
    assert [(f.column, f.problem, f.change) for f in inspection.findings] == [
        ("y", "near-duplicate", "drop=['y']"),
        ("z", "skewed", "transform={'z': 'log'}"),
    ]
    assert json.loads(inspection.to_json())["findings"][1]["problem"] == "skewed"
    assert "near-duplicate" in str(inspection)
    assert "<td>y</td>" in inspection._repr_html_()


def test_settings_are_kept_beside_the_table(tmp_path):
    table = tmp_path / "cases.csv"
    table.write_bytes(content("identifier"))
    settings = TableSettings(drop=("patient",), kinds={"grade": "discrete"}, rows=(0, 20), missing_values=("-",))
    settings.write(tmp_path / "cases.toml")
    assert TableSettings.load(tmp_path / "cases.toml") == TableSettings(
        drop=["patient"], kinds={"grade": "discrete"}, rows=(0, 20), missing_values=["-"]
    )
    data = read(table)
    assert data.names == ("sex", "smoker", "grade")
    assert data.notes[0] == "settings from cases.toml, beside the table"
    assert read(table, rows=10).n == 10  # an argument rules over what is kept


def test_another_toml_file_beside_the_table_is_left_alone(tmp_path):
    (tmp_path / "cases.csv").write_bytes(content("clean"))
    (tmp_path / "cases.toml").write_text('[study]\nname = "x"\n')
    assert read(tmp_path / "cases.csv").notes == ()
    (tmp_path / "cases.toml").write_text('[reading]\ndorp = ["sex"]\n')
    with pytest.raises(InputError, match="there is no setting 'dorp': did you mean 'drop'"):
        read(tmp_path / "cases.csv")


@given(st.permutations(range(24)))
def test_the_order_of_rows_changes_nothing_that_is_said(order):
    lines = content("stray-cases").decode().splitlines(keepends=True)
    shuffled = "".join([lines[0], *(lines[1 + i] for i in order)]).encode()
    assert read(io.BytesIO(shuffled), strict=False).notes == careful("stray-cases").notes


def test_very_many_columns_fit_a_screen():
    frame = pl.DataFrame({f"v{j}": ["a", "b"] * 10 for j in range(300)})
    buffer = io.BytesIO()
    frame.write_csv(buffer)
    buffer.seek(0)
    text = str(inspect(buffer))
    assert len(text.splitlines()) < 50
    assert "and 260 more columns, of 300 discrete in all" in text
    assert "duplicate: 'v1', 'v2', 'v3', 'v4', 'v5' and 294 more (proposed: drop=['v1'])" in text
