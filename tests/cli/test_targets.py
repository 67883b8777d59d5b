"""Commands on tables in which variables were set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import veridag as vd
from strategies.interventions import chain


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chain(400, seed=4).write("cases.csv", targets="did")
    return "cases.csv"


def test_learn_finds_directions(call, table):
    facts = json.loads(call("learn", table, "--targets", "did", "--json")[1])
    assert sorted(map(tuple, facts["arcs"])) == [("A", "B"), ("B", "C")]
    assert facts["edges"] == []
    assert "interventions in 400 observations: 'B' in 200" in facts["notes"]


@pytest.mark.parametrize("algorithm", ["tabu", "exact", "mmhc", "hill-climbing", "pc-stable"])
def test_learn_with_other_algorithms(call, table, algorithm):
    code, out, _ = call("learn", table, "--targets", "did", "--algorithm", algorithm)
    assert code == 0
    assert "A -> B" in out or algorithm == "pc-stable"


def test_ges_and_the_report_refuse_in_one_line(call, table):
    for arguments in (["learn", table, "--algorithm", "ges"], ["report", table, "-o", "r.html"], ["assess", table]):
        code, _, err = call(*arguments, "--targets", "did")
        assert code == 2
        assert "not for data with interventions" in err


def test_describe_shows_the_column_and_save_keeps_it(call, table):
    _, out, _ = call("describe", table, "--targets", "did", "--save")
    assert any(line.split()[:2] == ["did", "targets"] for line in out.splitlines())
    assert "'B' in 200" in out
    facts = json.loads(call("learn", table, "--json")[1])
    assert sorted(map(tuple, facts["arcs"])) == [("A", "B"), ("B", "C")]


def test_other_commands_take_targets(call, table):
    call("learn", table, "--targets", "did", "-o", "net.bif")
    network = vd.read_network("net.bif")
    data = vd.read(table, targets="did")
    expected = vd.fit(network.dag, data)
    for name in "ABC":
        assert abs(network.table(name).probabilities - expected.table(name).probabilities).max() < 1e-9
    code, out, _ = call("score", table, "net.bif", "--targets", "did", "--score", "bic")
    assert code == 0
    assert f"{vd.score(network.dag, data, vd.BIC()):.6f}" in out
    for command in (
        ["bootstrap", table, "--repeats", "5"],
        ["posterior", table],
        ["best-networks", table, "-k", "3"],
        ["validate", table, "--repeats", "2"],
    ):
        code, out, err = call(*command, "--targets", "did")
        assert code == 0, err
        assert "B" in out + err
        assert "failed" not in out + err


def test_mistakes_name_the_option_and_the_remedy(call, table):
    _, _, err = call("learn", table, "--targets", "dit")
    assert "--targets names the column 'dit', which does not exist: did you mean 'did'?" in err
    Path("drug.csv").write_text(Path(table).read_text().replace(",B\n", ",drug\n"))
    code, _, err = call("learn", "drug.csv", "--targets", "did")
    assert code == 2
    assert "'drug'" in err
    assert "in the file next to the table" in err


def test_conditions_are_said_in_the_file_beside_the_table(call, table):
    text = Path(table).read_text().replace(",B\n", ",drug\n").replace(",\n", ",control\n")
    Path("drug.csv").write_text(text)
    Path("drug.toml").write_text('[reading.targets.did]\ndrug = ["B"]\ncontrol = []\n')
    facts = json.loads(call("learn", "drug.csv", "--json")[1])
    assert sorted(map(tuple, facts["arcs"])) == [("A", "B"), ("B", "C")]
