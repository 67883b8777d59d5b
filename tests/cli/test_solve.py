"""Exact search on the command line."""

from __future__ import annotations

import json

import pytest

import veridag as vd
from naive import exact as naive_tables
from veridag.graph import graph_from_json


@pytest.fixture
def table(tmp_path):
    table = naive_tables.random_table(5, 3)
    lines = ["# a comment", "5"]
    for name, rows in zip(table.names, naive_tables.rows_of(table), strict=True):
        lines.append(f"{name} {len(rows)}")
        lines += [" ".join(map(str, [value, len(s), *(table.names[p] for p in s)])) for value, s in reversed(rows)]
    path = tmp_path / "scores.jkl"
    path.write_text("\n".join(lines))
    return path, naive_tables.optimum(table)


def test_solve_finds_the_best_network_of_a_table(call, table):
    path, best = table
    code, out, err = call("solve", str(path), "-o", "-")
    assert code == 0
    assert "proven to be the best" in err
    assert f"{best:.6f}" in err
    assert len(graph_from_json(out).names) == 5
    code, out, _ = call("solve", str(path), "--json")
    facts = json.loads(out)
    assert facts["optimal"] is True
    assert facts["gap"] == 0
    assert facts["score"] == pytest.approx(best)


def test_solve_refuses_what_is_no_table(call, tmp_path):
    (tmp_path / "x.jkl").write_text("nonsense")
    code, _, err = call("solve", str(tmp_path / "x.jkl"))
    assert code == 2
    assert "x.jkl" in err


def test_learn_takes_exact_search_with_a_time_limit(call, tmp_path):
    vd.networks.load("asia").sample(300, seed=1).write(tmp_path / "asia.csv")
    learn = ["learn", str(tmp_path / "asia.csv"), "--algorithm", "exact(max_indegree=2)", "--time-limit", "60"]
    code, out, _ = call(*learn, "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["optimal"] is True
    assert facts["settings"] == repr(vd.Exact(max_indegree=2, time_limit=60.0))
    code, _, err = call(*learn)
    assert "proven to be the best" in err


def test_a_time_limit_is_for_exact_search_alone(call, tmp_path):
    vd.networks.load("asia").sample(30, seed=1).write(tmp_path / "asia.csv")
    code, _, err = call("learn", str(tmp_path / "asia.csv"), "--algorithm", "tabu", "--time-limit", "1")
    assert code == 2
    assert "'tabu' has no time limit" in err
