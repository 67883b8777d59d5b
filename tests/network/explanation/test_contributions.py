"""Contributions of pieces of evidence, against orders and subsets asked one by one."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import veridag as vd
from naive import mixed_networks
from veridag import InputError, LinearGaussian, Network, Table

EVIDENCE = {"xray": "yes", "smoke": "yes", "dysp": "no", "asia": "no"}


def logit(p: float) -> float:
    return float(np.log(p / (1 - p)))


def test_shapley_values_are_the_mean_over_all_orders():
    asia = vd.networks.load("asia")
    found = asia.explain("lung", EVIDENCE, "yes")
    expected = dict.fromkeys(EVIDENCE, 0.0)
    orders = list(permutations(EVIDENCE))
    for order in orders:
        known: dict[str, str] = {}
        for name in order:
            before = logit(asia.query("lung", known)["yes"])
            known[name] = EVIDENCE[name]
            expected[name] += (logit(asia.query("lung", known)["yes"]) - before) / len(orders)
    for finding in found.findings:
        assert np.isclose(finding.shapley, expected[finding.name], atol=1e-9)
    total = sum(finding.shapley for finding in found.findings)
    assert np.isclose(total, logit(found.posterior) - logit(found.prior))


def test_each_finding_has_the_answers_alone_and_without_it():
    asia = vd.networks.load("asia")
    found = asia.explain("lung", EVIDENCE, "yes")
    assert np.isclose(found.prior, asia.query("lung")["yes"])
    assert np.isclose(found.posterior, asia.query("lung", EVIDENCE)["yes"])
    for finding in found.findings:
        others = {v: s for v, s in EVIDENCE.items() if v != finding.name}
        assert np.isclose(finding.alone, asia.query("lung", {finding.name: finding.value})["yes"])
        assert np.isclose(finding.without, asia.query("lung", others)["yes"])
        assert np.isclose(finding.change, logit(found.posterior) - logit(finding.without))


def test_many_findings_have_changes_but_no_shapley_values():
    alarm = vd.networks.load("alarm")
    names = [v for v in alarm.names if v != "LVFAILURE"][:14]
    data = alarm.sample(1, seed=3)
    evidence = {v: alarm.states[v][data.column(v)[0]] for v in names}
    found = alarm.explain("LVFAILURE", evidence)
    assert all(finding.shapley is None for finding in found.findings)
    one = found.findings[3]
    others = {v: s for v, s in evidence.items() if v != one.name}
    without = alarm.query("LVFAILURE", others)[found.state]
    assert np.isclose(one.without, without)
    assert one.contribution == one.change


def test_without_a_state_the_most_probable_one_is_explained():
    asia = vd.networks.load("asia")
    assert asia.explain("lung", {"smoke": "yes"}).state == "no"
    assert asia.explain("lung", {"xray": "yes", "smoke": "yes"}).state == "yes"


def test_the_mean_of_a_continuous_target_is_explained():
    network = Network(
        {
            "a": LinearGaussian((), 0.0, [], 1.0),
            "b": LinearGaussian((), 0.0, [], 1.0),
            "c": LinearGaussian(("a", "b"), 1.0, [2.0, -3.0], 0.5),
        }
    )
    found = network.explain("c", {"a": 1.0, "b": 0.5})
    assert (found.measure, found.state) == ("mean", None)
    assert np.isclose(found.prior, 1.0)
    assert np.isclose(found.posterior, 1.5)
    np.testing.assert_allclose([f.shapley for f in found.findings], [2.0, -1.5])
    assert "the expected value of c from 1 to 1.5" in found.sentence
    assert "raised by a = 1 (+2)" in found.sentence
    assert "lowered by b = 0.5 (-1.5)" in found.sentence


def test_mixed_evidence_is_explained():
    network = mixed_networks.random_network(8, 6, 0.6)
    target = next(v for v in network.states if len(network.states[v]) > 1)
    number = [v for v in network.names if v not in network.states][:2]
    found = network.explain(target, dict.fromkeys(number, 0.7))
    state = network.states[target].index(found.state)
    table, _, _ = mixed_networks.posterior(network, [target], [], dict.fromkeys(number, 0.7))
    assert np.isclose(found.posterior, table[state])
    assert np.isclose(sum(f.shapley for f in found.findings), logit(found.posterior) - logit(found.prior))


def test_certain_answers_have_finite_contributions():
    network = Network(
        {"a": Table((), [0.5, 0.5]), "b": Table(("a",), [[1.0, 0.0], [0.0, 1.0]])},
        {"a": ["x", "y"], "b": ["u", "v"]},
    )
    found = network.explain("a", {"b": "u"})
    assert found.posterior == 1
    assert np.isfinite(found.findings[0].shapley)


def test_the_sentence_says_what_moved_the_answer_and_what_did_not():
    said = vd.networks.load("asia").explain("lung", EVIDENCE, "yes").sentence
    assert said.startswith("The evidence raises P(lung = yes) from 0.055 to 0.434.")
    assert said.index("raised by xray = yes (+2.85) and smoke = yes (+0.734)") < said.index("lowered by dysp = no")
    assert "Little effect: asia = no." in said
    assert "Shapley values, in log-odds" in said
    nothing = vd.networks.load("asia").explain("lung", {}, "yes")
    assert nothing.sentence == "There is no evidence: P(lung = yes) is 0.055."
    unrelated = vd.networks.load("asia").explain("smoke", {"asia": "yes"})
    assert "barely changes" in unrelated.sentence


def test_an_explanation_shows_itself():
    found = vd.networks.load("asia").explain("lung", EVIDENCE)
    assert [f.name for f in found.ranked] == ["xray", "dysp", "smoke", "asia"]
    assert "Shapley value" in repr(found)
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lung", {"lung": "yes"}), "part of the evidence"),
        (("lung", {"smoke": "yes"}, "maybe"), "no state 'maybe'"),
        (("smoke", {"lung": "yes", "either": "no"}), "probability zero"),
    ],
)
def test_wrong_questions_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        vd.networks.load("asia").explain(*arguments)


def test_a_continuous_target_has_no_state_to_explain():
    network = vd.random_gaussian_network(vd.random_dag(3, arcs=2, seed=1), seed=2)
    with pytest.raises(InputError, match="leave it out"):
        network.explain(network.names[0], {network.names[1]: 1.0}, "high")


def test_certainty_is_shown_as_such_and_not_as_a_number():
    asia = vd.networks.load("asia")
    found = asia.explain("either", {"lung": "yes", "xray": "yes", "smoke": "no"}, "yes")
    certain = {own.name: own.certain for own in found.findings}
    assert found.posterior == 1
    assert certain == {"lung": True, "xray": False, "smoke": False}
    assert "lung = yes (certain)" in found.sentence
    [row] = [line for line in repr(found).splitlines() if line.startswith("lung = yes")]
    assert row.split()[-2:] == ["certain", "certain"]
    assert not any(own.certain for own in asia.explain("lung", EVIDENCE).findings)
