from __future__ import annotations

import contextlib
import gzip
import io
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.data import continuous, data_sets, discrete
from veridag.data import Column, Data, read
from veridag.data.settings import TableSettings
from veridag.errors import InputError

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


@pytest.mark.medium
@pytest.mark.filterwarnings("ignore::veridag.data.DataWarning")
@given(data_sets(), st.sampled_from(BINARY))
def test_binary_files_give_the_same_data_back(data, suffix):
    assert reread(data, suffix, declare=False) == data


@pytest.mark.filterwarnings("ignore::veridag.data.DataWarning")
@given(data_sets(), st.sampled_from(TEXT))
def test_text_files_give_the_same_data_back_if_the_states_are_declared(data, suffix):
    assert reread(data, suffix, declare=True) == data


@pytest.mark.medium
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


def test_an_empty_state_is_told_from_a_missing_value():
    stream = io.BytesIO()
    there = np.array([True, True, False, True])
    column = Column.discrete("X", np.array([0, 1, 0, 0], dtype=np.uint8), ("", "a"), observed=there)
    data = Data([column, discrete("Y")])
    data.write(stream)
    assert stream.getvalue().splitlines()[1:4:2] == [b'"",no', b",yes"]
    again = read(io.BytesIO(stream.getvalue()), states={"X": ["", "a"]}, missing="keep", strict=True)
    assert again == data


def test_rows_are_written_in_order_across_chunks(monkeypatch):
    whole, parts = io.BytesIO(), io.BytesIO()
    data = Data([discrete(codes=[0, 1, 1, 0, 1, 0, 0]), continuous(values=range(7))])
    data.write(whole)
    monkeypatch.setattr("veridag.data.writing.CHUNK", 3)
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
    with pytest.raises(InputError, match=r"is a text stream: .*sys\.stdout\.buffer"):
        data.write(io.StringIO())
    with pytest.raises(InputError, match="group='group' is also the name of a variable"):
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


def test_none_takes_back_what_is_kept_of_a_column(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("a,b\n" + "".join(f"{i * 37 % 211 / 7},{i * 29 % 211 / 3}\n" for i in range(100)))
    kept = TableSettings(discretize={"a": "blanket", "b": "quantile(2)"})
    kept.write(tmp_path / "cases.toml")
    with pytest.raises(InputError, match=r"\(discretize=\{'a': None\} if it is stored next to the table\)"):
        read(path)
    assert read(path, discretize={"a": None}).kinds == {"a": "continuous", "b": "discrete"}
    (tmp_path / "cases.toml").unlink()
    assert read(path, discretize={"a": None}).kinds == {"a": "continuous", "b": "continuous"}


def test_an_error_about_a_column_points_to_careful_reading(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("a,b\n1,x\n,y\n")
    with pytest.raises(InputError) as strict:
        read(path)
    assert "vd.read(path, strict=False)" in strict.value.__notes__[0]
    with pytest.raises(InputError) as unrelated:
        read(path, separator="ab")
    assert not hasattr(unrelated.value, "__notes__")


def test_what_is_said_of_strictness_counts_more_than_what_is_stored(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("a,b\nYes,x\nyes,y\n" + "no,x\n" * 5)
    TableSettings(strict=False).write(tmp_path / "cases.toml")
    assert len(read(path).states["a"]) == 2
    assert len(read(path, strict=True).states["a"]) == 3
    assert len(read(path, beside=False).states["a"]) == 3
