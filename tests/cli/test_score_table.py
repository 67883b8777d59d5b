from __future__ import annotations

import pytest
from typer.testing import CliRunner

import veridag as vd
from veridag.cli import app, main

run = CliRunner().invoke


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "cases.csv"
    vd.networks.load("asia").sample(300, seed=1).write(path)
    return str(path)


def test_a_table_is_written(cases, tmp_path):
    path = tmp_path / "t.jkl"
    given = ["--score", "bdeu(ess=2)", "--prior", "fair", "--max-indegree", "2", "--forbid", "asia:tub"]
    done = run(app, ["table", cases, "-o", str(path), *given])
    assert done.exit_code == 0, done.output
    expected = vd.score_table(vd.read(cases), vd.BDeu(ess=2), vd.Fair(), 2, vd.Knowledge(forbidden=[("asia", "tub")]))
    found = vd.read_table(path)
    assert found.names == expected.names
    assert found.scores.tolist() == expected.scores.tolist()
    assert f"{len(expected)} parent sets of 8 variables" in done.stderr


def test_a_table_goes_to_standard_output(cases):
    done = run(app, ["table", cases, "-o", "-", "--max-indegree", "1"])
    assert done.exit_code == 0
    assert done.stdout.startswith("8\nasia ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "t.txt"], "must end in .jkl or .pss or .jkl.gz or .pss.gz"),
        (["-o", "t.jkl", "--memory-limit", "0.000001"], "not enough memory: the score table needs about"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(cases, capsys, words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["table", cases, *words])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err
