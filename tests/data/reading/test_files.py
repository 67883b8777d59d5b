from __future__ import annotations

import gzip
import io
import subprocess
import sys

import polars as pl
import pytest

from veridag.data import Data, read
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
