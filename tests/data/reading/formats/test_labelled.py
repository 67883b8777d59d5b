from __future__ import annotations

import datetime
import sys

import polars as pl
import pyreadstat
import pytest

from veridag.data import read
from veridag.data.reading.formats import apart, labelled, sas
from veridag.errors import InputError, speaking_flags

WRITERS = {
    "sav": pyreadstat.write_sav,
    "zsav": lambda frame, path, **given: pyreadstat.write_sav(frame, path, compress=True, **given),
    "dta": pyreadstat.write_dta,
    "xpt": pyreadstat.write_xport,
}
LABELLED = ("sav", "zsav", "dta")


@pytest.fixture
def write(tmp_path):
    def make(suffix, columns, labels=None, **given):
        path = tmp_path / f"cases.{suffix}"
        given |= {"variable_value_labels": labels} if labels else {}
        WRITERS[suffix](pl.DataFrame(columns), str(path), **given)
        return path

    return make


@pytest.mark.parametrize("suffix", LABELLED)
def test_value_labels_are_states_in_the_order_of_the_codes(write, suffix):
    labels = {"size": {3: "small", 10: "medium", 20: "large", 30: "huge"}}
    path = write(suffix, {"size": [20.0, 3.0, 10.0, 3.0], "X": ["u", "v", "u", "v"]}, labels)
    data = read(path)
    assert data.states == {"size": ("small", "medium", "large", "huge"), "X": ("u", "v")}
    assert data.columns[0].values.tolist() == [2, 0, 1, 0]
    assert data.notes == ()
    with path.open("rb") as stream:
        assert read(stream) == data
    assert read(path, kinds={"size": "continuous"}, columns=["size"]).columns[0].values.tolist() == [20, 3, 10, 3]


@pytest.mark.parametrize("suffix", WRITERS)
def test_whole_numbers_are_integers_and_gaps_are_missing(write, suffix):
    path = write(suffix, {"A": [1.0, 2.0, None, 1.0], "B": ["x", "", "y", "x"], "C": [0.5, 1.0, 2.0, 4.0]})
    with pytest.raises(InputError, match="values are missing: 1 in column 'A', 1 in column 'B'"):
        read(path)
    data = read(path, missing="state", columns=["A", "B"])
    assert data.states == {"A": ("1", "2", "missing"), "B": ("x", "y", "missing")}
    assert read(path, columns=["C"]).columns[0].values.tolist() == [0.5, 1.0, 2.0, 4.0]


@pytest.mark.parametrize("suffix", WRITERS)
def test_dates_are_no_variables(write, suffix):
    path = write(suffix, {"A": [1.0, 2.0], "when": [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]})
    with pytest.raises(InputError, match="column 'when' holds values of the type date"):
        read(path)
    assert read(path, strict=False).names == ("A",)


def test_quarters_and_months_are_dates_too(write):
    columns = {"A": [1.0, 2.0], "q": [13631500800.0, 13639449600.0]}
    assert read(write("sav", columns, variable_format={"q": "QYR6"}), strict=False).names == ("A",)
    assert read(write("dta", columns | {"q": [200.0, 201.0]}, variable_format={"q": "%tq"}), strict=False).names == (
        "A",
    )


def test_values_that_spss_declares_missing(write):
    labels = {"A": {1: "yes", 2: "no", 8: "refused", 9: "don't know"}, "C": {"m": "male", "x": "unknown"}}
    columns = {"A": [1.0, 2.0, 8.0, 9.0], "B": [1.5, 97.0, 98.5, 2.5], "C": ["m", "x", "m", "m"]}
    ranges = {"A": [8, 9], "B": [{"lo": 97, "hi": 99}], "C": ["x"]}
    path = write("sav", columns, labels, missing_ranges=ranges)
    data = read(path, strict=False, missing="state", drop=["B"])
    assert data.states == {"A": ("yes", "no", "missing"), "C": ("male", "missing")}
    assert data.notes[0] == "values that the file declares as missing are missing: 2 in 'A', 2 in 'B', 1 in 'C'"
    assert read(path, columns=["B"], missing="drop").columns[0].values.tolist() == [1.5, 2.5]


@pytest.mark.parametrize("suffix", LABELLED)
def test_ends_of_a_scale_that_have_labels(write, suffix):
    path = write(suffix, {"likert": [1.0, 2.0, 7.0, 4.0, 2.0]}, {"likert": {1: "never", 7: "always"}})
    data = read(path)
    assert data.states == {"likert": ("never", "2", "4", "always")}
    assert data.notes == ("values without a label became states named by their code: 'likert'",)


@pytest.mark.parametrize("suffix", LABELLED)
def test_labels_of_special_values_of_a_measurement(write, suffix):
    ages = [float(20 + i % 40) for i in range(60)]
    labels = {"age": {98: "98 or older", 99: "no answer"}, "dose": {0: "none"}}
    path = write(suffix, {"age": [*ages, 99.0], "dose": [0.0, *(0.5 + i for i in range(60))]}, labels)
    data = read(path, strict=False)
    assert data.kind == "continuous"
    note = data.notes[0]
    assert "read as numbers, although some of their values have labels: 'age' (99 = 'no answer'), 'dose'" in note
    assert "if a labelled value means missing, pass missing_values={'age': ['99']}" in note
    again = read(path, strict=False, missing_values={"age": ["99"]})
    assert again.missing_counts == {"age": 1, "dose": 0}
    with speaking_flags():
        assert "means missing, pass --missing-values age=99" in read(path, strict=False).notes[0]


@pytest.mark.parametrize("suffix", LABELLED)
def test_equal_labels_of_different_codes_stay_apart(write, suffix):
    path = write(suffix, {"A": [1.0, 2.0, 3.0]}, {"A": {1: "yes", 2: "yes", 3: " "}})
    data = read(path)
    assert data.states == {"A": ("yes (1)", "yes (2)", "3")}
    assert data.notes == ("labels shared by several codes got the code added: 'A'",)


def test_texts_of_which_some_have_labels(write):
    path = write("sav", {"A": ["m", "f", "x", "m"], "B": ["u", "", "v", "u"]}, {"A": {"m": "male", "f": "female"}})
    data = read(path, columns=["A"])
    assert data.states == {"A": ("female", "male", "x")}
    assert data.notes == ("values without a label became states named by their code: 'A'",)


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_column_without_values(write, suffix):
    path = write(suffix, {"A": pl.Series([None, None], dtype=pl.Float64), "B": ["u", "v"]})
    with pytest.raises(InputError, match="values are missing: 2 in column 'A'"):
        read(path)
    assert read(path, strict=False).names == ("B",)


def test_damaged_files_give_one_line(write, tmp_path):
    for suffix in WRITERS:
        path = write(suffix, {"A": [1.0, 2.0] * 50, "B": ["u", "v"] * 50})
        path.write_bytes(
            path.read_bytes()[: 500 if suffix == "xpt" else -200]
        )  # .xpt does not say how many rows it has
        with pytest.raises(InputError, match=r"cannot be read as an? .*\): save it again, or as \.csv") as error:
            read(path)
        assert "\n" not in str(error.value)
    path = tmp_path / "cases.sas7bdat"
    path.write_bytes(sas._DATA_SET + bytes(4000))
    for strict in (True, False):
        with pytest.raises(InputError, match=r"cases\.sas7bdat: cannot be read as a SAS data set \(.*\): save it"):
            read(path, strict=strict)


def test_labels_of_sas_are_in_a_catalog_beside_the_data(tmp_path, monkeypatch):
    """SAS alone writes these files, so what pyreadstat gives for one is written down here."""

    class Meta:
        variable_value_labels: dict[str, dict[float, str]] = {}  # noqa: RUF012
        missing_ranges: dict[str, list[float]] = {}  # noqa: RUF012
        original_variable_types = {"A": "YN"}  # noqa: RUF012
        variable_to_label = {"A": "yn"}  # noqa: RUF012
        value_labels = {"YN": {1.0: "yes", 2.0: "no"}}  # noqa: RUF012

    for module in (labelled, sas):
        monkeypatch.setattr(module, "read_apart", lambda *_, **__: ({"A": [2.0, 1.0]}, Meta))
    path = tmp_path / "cases.sas7bdat"
    path.write_bytes(b"SAS")
    assert read(path).states == {"A": ("1", "2")}
    (tmp_path / "formats.sas7bcat").write_bytes(b"SAS")
    assert read(path).states == {"A": ("yes", "no")}
    (tmp_path / "cases.sas7bcat").write_bytes(b"SAS")
    assert read(path).notes == ("value labels are from cases.sas7bcat",)


def test_the_encoding_can_be_named(write):
    path = write("sav", {"A": ["u", "v"]})
    assert read(path, encoding="utf-8").states == {"A": ("u", "v")}
    with pytest.raises(InputError, match="cannot be read as an SPSS file"):
        read(path, encoding="klingon")


def test_a_stream_is_recognised(write):
    for suffix in WRITERS:
        with write(suffix, {"A": ["u", "v"]}).open("rb") as stream:
            assert read(stream).states == {"A": ("u", "v")}


def test_without_the_package_the_command_that_installs_it_is_named(write, monkeypatch):
    path = write("sav", {"A": ["u", "v"]})
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(InputError, match=r"needs the package pyreadstat, .*: pip install 'veridag\[files\]'"):
        read(path)


def test_a_reader_that_crashes_gives_one_line_and_the_next_file_is_read(write, monkeypatch):
    path = write("sav", {"A": ["u", "v"]})
    with monkeypatch.context() as patch:
        apart._end()
        patch.setattr(apart, "_COMMAND", [sys.executable, "-S", "-c", "import os; os.abort()"])
        with pytest.raises(InputError, match=r"cases\.sav: cannot be read as an SPSS file \(its reader crashed"):
            read(path)
    assert read(path).states == {"A": ("u", "v")}


def test_an_interrupt_leaves_no_answer_for_the_next_file(write, monkeypatch):
    first, second = write("sav", {"A": ["u", "v"]}), write("dta", {"B": ["x", "y"]})
    load = apart.pickle.load
    with monkeypatch.context() as patch:
        patch.setattr(apart.pickle, "load", lambda stream: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            read(first)
    assert apart.pickle.load is load
    assert read(second).states == {"B": ("x", "y")}


def test_not_enough_memory_is_said_as_that(write, monkeypatch):
    monkeypatch.setattr(apart, "_ask", lambda job: ("memory", "many rows"))
    with pytest.raises(MemoryError, match="many rows"):
        read(write("sav", {"A": ["u", "v"]}))
