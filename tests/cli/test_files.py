"""Tables that are no text, as the command line gets them: by name, and through a pipe."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import polars as pl
import pyreadstat
import pytest

import veridag as vd


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    frame = vd.networks.load("asia").sample(200, seed=1).to_polars().cast(pl.String)
    frame.write_excel("cases.xlsx", worksheet="Data")
    pyreadstat.write_sav(frame, "cases.sav")
    frame.write_parquet("cases.parquet")
    return tmp_path


@pytest.mark.parametrize("name", ["cases.xlsx", "cases.sav", "cases.parquet"])
def test_a_network_is_learned_from_every_file_and_from_a_pipe(folder, call, monkeypatch, name):
    code, arcs, _ = call("learn", name, "--algorithm", "hill-climbing")
    assert (code, " -> " in arcs) == (0, True)

    class Pipe:
        buffer = io.BytesIO(Path(name).read_bytes())

    monkeypatch.setattr(sys, "stdin", Pipe)
    assert call("learn", "-", "--algorithm", "hill-climbing")[:2] == (0, arcs)


def test_complaints_are_one_line_and_name_options(folder, call):
    code, _, complaint = call("describe", "cases.xlsx", "--sheet", "Dta")
    assert (code, complaint) == (
        2,
        "veridag: cases.xlsx: --sheet Dta names no sheet of the file: did you mean 'Data'?\n",
    )
    Path("cases.sav").write_bytes(Path("cases.sav").read_bytes()[:-500])
    code, _, complaint = call("learn", "cases.sav")
    assert code == 2
    assert complaint.startswith("veridag: cases.sav: cannot be read as an SPSS file (")
    assert complaint.count("\n") == 1
    code, _, complaint = call("learn", "https://example.org/cases.csv")
    assert (code, complaint.count("\n")) == (2, 1)
    assert "download the file first" in complaint
