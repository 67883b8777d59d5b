"""The commands score, test and count."""

from __future__ import annotations

import json
import sys

import pytest

import veridag as vd


def test_score_prints_the_score_of_the_library(call, asia_csv):
    network = vd.networks.load("asia")
    data = vd.read(asia_csv, states=dict(network.states))
    expected = vd.score(network.dag, data, vd.BDeu(ess=2), vd.Fair())
    options = ["--score", "bdeu(ess=2)", "--prior", "fair", "--states", "asia"]
    code, out, err = call("score", asia_csv, "asia", *options)
    assert code == 0, err
    assert float(out) == pytest.approx(expected, abs=1e-6)
    _, out, _ = call("score", asia_csv, "asia", *options, "--by-node")
    assert len(out.splitlines()) == 9
    assert float(out.splitlines()[-1].split()[1]) == pytest.approx(expected, abs=1e-6)
    _, out, _ = call("score", asia_csv, "asia", *options, "--json")
    answer = json.loads(out)
    assert answer["total"] == expected
    assert answer["score"] == "BDeu(ess=2.0)"
    assert set(answer["nodes"]) == set(network.names)


def test_test_prints_the_decision_of_the_library(call, asia_csv):
    options = ["--given", "smoke, either", "--test", "g2(alpha=0.01)", "--states", "asia"]
    code, out, err = call("test", asia_csv, "lung", "bronc", *options)
    assert code == 0, err
    assert out.startswith("lung and bronc are independent given smoke, either: ")
    _, out, _ = call("test", asia_csv, "lung", "bronc", *options, "--json")
    data = vd.read(asia_csv, states=dict(vd.networks.load("asia").states))
    expected = vd.test("lung", "bronc", ["smoke", "either"], data, vd.G2(alpha=0.01))
    assert json.loads(out)["p_value"] == expected.p_value


@pytest.mark.medium
def test_count_counts_and_draws(call, tmp_path):
    assert call("count", "8")[1].strip() == "783702329343"
    assert call("count", "4", "--max-indegree", "1")[1].strip() == "125"
    code, out, _ = call("count", "32", "--prior", "uniform", "--max-indegree", "5")
    probabilities = [float(line.split()[1]) for line in out.splitlines()]
    assert code == 0
    assert probabilities[5] / probabilities[0] == pytest.approx(11.497, abs=1e-3)
    limit = sys.get_int_max_str_digits()
    assert len(call("count", "200")[1].strip()) > 4300
    assert sys.get_int_max_str_digits() == limit  # of the whole process
    target = tmp_path / "figure.svg"
    assert call("count", "--figure", "-o", str(target))[0] == 0
    assert "<svg" in target.read_text("utf-8")[:1000]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["score", "DATA", "asia", "--score", "bdue"], "There are aic, "),
        (["score", "DATA", "asia", "--prior", "fare"], "did you mean 'fair'"),
        (["score", "DATA", "[A][B|A]"], "there is no column 'A', which is needed here"),
        (["score", "DATA", "asia", "--score", "bge"], "does not score discrete data"),
        (["test", "DATA", "lung", "smok"], "did you mean 'smoke'"),
        (["test", "DATA", "lung", "lung"], "two different variables"),
        (["test", "DATA", "lung", "smoke", "--test", "fisher-z"], "does not test discrete data"),
        (["count"], "N, the number of variables, is missing"),
        (["count", "5", "--prior", "data-size"], "rows"),
    ],
)
def test_a_mistake_in_scores_tests_and_counts_is_named(call, asia_csv, words, message):
    code, out, err = call(*(asia_csv if word == "DATA" else word for word in words))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert message in err


def test_entropies_are_those_of_the_library(call, asia_csv):
    data, dag = vd.read(asia_csv), vd.networks.load("asia").dag
    facts = json.loads(call("score", asia_csv, "asia", "--entropy", "--json")[1])
    assert facts["entropies"] == {v: vd.posterior_entropy(data, v, dag.parents(v)) for v in dag.names}
    lines = call("score", asia_csv, "asia", "--entropy")[1].splitlines()
    assert lines[0].split()[-2:] == ["entropy", f"{facts['entropies']['asia']:.6f}"]
    assert len(lines) == 9
