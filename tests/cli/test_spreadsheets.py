"""CSV files that commands write for people hold no formulas; tables of data are exact and can be read back."""

from __future__ import annotations

import csv

import polars as pl
import pytest

import veridag as vd
from veridag.display import FORMULA_MARKS
from veridag.study.tables import spreadsheet_csv

NAMES = ["=cmd|' /C calc'!A0", "+b", "@c"]


@pytest.fixture
def formulas() -> vd.Data:
    """Three columns that depend on each other, with names and states that a spreadsheet would run."""
    codes = [[(i + (i % 7 == 0)) % 2 for i in range(90)], [(i + (i % 9 == 0)) % 2 for i in range(90)], [0, 1] * 45]
    columns = zip(NAMES, codes, strict=True)
    return vd.Data([vd.data.Column.discrete(name, own, ["-no", "=yes"]) for name, own in columns])


@pytest.mark.parametrize(
    "words",
    [
        ["bootstrap", "TABLE", "--repeats", "3", "--strengths", "OUT"],
        ["posterior", "TABLE", "-o", "OUT"],
        ["fit", "TABLE", "--graph", "GRAPH", "-o", "NET", "--intervals", "OUT"],
        pytest.param(["assess", "TABLE", "--minutes", "0.05", "-o", "OUT"], marks=pytest.mark.medium),
    ],
    ids=lambda words: words[0],
)
def test_summaries_hold_no_formulas(call, tmp_path, formulas, words):
    formulas.write(tmp_path / "t.csv")
    graph = vd.DAG.from_arcs([(NAMES[2], NAMES[0]), (NAMES[2], NAMES[1])], names=NAMES)
    (tmp_path / "g.json").write_text(graph.to_json())
    paths = {"TABLE": "t.csv", "GRAPH": "g.json", "NET": "net.json", "OUT": "out.csv"}
    code, _, err = call(*(str(tmp_path / paths[word]) if word in paths else word for word in words), "--quiet")
    assert (code, err) == (0, "")
    rows = list(csv.reader((tmp_path / "out.csv").read_text("utf-8").splitlines()))
    texts = [cell for row in rows for cell in row if not _is_number(cell)]
    assert f"'{NAMES[1]}" in texts
    assert [text for text in texts if text.startswith(FORMULA_MARKS)] == []


def test_tables_of_data_are_read_back_as_they_were(tmp_path, formulas):
    formulas.write(tmp_path / "t.csv")
    again = vd.read(tmp_path / "t.csv", strict=True)
    assert again.names == formulas.names
    assert again.states[NAMES[0]] == formulas.states[NAMES[0]]


def test_results_of_a_study_hold_none():
    table = pl.DataFrame({"=key": ["@a", None, "-1.5"], "number": [-1.0, 2.5, None], "flag": [True, False, None]})
    assert spreadsheet_csv(table) == "'=key,number,flag\n'@a,-1.0,true\n,2.5,false\n-1.5,,\n"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
