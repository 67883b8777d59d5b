"""`veridag pooling`: what `vd.compare_pooling` says."""

from __future__ import annotations

import json

import pytest

import veridag as vd


@pytest.fixture
def table(tmp_path):
    made = vd.simulate.related(4, 3, rows=40, seed=1)
    made.data.write(tmp_path / "related.csv")
    return tmp_path / "related.csv", made.dag


def test_the_command_says_what_the_library_says(call, table):
    path, dag = table
    words = ("pooling", path, "--group", "group", "--graph", dag.to_modelstring(), "--folds", 3, "--seed", 2)
    found = vd.compare_pooling(dag, vd.read(path, group="group"), 3, 2.0, 0.5, seed=2)
    code, out, err = call(*words, "--ess", 2, "--alpha0", 0.5)
    assert (code, out) == (0, f"{found}\n"), err
    assert f"best: {found.best}" in err
    facts = json.loads(call(*words, "--ess", 2, "--alpha0", 0.5, "--json")[1])
    assert facts["best"] == found.best
    assert facts["gain"] == {"mean": float(found.gain), "standard_error": found.gain.standard_error}


def test_groups_are_asked_for(call, table):
    path, _ = table
    code, _, err = call("pooling", path, "--graph", "[X1][X2][X3][X4]")
    assert code == 2
    assert "--group" in err
