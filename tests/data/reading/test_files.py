from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from veridag.data import Data, read
from veridag.data.reading.formats.panics import one_line
from veridag.errors import InputError


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
    with pytest.raises(InputError, match=r"no such file, because there is no folder '.*nowhere'"):
        read(tmp_path / "nowhere" / "cases.csv")
    with pytest.raises(InputError, match="path=5 must be a path as text or Path, or an open binary stream"):
        read(5)
    (tmp_path / "cases.rds").write_text("X\n1\n")
    with pytest.raises(InputError, match=r"cases\.rds: the suffix decides the format and must be one of \.csv, .*\.gz"):
        read(tmp_path / "cases.rds")
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


@pytest.mark.medium
def test_importing_data_loads_no_frame_library():
    code = (
        "import sys, veridag.data; print([m for m in ('polars', 'pandas', 'pyarrow', 'narwhals') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.medium
def test_reading_a_file_needs_neither_pandas_nor_pyarrow():
    code = (
        "import sys, io; sys.modules['pandas'] = sys.modules['pyarrow'] = None\n"
        "from veridag.data import Data, read; import polars as pl\n"
        "data = read(io.BytesIO(b'X,Y\\na,1\\nb,2\\n'))\n"
        "print(data == Data.from_frame(data.to_polars()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True", done.stderr


@pytest.mark.parametrize("address", ["https://example.org/cases.csv", "http://a.b/c", "s3://bucket/cases.parquet"])
def test_an_address_is_refused_with_the_remedy(address):
    with pytest.raises(InputError, match=r"reads files, not URLs: download the file first") as error:
        read(address)
    assert str(error.value).startswith(address)
    with pytest.raises(InputError, match="download the file first"):
        read(Path(address))  # which makes one slash of two
    with pytest.raises(InputError, match="pass the path alone, without 'file://'"):
        read("file:///data/cases.csv")


def test_options_that_mean_nothing_for_a_format_are_refused(data, tmp_path):
    data.to_polars().write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"separator=';' is only for text files, such as \.csv and \.tsv"):
        read(tmp_path / "a.parquet", separator=";")
    with pytest.raises(InputError, match="encoding='latin-1' is only for text files"):
        read(tmp_path / "a.parquet", encoding="latin-1")
    with pytest.raises(InputError, match="sheet='a' is only for workbooks, databases and archives"):
        read(tmp_path / "a.parquet", sheet="a")


def test_a_file_of_another_format_than_its_name_says(data, tmp_path):
    data.to_polars().write_parquet(tmp_path / "a.csv")
    with pytest.raises(InputError, match=r"ends in \.csv, but it is a Parquet file: rename it to end in \.parquet"):
        read(tmp_path / "a.csv")
    found = read(tmp_path / "a.csv", strict=False)
    assert found.states == data.states
    assert "it is a Parquet file, although its name ends in .csv" in found.notes
    (tmp_path / "b.csv").write_text("PAR1,Y\na,u\nb,v\n")
    assert read(tmp_path / "b.csv").names == ("PAR1", "Y")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\n<!DOCTYPE html>\n<html><body>Not found</body></html>", "a web page"),
        ("\ufeff<?xml version='1.0'?><Workbook></Workbook>", "XML"),
        ("%PDF-1.7\n1 0 obj", "a PDF document"),
        ("{\\rtf1\\ansi X,Y}", "a document with layout"),
    ],
)
def test_what_is_no_table(text, found, tmp_path):
    for name in ("cases.csv", "cases.txt", "cases.xls"):
        (tmp_path / name).write_text(text, "utf-8")
        for strict in (True, False):
            with pytest.raises(InputError, match=f"{name}: it is {found}.* and not a table: get the table itself"):
                read(tmp_path / name, strict=strict)


def test_text_without_a_promised_separator(tmp_path):
    (tmp_path / "a.txt").write_text("X;Y\na;1\nb;2\na;1\n")
    with pytest.raises(
        InputError, match=r"a\.txt: the file name does not determine the field separator: pass separator="
    ):
        read(tmp_path / "a.txt")
    assert read(tmp_path / "a.txt", separator=";").names == ("X", "Y")
    found = read(tmp_path / "a.txt", strict=False)
    assert found.names == ("X", "Y")
    assert found.notes == ("fields are separated by semicolons (separator=';')",)


def test_arrow_in_its_other_forms(data, tmp_path):
    data.to_polars().write_ipc(tmp_path / "a.feather")
    assert read(tmp_path / "a.feather") == data
    data.to_polars().write_ipc_stream(tmp_path / "sent.arrow")
    assert read(tmp_path / "sent.arrow") == data
    (tmp_path / "old.feather").write_bytes(b"FEA1" + bytes(100))
    with pytest.raises(InputError, match="Feather file of the first version: save it again"):
        read(tmp_path / "old.feather")


def test_a_panic_of_a_reader_is_one_line(capfd):
    buffer = io.BytesIO()
    pl.DataFrame({"A": ["x", "y"] * 50, "B": list(range(100))}).write_ipc(buffer)
    whole = buffer.getvalue()
    messages = []
    for place in range(8, len(whole), 7):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        try:
            read(io.BytesIO(damaged), strict=False)
        except InputError as error:
            messages.append(str(error))
    assert len(messages) > 10
    assert "\n" not in "".join(messages)
    assert capfd.readouterr().err == ""


def test_what_a_reader_says_is_kept_unless_it_fails(capfd):
    def say(error=None):
        with one_line("a file", "write it again", ValueError):
            os.write(2, b"beware")
            if error is not None:
                raise error

    say()
    assert capfd.readouterr().err == "beware"
    with pytest.raises(InputError, match=r"cannot be read as a file \(wrong\): write it again"):
        say(ValueError("wrong\nand more"))
    assert capfd.readouterr().err == ""
    with pytest.raises(KeyError):
        say(KeyError("a mistake of ours"))
