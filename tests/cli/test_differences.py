"""The command for where groups differ."""

from __future__ import annotations

import csv
import json

import pytest

import veridag as vd

ARCS = "[X1][X2|X1][X3|X1:X2][X4|X3]"


@pytest.fixture
def trials_csv(tmp_path) -> str:
    path = tmp_path / "trials.csv"
    vd.simulate.related(4, 3, states=2, rows=100, seed=3).data.write(path, group="site")
    return str(path)


@pytest.fixture
def found(trials_csv):
    return vd.group_differences(vd.DAG.from_modelstring(ARCS), vd.read(trials_csv, group="site"), threshold=2)


def test_the_table_is_that_of_the_library(call, trials_csv, found):
    code, out, err = call("differences", trials_csv, "--group", "site", "--graph", ARCS, "--threshold", 2)
    assert (code, out) == (0, f"{found}\n"), err
    assert "arcs are absent in some of 3 groups" in err


def test_json_and_files_have_every_arc_and_group(call, trials_csv, found, tmp_path):
    table, drawing = tmp_path / "arcs.csv", tmp_path / "arcs.svg"
    words = ("--group", "site", "--graph", ARCS, "--threshold", 2, "--json", "-o", table, "--draw", drawing)
    code, out, err = call("differences", trials_csv, *words)
    assert code == 0, err
    facts = json.loads(out)
    assert facts["groups"] == list(found.groups)
    assert facts["arcs"] == [list(arc) for arc in found.arcs]
    assert [row["evidence"] for row in facts["evidence"]] == found.evidence.ravel().tolist()
    assert {row["verdict"] for row in facts["evidence"]} <= {"present", "absent", "undecided"}
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["from"], row["to"], row["group"], row["verdict"]) for row in rows] == [
        (*arc, group, found.verdict(arc, group)) for arc in found.arcs for group in found.groups
    ]
    assert drawing.read_text().startswith("<svg")


def test_without_a_graph_one_is_learned(call, trials_csv):
    code, out, err = call("differences", trials_csv, "--group", "site", "--json", "--seed", 2)
    assert code == 0
    data = vd.read(trials_csv, group="site")
    expected = vd.group_differences(vd.learn(data, seed=2).dag, data)
    assert json.loads(out)["arcs"] == [list(arc) for arc in expected.arcs]
    assert [row["evidence"] for row in json.loads(out)["evidence"]] == expected.evidence.ravel().tolist()
    assert "the structure was learned from the same rows" in err


def test_the_table_can_go_to_a_pipe(call, trials_csv):
    code, out, _ = call("differences", trials_csv, "--group", "site", "--graph", ARCS, "-o", "-")
    assert code == 0
    assert out.startswith("from,to,group,evidence,verdict\nX1,X2,F1,")
    assert out.count("\n") == 1 + 4 * 3
