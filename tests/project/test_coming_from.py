"""The tables of docs/coming-from.md: what is on the right runs."""

from __future__ import annotations

import sys

import pytest

from peers.page import PACKAGES, PAGE, rows, starts, value

sys.path.insert(0, str(PAGE.parent / "_ext"))
from examples import Session, examples_of

sys.path.remove(str(PAGE.parent / "_ext"))


@pytest.mark.slow
def test_the_code_on_the_right_of_the_tables_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = Session(PAGE)
    for example in examples_of(PAGE.read_text("utf-8")):
        session.run(example)
    for row in rows():
        for code in row["here"]:
            value(code, session.scope)


def test_every_row_has_code_of_a_known_package():
    found = list(rows())
    assert {package for row in found for package in row} == {*PACKAGES, "here"}
    assert all(row["here"] or row["pgmpy"] for row in found)
    assert set(starts()) == {"pgmpy", "pyAgrum"}
