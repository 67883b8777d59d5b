"""The command on the probabilities of arcs."""

from __future__ import annotations

import csv
import json
from contextlib import nullcontext

import numpy as np
import pytest

import veridag as vd
from veridag.cli import posterior as command
from veridag.data import Column


def test_the_table_has_the_pairs_worth_naming(call, asia_csv):
    code, out, err = call("posterior", asia_csv)
    assert code == 0
    found = vd.posterior(vd.read(asia_csv))
    likely = [pair for pair in found.pairs if pair.probability + pair.reverse >= 0.05]
    lines = out.splitlines()
    assert lines[0].split() == ["pair", "forward", "backward", "joined"]
    assert [line.split() for line in lines[1:]] == [
        [p.source, "->", p.target, f"{p.probability:.3f}", f"{p.reverse:.3f}", f"{p.joined:.3f}"] for p in likely
    ]
    assert err.startswith("exact posterior, at most ")
    assert f"{len(likely)} of 28 pairs are joined" in err
    assert "settings: BDeu(ess=1.0), Fair()\n" in err


def test_files_have_all_pairs_and_a_figure(call, asia_csv, tmp_path):
    table, figure = tmp_path / "pairs.csv", tmp_path / "p.svg"
    settings = ["--score", "bdeu(ess=5)", "--prior", "uniform", "--max-indegree", "2", "--forbid", "lung:smoke"]
    code, _, _ = call("posterior", asia_csv, *settings, "--require", "asia:tub", "-o", table, "--figure", figure)
    assert code == 0
    known = vd.Knowledge(required=[("asia", "tub")], forbidden=[("lung", "smoke")])
    found = vd.posterior(
        vd.read(asia_csv), score=vd.BDeu(ess=5), prior=vd.Uniform(), max_indegree=2, knowledge=known, method="exact"
    )
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["source"], row["target"]) for row in rows] == [(p.source, p.target) for p in found.pairs]
    assert [float(row["joined"]) for row in rows] == pytest.approx([p.joined for p in found.pairs])
    assert [float(row["backward"]) for row in rows] == pytest.approx([p.reverse for p in found.pairs])
    assert float(rows[0]["forward"]) == pytest.approx(found.pairs[0].probability)
    assert figure.read_text("utf-8").lstrip().startswith("<?xml")


def test_json_of_the_exact_posterior(call, asia_csv):
    code, out, _ = call("posterior", asia_csv, "--json")
    answer, found = json.loads(out), vd.posterior(vd.read(asia_csv), method="exact")
    assert code == 0
    assert answer["method"] == "exact"
    assert answer["expected"]["bytes"] > 0
    assert answer["log_sum"] == pytest.approx(found.log_sum)
    assert answer["variables"] == list(found.names)
    assert [p["joined"] for p in answer["pairs"]] == pytest.approx([p.joined for p in found.pairs])
    assert [tuple(arc) for arc in answer["median_network"]] == list(found.median_network().arcs)


def test_draws_come_with_how_far_to_trust_them(call, asia_csv):
    words = [
        "posterior",
        asia_csv,
        "--method",
        "sample",
        "--draws",
        "30",
        "--chains",
        "3",
        "--seed",
        "4",
        "--jobs",
        "2",
    ]
    code, out, err = call(*words)
    found = vd.sample_posterior(vd.read(asia_csv), draws=30, chains=3, seed=4)
    assert code == 0
    assert f"{found.pairs[0].source} -> {found.pairs[0].target}" in out
    assert err.startswith("sampled posterior\n")
    assert "30 draws of each of 3 chains" in err
    assert f"R-hat at most {found.worst_rhat:.3f}, effective sample size {found.ess:.0f}" in err
    assert ("the chains have not converged to 1.01" in err) == (found.worst_rhat > 1.01)
    answer = json.loads(call(*words, "--json")[1])
    assert (answer["draws"], answer["chains"], answer["stopped"]) == (30, 3, "draws")
    assert answer["worst_rhat"] == pytest.approx(found.worst_rhat)
    assert answer["ess"] == pytest.approx(found.ess)
    assert answer["pairs"][0]["forward"] == pytest.approx(found.pairs[0].probability)


@pytest.mark.slow
def test_a_query_is_averaged_over_networks(call, asia_csv):
    words = ["posterior", asia_csv, "--query", "lung", "-e", "smoke=yes", "--networks", "60", "--seed", "3"]
    found = vd.posterior(vd.read(asia_csv)).query("lung", {"smoke": "yes"}, networks=60, seed=3)
    code, out, err = call(*words)
    assert (code, out) == (0, repr(found) + "\n")
    assert "exact: each probability is within" in err
    answer = json.loads(call(*words, "--json")[1])["answer"]
    assert answer["evidence"] == {"smoke": "yes"}
    assert [cell["probability"] for cell in answer["distribution"]] == pytest.approx(found.probabilities)
    assert answer["errors"] == pytest.approx(found.errors)
    assert answer["networks"] == 60


def test_a_query_about_numbers_has_means_with_errors(call, tmp_path):
    path = tmp_path / "numbers.csv"
    x = np.random.default_rng(1).normal(size=(40, 2))
    path.write_text("\n".join(["x,y", *(f"{a:.4f},{a + b:.4f}" for a, b in x)]))
    words = ["posterior", path, "--method", "sample", "--draws", "12", "--temperatures", "2"]
    code, out, _ = call(*words, "--query", "y", "-e", "x=1.5", "--json")
    found = vd.sample_posterior(vd.read(path), draws=12, temperatures=2).query("y", {"x": 1.5})
    answer = json.loads(out)["answer"]
    assert code == 0
    assert answer["mean"] == pytest.approx(found.mean)
    assert answer["mean_errors"] == pytest.approx(found.mean_errors)


def test_the_group_of_a_query_is_evidence(call, tmp_path):
    path = tmp_path / "trials.csv"
    vd.simulate.related(3, 2, rows=40, seed=1).data.write(path, group="site")
    data = vd.read(path, group="site")
    group, state = data.groups[1], data.states["X1"][0]
    words = ["--group", "site", "--query", "X2", "-e", f"site={group}", "-e", f"X1={state}", "--networks", "40"]
    code, out, _ = call("posterior", path, *words)
    assert (code, out) == (0, repr(vd.posterior(data).query("X2", {"X1": state}, networks=40, group=group)) + "\n")


def test_options_for_draws_are_noted_if_there_are_none(call, asia_csv):
    code, _, err = call("posterior", asia_csv, "--draws", "5", "--precision", "0.1")
    assert code == 0
    assert err.startswith("exact posterior")
    assert (
        "note: --draws and --precision: the posterior is exact and has no draws: leave it out, or use --method sample"
        in err
    )


def test_what_draws_do_not_tell_is_null(call, asia_csv):
    code, out, _ = call("posterior", asia_csv, "--method", "sample", "--draws", "1", "--chains", "1", "--json")
    assert code == 0
    assert json.loads(out)["worst_rhat"] is None


def test_many_columns_are_sampled_and_a_screen_of_pairs_is_printed(call, tmp_path):
    path = tmp_path / "wide.csv"
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 60)
    vd.Data([Column.discrete(f"v{i:02}", (first + (rng.random(60) < 0.1)) % 2, "ab") for i in range(24)]).write(path)
    code, out, err = call("posterior", path, "--draws", "8", "--chains", "2", "--max-indegree", "2")
    assert code == 0
    assert "sampled posterior: 24 variables are too many for the exact posterior" in err
    lines = out.splitlines()
    assert len(lines) == 41
    assert " more: -o FILE or --json gives all" in err


def test_ctrl_c_keeps_the_draws(call, asia_csv, tmp_path, monkeypatch):
    def stop(what: str, done: int, total: int | None, extra: object) -> None:
        if what == "draws" and done >= 5:
            raise KeyboardInterrupt

    said = []
    monkeypatch.setattr(command, "progress_bar", lambda what, keeps: said.append(keeps) or nullcontext(stop))
    table = tmp_path / "kept.csv"
    code, out, err = call("posterior", asia_csv, "--method", "sample", "--draws", "1000000", "-o", table)
    assert code == 130
    assert said == ["the draws so far"]
    assert "stopped by Ctrl-C; split R-hat" in err
    assert " -> " in out
    assert len(table.read_text("utf-8").splitlines()) > 5


def test_gaps_are_scored_by_pnal_with_a_note(call, tmp_path):
    path = tmp_path / "gaps.csv"
    lines = ["a,b,c", *(f"{'yn'[i % 2]},{'yn'[i % 3 == 0]},{'yn'[i // 2 % 2] if i % 9 else ''}" for i in range(90))]
    path.write_text("\n".join(lines))
    code, _, err = call("posterior", path)
    assert code == 0
    assert "note: values are missing, so the score is pnal" in err
    assert "settings: PNAL(k=None), Fair()" in err
    code, _, err = call("posterior", path, "--score", "bdeu")
    assert code == 2
    assert "missing" in err
    code, _, err = call("posterior", path, "--missing", "drop")
    assert code == 0
    assert "settings: BDeu(ess=10.0), Fair()" in err


def test_mixed_tables_are_scored_by_bcg(call, tmp_path):
    path = tmp_path / "mixed.csv"
    rng = np.random.default_rng(1)
    path.write_text(
        "\n".join(["k,x,y", *(f"{'ab'[i % 2]},{i % 2 + z:.4f},{z:.4f}" for i, z in enumerate(rng.normal(size=60)))])
    )
    code, out, err = call("posterior", path)
    assert code == 0
    assert "settings: BCG(" in err
    assert "k -> x" in out


def test_a_constant_column_is_joined_with_nothing(call, tmp_path):
    path = tmp_path / "constant.csv"
    path.write_text("\n".join(["a,b,c", *(f"{'yn'[i % 2]},{'yn'[i % 2]},same" for i in range(40))]))
    code, out, _ = call("posterior", path, "--json")
    assert code == 0
    assert {frozenset((p["source"], p["target"])) for p in json.loads(out)["pairs"]} == {frozenset("ab")}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "pairs.txt"], "must end in .csv"),
        (["--figure", "p.pdf"], "must end in .svg or .png"),
        (["-o", "-", "--figure", "-"], "--output and --figure: only one of them can be -"),
        (["--score", "bdeuu"], "did you mean 'bdeu'"),
        (["--method", "guess"], "--method"),
    ],
)
def test_mistakes_are_one_line(call, asia_csv, words, message):
    code, out, err = call("posterior", asia_csv, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1
