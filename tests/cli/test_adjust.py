"""What to adjust for, and interventions, on the command line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import veridag as vd

ASIA = vd.networks.load("asia")


def test_adjust_lists_the_sets_and_the_one_with_the_smallest_variance(call):
    code, out, _ = call("adjust", "[Z][W|Z][X|Z][Y|X:W]", "X", "Y")
    assert code == 0
    assert out.splitlines() == ["to estimate the effect of X on Y, adjust for", "  Z", "  W", "smallest variance: W"]


def test_adjust_says_that_nothing_is_needed(call):
    code, out, _ = call("adjust", "asia", "smoke", "dysp")
    assert code == 0
    assert "  (nothing)" in out.splitlines()


def test_adjust_as_json(call):
    code, out, _ = call("adjust", "asia", "smoke", "dysp", "--kind", "all", "--json")
    facts = json.loads(out)
    assert code == 0
    assert [tuple(z) for z in facts["sets"]] == ASIA.dag.adjustment_sets("smoke", "dysp", "all")
    assert tuple(facts["optimal"]) == ASIA.dag.optimal_adjustment("smoke", "dysp")
    assert facts["amenable"]
    assert "instruments" not in facts
    code, out, _ = call("adjust", "[U][Z][X|U:Z][M|X][Y|M:U]", "X", "Y", "--observed", "Z,M", "--json")
    facts = json.loads(out)
    assert facts["sets"] == []
    assert facts["instruments"] == [{"instrument": "Z", "given": []}]
    assert facts["front_door"] == [["M"]]


@pytest.mark.parametrize(
    ("graph", "observed", "way"),
    [
        ("[U][X|U][M|X][Y|M:U]", "M", "front door: M"),
        ("[U][W][Z|W][X|U:Z][Y|X:U:W]", "Z,W", "instrument, for linear models: Z given W"),
    ],
)
def test_without_a_set_other_ways_are_listed(call, graph, observed, way):
    code, out, _ = call("adjust", graph, "X", "Y", "--observed", observed)
    assert code == 0
    assert out.splitlines() == [
        "no set of these variables is a valid adjustment set for the effect of X on Y",
        way,
    ]


def test_adjust_says_that_an_effect_is_zero(call, tmp_path):
    path = ASIA.dag.cpdag().write(tmp_path / "class.json")
    for graph in ("asia", path):
        code, out, _ = call("adjust", graph, "dysp", "xray")
        assert (code, out) == (0, "dysp has no causal path to xray: its effect is zero\n")


def test_adjust_names_the_edges_that_have_to_be_directed(call, tmp_path):
    path = ASIA.dag.cpdag().write(tmp_path / "class.json")
    code, out, _ = call("adjust", path, "smoke", "dysp")
    assert code == 0
    assert out.startswith("the effect is not identified: the graph does not direct smoke - lung, smoke - bronc, ")
    facts = json.loads(call("adjust", path, "smoke", "dysp", "--json")[1])
    assert facts["amenable"] is False
    assert facts["obstacles"] == [["smoke", "lung"], ["smoke", "bronc"]]
    code, out, _ = call("adjust", path, "either", "dysp")
    assert "smallest variance: bronc" in out.splitlines()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["asia", "smok", "dysp"], "the graph has no variable 'smok': did you mean 'smoke'?"),
        (["asia", "smoke", "dysp", "--kind", "best"], "--kind best must be 'minimal', 'all' or 'backdoor'"),
        (["asia", "smoke", "dysp", "--kind", "all", "--most", "2"], "--most 2: there are more than 2 adjustment sets"),
    ],
)
def test_mistakes_name_the_option(call, words, message):
    code, _, err = call("adjust", *words)
    assert code == 2
    assert message in err


def test_a_partial_graph_is_refused(call, tmp_path):
    path = vd.PartialGraph.empty(["X", "Y"]).write(tmp_path / "partial.json")
    code, _, err = call("adjust", path, "X", "Y")
    assert code == 2
    assert "is a PartialGraph, but this command needs a DAG or a CPDAG" in err


def test_query_with_do_is_that_of_the_network(call):
    code, out, _ = call("query", "asia", "dysp", "-e", "tub=yes", "--do", "smoke=no", "--json")
    assert code == 0
    facts = json.loads(out)
    expected = ASIA.query("dysp", {"tub": "yes"}, do={"smoke": "no"})
    assert facts["distribution"][0]["probability"] == pytest.approx(expected["yes"])
    assert facts["do"] == {"smoke": "no"}
    assert "do" not in json.loads(call("query", "asia", "dysp", "--json")[1])
    _, out, _ = call("query", "asia", "dysp", "--do", "smoke=no")
    assert out.startswith("P(dysp | do(smoke = no))")


def test_wrong_interventions_name_the_option(call):
    for words, message in (
        (["--do", "smoke"], "--do takes NAME=STATE, not 'smoke'"),
        (["--do", "smoke=maybe"], "--do: 'smoke' has no state 'maybe'"),
        (["--do", "smoke=yes", "--do", "smoke=no"], "--do: 'smoke' is given as yes and as no: give it once"),
    ):
        code, _, err = call("query", "asia", "dysp", *words)
        assert code == 2
        assert message in err


@pytest.mark.medium
def test_sample_with_do_sets_the_variable_in_a_process_that_has_loaded_nothing_else():
    words = ["sample", "asia", "-n", "5", "--seed", "1", "--do", "smoke=no"]
    done = subprocess.run(
        [sys.executable, "-m", "veridag.cli", *words], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    at = done[0].split(",").index("smoke")
    assert [row.split(",")[at] for row in done[1:]] == ["no"] * 5
