"""`veridag fit --intervals`."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import veridag as vd


def test_intervals_are_those_of_the_network(call, asia_csv, tmp_path):
    net, table, records = (tmp_path / name for name in ("net.bif", "i.csv", "i.json"))
    command = ("fit", asia_csv, "--graph", "asia", "--ess", "4", "-o", net, "--level", "0.8", "--intervals")
    assert call(*command, table)[0] == 0
    assert call(*command, records)[0] == 0
    network = vd.fit(vd.networks.load("asia").dag, vd.read(asia_csv), 4)
    expected = [(name, x) for name in network.names for x in network.intervals(name, 0.8)]
    with table.open() as lines:
        rows = list(csv.DictReader(lines))
    found = json.loads(records.read_text())
    for (name, x), row, record in zip(expected, rows, found, strict=True):
        assert (row["variable"], row["parameter"]) == (record["variable"], record["parameter"]) == (name, x.parameter)
        assert tuple(record["given"].values()) == x.given
        assert row["given"] == ", ".join(f"{v} = {state}" for v, state in record["given"].items())
        for key in ("estimate", "lower", "upper"):
            assert float(row[key]) == record[key] == getattr(x, key)
        assert float(row["level"]) == record["level"] == 0.8


def test_groups_have_intervals_each(call, tmp_path):
    sample = vd.simulate.related(nodes=2, groups=2, states=2, rows=60, seed=1)
    table, records = tmp_path / "t.csv", tmp_path / "i.json"
    sample.data.write(table, group="site")
    a, b = sample.data.names
    graph = f"[{a}][{b}|{a}]"
    fit = ("fit", table, "--group", "site", "--graph", graph, "--method", "separate", "-o", tmp_path / "net.bif")
    assert call(*fit, "--intervals", records)[0] == 0
    found = json.loads(records.read_text())
    assert [record["group"] for record in found] == [label for label in sample.data.groups for _ in range(6)]


def test_ends_that_are_not_there_are_null(call, tmp_path):
    """Of the one row with d = c nothing is known, and JSON has no NaN."""
    rng = np.random.default_rng(1)
    lines = ["d,x", *(f"{d},{x:.3f}" for d, x in zip("ab" * 20 + "c", rng.normal(0, 1, 41), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    records = tmp_path / "i.json"
    fit = ("fit", tmp_path / "t.csv", "--graph", "[d][x|d]", "-o", tmp_path / "net.json", "--intervals", records)
    assert call(*fit)[0] == 0
    found = [r for r in json.loads(records.read_text()) if r["variable"] == "x"]
    assert [r["lower"] is None for r in found] == [False] * 4 + [True] * 2


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--ess", "0"), "maximum likelihood, which has no posterior: fit with --ess 1"),
        (("--level", "95"), "--level 95.0 must be a number between 0 and 1"),
        (("--intervals", "i.txt"), "must end in .csv or .json"),
        (("--intervals", "-", "-o", "-"), "only one of them can be -"),
    ],
)
def test_what_cannot_be_had_is_refused_before_anything_is_written(
    call, asia_csv, tmp_path, monkeypatch, options, complaint
):
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    code, _, err = call("fit", asia_csv, "--graph", "asia", "-o", "net.bif", "--intervals", "i.csv", *options)
    assert code != 0
    assert complaint in err
    assert set(tmp_path.iterdir()) == before


def test_gaps_are_refused_before_em_begins(call, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "x,y\nz,\nx,w\nz,w\n" * 5)
    fit = ("fit", tmp_path / "t.csv", "--graph", "[a][b|a]", "--missing", "keep", "-o", tmp_path / "net.bif")
    code, _, err = call(*fit, "--intervals", tmp_path / "i.csv")
    assert code != 0
    assert "EM" in err
    assert "--missing drop" in err
    assert not (tmp_path / "net.bif").exists()
