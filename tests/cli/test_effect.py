"""The command effect: what the library finds, and what is said of graphs that leave directions open."""

from __future__ import annotations

import json

import numpy as np
import pytest

import veridag as vd

ASIA = vd.networks.load("asia")


@pytest.fixture
def table(tmp_path) -> str:
    path = tmp_path / "cases.csv"
    ASIA.sample(1500, seed=1).write(path)
    return str(path)


@pytest.fixture
def graph(tmp_path) -> str:
    return str(ASIA.dag.write(tmp_path / "graph.json"))


def test_an_effect_is_that_of_the_library(call, table, graph):
    found = vd.effect(vd.read(table), ASIA.dag, "smoke", "dysp", given={"asia": "no"}, repeats=20, seed=3)
    words = ("effect", table, "smoke", "dysp", "--graph", graph, "--given", "asia=no", "-r", 20, "--seed", 3)
    code, out, err = call(*words)
    assert code == 0, err
    assert out == f"{found}\n"
    _, out, _ = call(*words, "--json")
    facts = json.loads(out)
    assert (facts["kind"], facts["adjustment"], facts["given"]) == ("effect", ["tub"], {"asia": "no"})
    assert facts["contrasts"][0]["difference"] == found.value
    assert facts["contrasts"][0]["ratio_low"] == found.ratio.low
    assert [level["value"] for level in facts["levels"]] == [level.estimate.value for level in found.levels]
    assert facts["sentence"] == found.sentence


def test_without_a_path_the_command_says_so_and_how_to_see_how_sure_that_is(call, table, graph):
    words = ("effect", table, "dysp", "smoke", "-g", graph, "-r", 20)
    _, out, _ = call(*words)
    assert out == (
        "In this graph, no directed path leads from dysp to smoke, so it implies no effect of dysp on smoke. How sure "
        "that is, --average tells.\n"
    )
    _, out, _ = call(*words, "--json")
    assert {json.loads(out)["contrasts"][0][end] for end in ("low", "high")} == {None}


def test_values_outcome_and_sets_can_be_chosen(call, table, graph):
    words = ("effect", table, "bronc", "dysp", "-g", graph, "-r", 0, "--json")
    _, out, err = call(*words, "--value", "yes", "--value", "no", "--outcome", "no", "--adjustment", "smoke,asia")
    facts = json.loads(out)
    assert facts["contrasts"][0]["baseline"] == "yes", err
    assert (facts["contrasts"][0]["outcome"], facts["adjustment"]) == ("no", ["asia", "smoke"])
    _, out, _ = call(*words, "--adjustment", "parents")
    assert json.loads(out)["adjustment"] == ["smoke"]


def test_a_class_shows_all_effects_and_what_would_settle_it(call, table, tmp_path):
    path = ASIA.dag.cpdag().write(tmp_path / "class.json")
    code, out, err = call("effect", table, "smoke", "dysp", "-g", path, "-r", 10)
    assert code == 0, err
    assert "its size is not determined: over the 6 DAGs" in out
    _, out, _ = call("effect", table, "smoke", "dysp", "-g", path, "-r", 10, "--json", "--adjustment", "parents")
    facts = json.loads(out)
    assert (facts["kind"], facts["method"], facts["class_size"]) == ("possible", "local", 6)
    assert facts["settled_by"] == [["smoke", "bronc"], ["smoke", "lung"]]
    assert facts["bounds"] == [facts["effects"][0]["value"], facts["effects"][-1]["value"]]
    code, _, err = call("effect", table, "smoke", "dysp", "-g", path, "--given", "asia=no")
    assert code == 2
    assert "leave out --given and name no set with --adjustment to see what the effect can be" in err
    code, _, err = call("effect", table, "smoke", "dysp", "-g", path, "--adjustment", "asia")
    assert code == 2
    assert "--adjustment: to adjust for asia is not valid in this graph: leave out --adjustment" in err


@pytest.mark.medium
def test_without_a_graph_one_is_learned_and_that_is_said(call, table):
    code, out, err = call("effect", table, "smoke", "bronc", "-r", 10, "--require", "smoke:bronc", "--json")
    assert code == 0, err
    assert "the graph was learned from the same rows, and the interval treats it as known" in err
    facts = json.loads(out)
    assert facts["kind"] == "effect"
    assert facts["contrasts"][0]["difference"] > 0.1
    code, out, err = call("effect", table, "smoke", "bronc", "--average", "-r", 4, "--json")
    assert code == 0, err
    facts = json.loads(out)
    assert (facts["kind"], facts["graphs"]) == ("averaged", 4)
    assert 0 <= facts["positive"] <= facts["any_effect"] <= 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("smoke", "dyspnoea"), "y: the data has no column 'dyspnoea'"),
        (("smoke", "dysp", "--value", "no"), "--value no: give two values"),
        (("smoke", "dysp", "--value", "no", "--value", "often"), "--value: 'smoke' has no state 'often'"),
        (("smoke", "dysp", "--given", "asia"), "--given takes NAME=VALUE"),
        (("smoke", "dysp", "--repeats", "-1"), "--repeats -1 must be"),
        (("smoke", "dysp", "--level", "2"), "--level 2.0 must be"),
        (("smoke", "dysp", "--graph", "asia", "--average"), "--graph: the graph is used as it is"),
        (("smoke", "dysp", "--average", "--given", "asia=no"), "leave out --given and --adjustment"),
    ],
)
def test_mistakes_are_named(call, table, words, message):
    code, out, err = call("effect", table, *words)
    assert (code, out) == (2, "")
    assert message in err


def test_an_interrupt_keeps_the_repeats_that_are_done(call, table, graph, monkeypatch):
    import importlib

    module = importlib.import_module("veridag.trust.effects.effect")

    def stopped(estimate, sample, repeats, seed, jobs, done, progress) -> None:
        done[0] = estimate(sample.weights)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "replicates", stopped)
    code, out, _ = call("effect", table, "smoke", "dysp", "-g", graph, "--json")
    assert code == 130
    assert json.loads(out)["repeats"] == 1


@pytest.mark.medium
def test_averages_leave_open_what_a_single_class_does(call, tmp_path):
    rng = np.random.default_rng(5)
    age = rng.uniform(20, 80, 800)
    ill = np.where(rng.random(800) < 1 / (1 + np.exp(-(age - 55) / 8)), "yes", "no")
    path = tmp_path / "age.csv"
    vd.Data.from_frame({"age": age, "ill": ill}).write(path)
    code, out, err = call("effect", path, "age", "ill", "-r", 20)
    assert code == 0, err
    assert "Whether age has an effect on ill is not determined" in out
    assert "BCG rules out arcs from continuous to discrete variables" in err
    _, out, _ = call("effect", path, "age", "ill", "--average", "-r", 10, "--json")
    facts = json.loads(out)
    assert facts["any_effect"] == pytest.approx(0.5)
    assert facts["notes"][0].startswith("BCG rules out arcs")


@pytest.mark.medium
def test_a_learned_class_is_directed_by_interventions(call, tmp_path):
    network = vd.random_network(vd.DAG.from_arcs([("A", "B")]), states=2, alpha=0.3, seed=2)
    path = tmp_path / "set.csv"
    vd.simulate.experiments(network, [None, "A"], rows=1000, seed=1).write(path)
    code, out, err = call("effect", path, "A", "B", "-r", 20, "--targets", "targets", "--json")
    assert code == 0, err
    assert json.loads(out)["kind"] == "effect"


def test_a_table_may_lack_columns_of_the_graph(call, tmp_path):
    path = tmp_path / "part.csv"
    ASIA.sample(500, seed=1).select(["smoke", "dysp"]).write(path)
    code, out, err = call("effect", path, "smoke", "dysp", "-g", "asia", "-r", 0)
    assert code == 0, err
    assert "adjusts for nothing, not for tub: the data has no column 'tub'" in out
    code, _, err = call("effect", path, "smoke", "xray", "-g", "asia")
    assert code == 2
    assert "y: the data has no column 'xray'" in err


def test_states_have_the_order_of_a_network(call, tmp_path):
    sachs = vd.networks.load("sachs")
    data, path = sachs.sample(500, seed=1), tmp_path / "cells.csv"
    data.write(path)
    assert vd.read(path).states["PKA"] != data.states["PKA"]
    code, out, err = call("effect", path, "PKA", "Akt", "-g", "sachs", "-r", 0)
    assert code == 0, err
    assert out == f"{vd.effect(data, sachs.dag, 'PKA', 'Akt', repeats=0)}\n"
    _, out, _ = call("effect", path, "PKA", "Akt", "-g", "sachs", "-r", 0, "--states", "PKA=HIGH,AVG,LOW", "--json")
    assert json.loads(out)["contrasts"][0]["baseline"] == "HIGH"
