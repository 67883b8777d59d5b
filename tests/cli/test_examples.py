"""The examples of every command's help run as they stand, in a folder with the files that they name."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import typer

import veridag as vd
from veridag.cli import app
from veridag.criteria.score_table import write_table

STUDY = """
kind = "learning"
title = "Does a prior help on few rows?"

[grid]
repetitions = 2
measures = ["shd", "arcs"]
networks = ["asia"]
sizes = [50, 100]

[grid.learners]
"uniform" = "tabu(score=bdeu, prior=uniform)"
"fair" = "tabu(score=bdeu, prior=fair)"
"""


def commands() -> dict[str, typer.core.TyperCommand]:
    """All commands by what is typed, those of `veridag study` among them."""
    found = {}
    for name, command in typer.main.get_command(app).commands.items():
        inner = getattr(command, "commands", None)
        found |= {name: command} if inner is None else {f"{name} {own}": inner[own] for own in inner}
    return found


COMMANDS = commands()
EXAMPLES = [(name, line) for name, command in COMMANDS.items() for line in (command.epilog or "").splitlines()]
LONG = ("report", "validate", "bootstrap", "study run", "study status", "study export", "study figures")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> dict[str, bytes]:
    """The files that the examples name, by name."""
    folder = tmp_path_factory.mktemp("examples")
    rng = np.random.default_rng(1)
    lines = ["name,hospital,age,smoker,bronchitis,cancer,xray"]
    for i in range(200):
        smoker, age = rng.random() < 0.4, rng.normal(55, 12)
        bronchitis, cancer = rng.random() < 0.2 + 0.4 * smoker, rng.random() < 0.1 + 0.4 * smoker
        xray = rng.random() < 0.1 + 0.8 * cancer
        states = ",".join("yes" if state else "no" for state in (smoker, bronchitis, cancer, xray))
        lines.append(f"Patient {i} Smith,{'AB'[i % 2]},{10 * round(age / 10)},{states}")
    (folder / "cases.csv").write_text("\n".join(lines))
    (folder / "survey.csv").write_text("age,income\n" + "young,low\nold,\nold,high\n" * 9)
    (folder / "tiers.txt").write_text("age, smoker\nbronchitis, cancer\nxray\n")
    (folder / "mine.toml").write_text(STUDY)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def made(prepared, tmp_path_factory) -> dict[str, bytes]:
    """Those files, and what earlier commands make of them."""
    folder = tmp_path_factory.mktemp("made")
    for name, content in prepared.items():
        (folder / name).write_bytes(content)
    data = vd.read(folder / "cases.csv", strict=False)
    dag = vd.learn(data).dag
    (folder / "graph.json").write_text(dag.to_json())
    with warnings.catch_warnings(action="ignore"):  # of states that other programs cannot read as they are
        vd.fit(dag, data).write(folder / "net.bif")
    write_table(vd.score_table(data, vd.BIC(), max_indegree=3), folder / "scores.jkl")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(made, tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_of_its_own_that_fit_a_terminal(call, name):
    examples = (COMMANDS[name].epilog or "").splitlines()
    assert examples
    assert any(line.startswith(f"veridag {name}") for line in examples)
    code, out, _ = call(*name.split(), "-h")
    assert code == 0
    for line in examples:
        assert f"\n  {line}\n" in out
        assert len(line) < 78


@pytest.mark.parametrize(
    ("name", "line"),
    [
        pytest.param(name, line, marks=pytest.mark.slow if name in LONG else pytest.mark.medium, id=line)
        for name, line in EXAMPLES
    ],
)
def test_the_examples_of_every_help_run(folder, pipeline, monkeypatch, name, line):
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets: None)  # it would serve for ever
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    if name in ("study status", "study export", "study figures"):
        assert pipeline("veridag study run mine.toml --jobs 1")[0] == 0
    if "cells.csv.gz" in line and name == "study run":
        assert pipeline("veridag study run mine.toml --store other.sqlite --jobs 1")[0] == 0
        assert pipeline("veridag study export mine.toml --store other.sqlite --compact --csv cells.csv.gz")[0] == 0
    code, _, err = pipeline(line)
    assert code == 0, err
    assert "Warning" not in err
