"""Tables for people: no text in them is a formula for a spreadsheet, and numbers stay numbers."""

from __future__ import annotations

import csv
import io

import pytest

from veridag.display import plain_cell, spreadsheet

FORMULAS = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "-",
    "=",
    "-1e",
    "+.",
    "-inf",
    "-1 a",
    "--1",
]
PLAIN = ["", "a", "a=b", " =1", "'=1", "1-2", "-1", "+3", "-1.5e-7", "-.5", "+2.", "−1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert plain_cell(text) == f"'{text}"


@pytest.mark.parametrize("cell", [*PLAIN, -1, -1.5, float("-inf"), None, True])
def test_numbers_and_other_text_stay(cell):
    assert plain_cell(cell) is cell


def test_no_cell_of_a_table_starts_a_formula():
    rows = [["=name", "b"], ["@x", -0.5], ["-y, z", 'quo"te'], [None, "-3"]]
    cells = list(csv.reader(io.StringIO(spreadsheet(rows))))
    assert cells == [["'=name", "b"], ["'@x", "-0.5"], ["'-y, z", 'quo"te'], ["", "-3"]]
