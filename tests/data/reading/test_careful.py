"""Tables as people have them: what is done with each, and what is said about it."""

from __future__ import annotations

import datetime
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
from veridag.data.reading.careful.numerals import limit_of, undressed
from veridag.data.reading.careful.signs import codes_among, names_identifier, possible_codes
from veridag.data.reading.careful.synonyms import mergers_of
from veridag.data.reading.dates import are_dates, as_days
from veridag.data.reading.raw import Levels
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
    assert careful("none-is-a-value", missing_values=["None"]).missing_counts["drug"] > 0
    assert careful("code-minus-99", as_written=["age"]).column("age").min() == -99
    assert careful("missing-number", missing="drop").n == 23
    with pytest.raises(InputError, match="values are missing"):
        careful("missing-number", missing="error")
    assert careful("constant", states={"grade": ["low", "mid", "high"]}).states["grade"] == ("low", "mid", "high")
    assert careful("quotes", columns=["drug", "sex"]).names == ("sex", "drug")
    assert careful("identifier", drop=["patient"]).notes == ()
    assert "drug" not in careful("quotes", drop=["drug"]).names


def test_values_are_cleaned_before_they_are_compared_with_declared_states():
    for name in ("stray-blanks", "stray-cases"):
        data = careful(name, states={"drug": ["statin", "aspirin"]})
        assert data.states["drug"] == ("statin", "aspirin")
        assert data.arities["drug"] == 2
        (note,) = data.notes
        assert note.startswith("used the declared states: 'drug' (values that almost match declared states, ")
    upper = careful("stray-cases", states={"drug": ["STATIN", "ASPIRIN"]})
    assert upper.column("drug").tolist() == [int(v == "aspirin") for v in _fields("stray-cases", "drug")]
    assert careful("codes-as-decimals", states={"stage": [1, 2, 3]}).states["stage"] == ("1", "2", "3")
    assert careful("marks-among-texts", states={"drug": ["aspirin", "statin"]}).missing_counts["drug"] == 3
    with pytest.raises(InputError, match="has the value 'statin', which is not among its declared states"):
        careful("stray-blanks", states={"drug": ["aspirin", "other"]})
    with pytest.raises(InputError, match="has the value ' statin', which is not among"):  # by the letter
        careful("stray-blanks", states={"drug": ["aspirin", "statin"]}, as_written=["drug"])


def _fields(name: str, column: str) -> list[str]:
    header, *rows = [line.split(",") for line in content(name).decode().splitlines()]
    return [row[header.index(column)].strip().casefold() for row in rows]


def test_missing_values_of_one_column_are_added_to_the_usual_ones():
    frame = pl.DataFrame({"a": ["x", "NA", "z", "x"], "b": ["x", "z", "y", "z"]})
    for strict in (True, False):
        data = Data.from_frame(frame, missing="state", missing_values={"a": ["z"]}, strict=strict)
        assert data.states == {"a": ("x", "missing"), "b": ("x", "y", "z")}
        data = Data.from_frame(frame, missing="state", missing_values={"*": ["z"]}, strict=strict)
        assert data.states == {"a": ("x", "missing"), "b": ("x", "y", "missing")}
        data = Data.from_frame(frame, missing="state", missing_values=["z"], strict=strict)
        assert data.states == {"a": ("NA", "x", "missing"), "b": ("x", "y", "missing")}
    ages = pl.DataFrame({"age": [20.5, -99.0, 31.0], "dose": [-99.0, 1.5, 2.5]})
    assert Data.from_frame(ages, missing="drop", missing_values={"age": [-99]}).column("dose").tolist() == [-99, 2.5]
    with pytest.raises(InputError, match=r"missing_values= names the column 'agee'.* did you mean 'age'"):
        Data.from_frame(ages, missing_values={"agee": [-99]})
    with pytest.raises(InputError, match=r"missing_values=\{'age': 'x'\} must be a list of strings: \['x'\]"):
        Data.from_frame(ages, missing_values={"age": "x"})


def test_numbers_that_mean_missing_are_compared_as_numbers():
    text = b"a,b\n1.0,x\n9.0,y\n2.0,x\n"
    data = read(io.BytesIO(text), kinds={"a": "discrete"}, missing="state", missing_values={"a": [9]})
    assert data.states["a"] == ("1.0", "2.0", "missing")


def test_states_are_merged_if_asked():
    values = ["y", "yes", "no", "N", "yes"]
    merged = {"X": {"y": "yes", "N": "no"}}
    for strict in (True, False):
        data = column(values, merge_states=merged) if not strict else _strict(values, merge_states=merged)
        assert data.states["X"] == ("no", "yes")
        assert data.column("X").tolist() == [1, 1, 0, 0, 1]
    assert column([1, 0, 1], merge_states={"X": {1: "yes", "0": "no"}}).states["X"] == ("no", "yes")
    assert column([1.5, 0.5, 1.5], merge_states={"X": {1.5: "high", 0.5: "low"}}).states["X"] == ("high", "low")
    assert column([" Y", "yes", "no"], merge_states={"X": {"y": "yes"}}).states["X"] == ("no", "yes")
    (note,) = column(["a", "b"], merge_states={"X": {"c": "a"}}).notes
    assert note == (
        "merged nothing: 'X' (merge_states= names the state 'c', which does not occur: choose from 'a', 'b')"
    )
    with pytest.raises(InputError, match="merge_states= names the state 'c' of 'X', which does not occur"):
        _strict(["a", "b"], merge_states={"X": {"c": "a"}})
    with pytest.raises(InputError, match=r"give the new name of each state, as in \{'X': \{'y': 'yes'\}\}"):
        column(["a", "b"], merge_states={"X": ["a", "b"]})


def _strict(values, **settings) -> Data:
    return Data.from_frame(pl.DataFrame({"X": values}), **settings)


@pytest.mark.parametrize(
    ("states", "mergers"),
    [
        ("yes y no n", {"y": "yes", "n": "no"}),
        ("TRUE FALSE 1 0", {"1": "TRUE", "0": "FALSE"}),
        ("yes no maybe", {}),
        ("t f", {}),
        ("t x y z", {}),  # letters that need not mean true
        ("male m female unsure", {"m": "male"}),
        ("m w d", {}),
        ("cat cats dog", {"cats": "cat"}),
        ("São-Paulo Sao_Paulo Rio", {"São-Paulo": "Sao_Paulo"}),
        ("Köln Koeln Bonn", {"Köln": "Koeln"}),
        ("A- A+ A B", {}),
        ("1.5 15 1-5 x", {}),
        ("<5 >5 5 x", {}),
        ("type-2 type2 type1", {"type-2": "type2"}),
        ("A/G AG A/A", {"A/G": "AG"}),
    ],
)
def test_states_that_may_be_the_same(states, mergers):
    counts = {state: i for i, state in enumerate(states.split(), 1)}
    found = mergers_of(counts)
    assert {frozenset(pair) for pair in found.items()} == {frozenset(pair) for pair in mergers.items()}
    assert not {*found} & {*found.values()}


@pytest.mark.parametrize(
    ("labels", "plain", "habit"),
    [
        (["12 kg", "5.5 KG"], ["12", "5.5"], "the unit kg"),
        (["5,3 cm", "12,0 cm"], ["5.3", "12.0"], "decimal commas, the unit cm"),
        (["37.2°C", "38 °C"], ["37.2", "38"], "the unit °C"),
        (["120 mmHg", "1,080 mmHg"], ["120", "1080"], "commas between thousands, the unit mmHg"),
        (["5 mg/dL", "4 mg / dL"], ["5", "4"], "the unit mg/dL"),
        (["1 year", "2 years"], ["1", "2"], "the unit year"),
        (["70 kg", "82", "90 kg"], ["70", "82", "90"], "the unit kg in all except 1 values"),
        (["37 °C", "98.6", "38 °C"], None, ""),  # it can hardly be the same unit
        (["12 kg", "30 lb"], None, ""),
        (["$5", "€6"], None, ""),
        (["$5", "6 USD"], ["5", "6"], "currency signs"),
        (["1st", "2nd"], None, ""),
        (["3D", "2D", "1D"], None, ""),
        (["12m", "9m", "7m", "30m", "8m"], ["12", "9", "7", "30", "8"], "the unit m"),
        (["4 sheep", "5 sheep"], None, ""),  # two numbers are too few for an unknown unit
        (["(5.5)", "3"], ["-5.5", "3"], "negative numbers in parentheses"),
        (["−5", "3"], ["-5", "3"], "long minus signs"),
        (["(5", "3"], None, ""),
    ],
)
def test_units_and_signs(labels, plain, habit):
    assert undressed(labels) == (None if plain is None else (plain, habit))


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("<0.5", "0.5"),
        ("≥ 100", "100"),
        ("more than 12", "12"),
        ("12+", "12"),
        ("90 and over", "90"),
        ("mehr als 5", "5"),
        ("<5 mg", "5 mg"),
        ("0.5", None),
        ("less", None),
        ("over there", None),
    ],
)
def test_limits(label, number):
    assert limit_of(label) == number


def test_limits_have_their_number_as_value():
    crp = careful("limits").column("crp")
    assert crp[[2, 5, 9]].tolist() == [0.5, 0.5, 100]
    assert careful("limits", missing_values={"crp": ["<0.5", ">100"]}).missing_counts["crp"] == 3


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([1, 2, 3, 4, 5, 9], [9]),
        ([1, 2, 3, 4, 5, 8, 9], [8, 9]),
        ([0, 1, 9], [9]),
        ([1, 2, 3, 99], [99]),
        ([*range(10)], []),
        ([1, 2, 3, 4, 5, 6, 7], []),
        ([2, 4, 6, 9], []),
        ([0, 1, 2, -1], [-1]),
        ([-2, -1, 0, 1], []),
        ([-1, 1], []),
        ([20_000, 31_000, 45_000, 99_999, 99_999], [99_999]),
        ([20_000, 31_000, 45_000, 99_999], []),  # once, as any other
    ],
)
def test_numbers_that_may_mean_missing(values, codes):
    assert possible_codes(*np.unique(np.array(values, dtype=float), return_counts=True)) == codes


@pytest.mark.parametrize(
    ("labels", "days", "unit"),
    [
        (["2024-01-03", "2024-01-01", "2024-02-01"], [2, 0, 31], "days since 2024-01-01"),
        (["01.02.2024", "03.01.2024"], [29, 0], "days since 2024-01-03, from day, month, year"),
        (["1/2/24", "3/1/24"], [0, 59], "days since 2024-01-02, from month, day, year"),
        (["13/2/2024", "14/2/2024"], [0, 1], "days since 2024-02-13, from day, month, year"),
        (["2 March 2023", "Mar 1, 2023", "Mai 2023"], [1, 0, 61], "days since 2023-03-01"),
        (["2024-01-01T12:00:00Z", "2024-01-01 18:00"], [0.5, 0.75], "days since 2024-01-01"),
        (["20240105", "20240101"], [4, 0], "days since 2024-01-01"),
        (["12:30", "1:15 pm", "00:00"], [12.5, 13.25, 0], "hours since midnight"),
    ],
)
def test_dates_as_numbers(labels, days, unit):
    codes = np.arange(len(labels), dtype=np.uint8)
    numbers, found, wrong = as_days(Levels("X", "field", list(labels), codes))
    assert (numbers.values.tolist(), found, wrong) == (days, unit, [])


def test_a_kind_for_dates_is_obeyed():
    day = datetime.date(2024, 1, 1)
    dates = [day + datetime.timedelta(days=i * i % 17) for i in range(24)]
    days = [float((d - min(dates)).days) for d in dates]
    frame = pl.DataFrame({"when": dates, "X": ["a", "b"] * 12})
    text = frame.write_csv().encode()
    for kept in ({"columns": ["when"], "strict": False}, {"columns": ["when"]}):
        for source in (frame, frame.to_pandas(), frame.to_arrow()):
            data = Data.from_frame(source, kinds={"when": "continuous"}, **kept)
            assert data.column("when").tolist() == days
            states = Data.from_frame(source, kinds={"when": "discrete"}, **kept).states["when"]
            assert states == tuple(sorted({str(d) for d in dates}))
    data = read(io.BytesIO(text), kinds={"when": "continuous"}, columns=["when"], strict=False)
    assert data.column("when").tolist() == days
    assert data.notes == ("read as days since 2024-01-01: 'when' (date or time, such as '2024-01-01')",)
    odd = text.replace(b"2024-01-17", b"30.02.2024", 1)
    data = read(io.BytesIO(odd), kinds={"when": "continuous"}, columns=["when"], strict=False)
    assert "treated texts as missing: 'when' (texts among dates, not dates: '30.02.2024')" in data.notes


def test_totals_and_titles_far_from_the_start_of_a_long_file():
    rows = "".join(f"{i % 3},{'ab'[i % 2]},{i % 7}.5\n" for i in range(5000))
    data = read(io.BytesIO(f"Report 2024,,\nx,y,z\n{rows}Insgesamt,,17\n".encode()), strict=False)
    assert data.n == 5000
    assert data.notes[:2] == (
        "left out the last row, which holds totals: 'Insgesamt'",
        "skipped 1 row above the header: 'Report 2024'",
    )
    data = read(io.BytesIO(f"x,y,z\n{rows}合計,,17\n".encode()), strict=False)
    assert (data.n, data.notes[0]) == (5000, "left out the last row, which holds totals: '合計'")
    named = "".join(f"{['Total', 'part'][i % 2]},{i % 3}\n" for i in range(20))
    assert read(io.BytesIO(f"kind,x\n{named}Total,1\n".encode()), strict=False).n == 21  # a state


def test_digits_that_measure_nothing():
    data = careful("postcodes")
    assert data.states["zip"] == ("10001", "60601", "90210")
    assert data.states["plz"] == ("01067", "10115", "80331")
    assert careful("postcodes", kinds={"plz": "continuous"}, columns=["plz"]).column("plz").min() == 1067
    mixed = [f"{i * 397 % 99999:05d}" for i in range(1, 40)] * 2
    assert len(column(mixed * 2).states["X"]) == 39  # none of them is missing


def test_settings_add_what_is_said_by_column_to_what_is_kept():
    kept = TableSettings(missing_values={"a": [9]}, merge_states={"b": {"y": "yes"}}, drop=("c",), as_written=("d",))
    given = TableSettings(missing_values={"a": [8], "b": ["-"]}, merge_states={"b": {"n": "no"}}, drop=["e"])
    both = given.over(kept)
    assert both.missing_values == {"a": [9, 8], "b": ["-"]}
    assert both.merge_states == {"b": {"y": "yes", "n": "no"}}
    assert (both.drop, both.as_written) == (("c", "e"), ("d",))
    with pytest.raises(InputError, match="the file next to the table has a list that replaces them"):
        given.over(TableSettings(missing_values=["-"]))
    assert TableSettings(missing_values=["?"]).over(kept).missing_values == ["?"]


def test_what_is_said_by_column_is_read_back_from_a_file(tmp_path):
    settings = TableSettings(missing_values={"a b": ["-99", 'x"y']}, merge_states={"s": {"y": "yes", "é=1": "no"}})
    settings.write(tmp_path / "cases.toml")
    assert TableSettings.load(tmp_path / "cases.toml") == settings


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
    assert [(f.column, f.problem, f.evidence, f.done, f.change) for f in found] == [
        ("children", "numbers that may mean missing", "2 values of -9", "", "missing_values={'children': ['-9']}")
    ]


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
    assert data.notes[0] == "settings from cases.toml, next to the table"
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
    assert "duplicate: 'v1', 'v2', 'v3', 'v4', 'v5' and 294 more (proposed, for example: drop=['v1'])" in text


def test_states_that_a_frame_declares_are_reported_merged_and_missing_if_named():
    enum = pl.Enum(["much", "some", "none", "no answer", "never"])
    frame = pl.DataFrame({"pain": pl.Series(["much", "some", "no answer", "none"] * 5, dtype=enum)})
    for strict in (True, False):
        data = Data.from_frame(frame, missing="state", missing_values={"pain": ["no answer"]}, strict=strict)
        assert data.states["pain"] == ("much", "some", "none", "never", "missing")
        assert np.bincount(data.column("pain")).tolist() == [5, 5, 5, 0, 5]
        data = Data.from_frame(frame, merge_states={"pain": {"much": "some", "never": "none"}}, strict=strict)
        assert data.states["pain"] == ("some", "none", "no answer")  # in the declared order
        assert "'much' into 'some', 'never' into 'none'" in data.notes[0]
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    found = [f for f in inspect(io.BytesIO(buffer.getvalue())).findings if f.change]
    assert ("pain", "missing_values={'pain': ['none', 'no answer']}") in [(f.column, f.change) for f in found]


def test_states_are_merged_in_groups_and_in_columns_taken_as_written():
    frame = pl.DataFrame({"site": ["a", "b", "B"] * 4, "X": ["y", "yes ", "no"] * 4})
    data = Data.from_frame(frame, group="site", merge_states={"site": {"B": "b"}}, strict=False)
    assert data.groups == ("a", "b")
    data = Data.from_frame(frame, as_written=["X"], merge_states={"X": {"y": "yes "}}, strict=False)
    assert data.states["X"] == ("no", "yes ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sep=;\n", "every line is blank"),
        (",,,\n,,,\n", "every line is blank"),
        ("Report,,\n\na,b,c\n", "there is a header, but there are no rows"),
        ("a,b,c\n1,2\n1,2,3\n4,5\n", "2 of 4 rows do not have 3 fields as the others do"),
    ],
)
def test_files_without_a_table_are_explained(text, message):
    with pytest.raises(InputError, match=message):
        read(io.BytesIO(text.encode()), strict=False)


def test_a_column_of_errors_is_left_out_for_that():
    data = read(io.BytesIO(b"a,b\n#REF!,x\n#REF!,y\n"), strict=False)
    assert data.notes == ("left out: 'a' (no values, every field means missing)",)


def test_none_beside_another_text_for_missing_values_is_a_value():
    data = column(["None", "NA", "None", "None", "NA"] * 4)
    assert data.states["X"] == ("None", "missing")


def test_states_that_are_merged_one_after_the_other_become_one():
    values = ["f", "F", "female", "m", "M", "male"] * 4
    merge = {"X": {"f": "F", "F": "female", "m": "M", "M": "male"}}
    assert column(values, merge_states=merge).states["X"] == ("female", "male")
    assert Data.from_frame(pl.DataFrame({"X": values}), merge_states=merge).states["X"] == ("female", "male")


def test_none_is_missing_in_any_spelling_if_the_user_says_so():
    data = column(["none", "None", "flu", "cold"] * 5, missing_values={"X": ["none"]})
    assert data.states["X"] == ("cold", "flu")
    assert data.missing_counts["X"] == 10
