"""The most probable explanation and marginal MAP, against all configurations."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive import inference, mixed_networks
from veridag import InputError
from veridag.errors import speaking_flags
from veridag.network.query import TooLarge, elimination


def evidence_from(network: vd.Network, seed: int, count: int) -> dict[str, str | float]:
    """What one row of the network has for a few variables, so that it is possible."""
    data = network.sample(1, seed=seed)
    names = [str(v) for v in np.random.default_rng(seed).permutation(network.names)[:count]]
    columns = {c.name: c for c in data.columns}
    return {
        v: columns[v].states[columns[v].values[0]] if v in network.states else float(columns[v].values[0])
        for v in names
    }


@pytest.mark.parametrize("seed", range(12))
def test_no_configuration_is_more_probable(seed):
    network = inference.random_network(seed, 6, zeros=0.15)
    evidence = evidence_from(network, seed, seed % 4)
    found = network.most_probable(evidence)
    joint = inference.joint(network)
    possible = {
        states: p
        for states, p in joint.items()
        if all(states[network.names.index(v)] == state for v, state in evidence.items())
    }
    assert set(found.values) == set(network.names) - set(evidence)
    own = {**found.values, **evidence}
    chosen = possible[tuple(own[v] for v in network.names)]
    assert np.isclose(chosen, max(possible.values()), rtol=1e-12)
    assert np.isclose(found.log_probability, np.log(chosen))
    assert np.isclose(found.posterior, chosen / sum(possible.values()))


@pytest.mark.parametrize("seed", range(12))
def test_the_marginal_map_is_the_largest_entry_of_the_joint_table(seed):
    network = inference.random_network(seed, 7, zeros=0.1)
    evidence = evidence_from(network, seed, seed % 3)
    targets = [v for v in network.names if v not in evidence][: 1 + seed % 4]
    found = network.map(targets, evidence)
    table = inference.conditional(network, targets, evidence)
    chosen = table[tuple(found[v] for v in targets)]
    assert np.isclose(chosen, max(table.values()), rtol=1e-12)
    assert np.isclose(found.posterior, chosen)
    everything = {**evidence, **found.values}
    joint = inference.joint(network)
    total = sum(p for s, p in joint.items() if all(s[network.names.index(v)] == x for v, x in everything.items()))
    assert np.isclose(found.log_probability, np.log(total))


def test_the_map_of_some_differs_from_the_explanation_of_all():
    """Two states of b share the weight of one state of a, so summing b out changes the winner."""
    tables = {"a": vd.Table((), [0.4, 0.6]), "b": vd.Table(("a",), [[1.0, 0.0], [0.5, 0.5]])}
    network = vd.Network(tables, {"a": ["x", "y"], "b": ["u", "v"]})
    assert network.most_probable().values == {"a": "x", "b": "u"}
    assert network.map("a").values == {"a": "y"}
    assert np.isclose(network.map("a").posterior, 0.6)


@pytest.mark.parametrize("seed", range(10))
def test_mixed_networks_have_the_most_probable_configuration_and_the_mean_given_it(seed):
    network = mixed_networks.random_network(seed, 6, 0.5)
    evidence = evidence_from(network, seed, 2)
    discrete = [v for v in network.states if v not in evidence]
    continuous = [v for v in network.names if v not in network.states and v not in evidence]
    found = network.most_probable(evidence)
    table, means, _ = mixed_networks.posterior(network, discrete, continuous, evidence)
    cell = tuple(network.states[v].index(found[v]) for v in discrete)
    assert np.isclose(table[cell], table.max(), rtol=1e-9)
    np.testing.assert_allclose([found[v] for v in continuous], means[cell], rtol=1e-7, atol=1e-9)
    if discrete:
        several = network.map(discrete, evidence)
        assert np.isclose(several.posterior, table.max(), rtol=1e-9)


def test_a_gaussian_network_has_its_mean_and_the_density_there():
    network = vd.random_gaussian_network(vd.random_dag(5, arcs=6, seed=1), seed=2)
    a, b, *others = network.names
    found = network.map([a, b], {others[0]: 0.3})
    answer = network.query([a, b], {others[0]: 0.3})
    np.testing.assert_allclose([found[a], found[b]], answer.mean)
    assert np.isclose(found.posterior, 1 / np.sqrt(np.linalg.det(2 * np.pi * answer.covariance)))
    whole = network.most_probable({others[0]: 0.3})
    np.testing.assert_allclose([whole[a], whole[b]], answer.mean)


def test_what_cannot_be_answered_is_refused(monkeypatch):
    asia = vd.networks.load("asia")
    with pytest.raises(InputError, match="probability zero"):
        asia.most_probable({"lung": "yes", "either": "no"})
    with pytest.raises(InputError, match="probability zero"):
        asia.map("smoke", {"lung": "yes", "either": "no"})
    with pytest.raises(InputError, match="no variable is left to explain: leave some out"):
        asia.most_probable(dict.fromkeys(asia.names, "no"))
    with pytest.raises(InputError, match="did you mean 'smoke'"):
        asia.most_probable({"smok": "no"})
    mixed = mixed_networks.random_network(3, 6, 0.5)
    number = next(v for v in mixed.names if v not in mixed.states)
    with pytest.raises(InputError, match="is continuous"):
        mixed.map(number)
    alarm = vd.networks.load("alarm")
    monkeypatch.setattr(elimination, "MAX_ENTRIES", 50)
    with pytest.raises(TooLarge, match="entries"):
        alarm.map(["LVFAILURE", "HYPOVOLEMIA", "SAO2"], {"HRBP": "HIGH", "BP": "LOW"})


def test_all_targets_are_found_even_if_their_joint_table_would_be_too_large():
    alarm = vd.networks.load("alarm")
    found = alarm.map(alarm.names)
    assert np.isclose(found.log_probability, alarm.most_probable().log_probability)
    assert "most probable" in repr(found)
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize("seed", range(6))
def test_a_likelihood_weighs_the_configurations(seed):
    network = inference.random_network(seed, 5)
    rng = np.random.default_rng(seed)
    soft = {v: {s: float(rng.random()) for s in network.states[v]} for v in network.names[1:3]}
    target = network.names[0]
    found = network.query(target, {network.names[4]: network.states[network.names[4]][0]}, likelihood=soft)
    weights = dict.fromkeys(network.states[target], 0.0)
    for states, p in inference.joint(network).items():
        at = dict(zip(network.names, states, strict=True))
        if at[network.names[4]] == network.states[network.names[4]][0]:
            weights[at[target]] += p * np.prod([own[at[v]] for v, own in soft.items()])
    total = sum(weights.values())
    np.testing.assert_allclose(found.probabilities, [w / total for w in weights.values()])


def test_a_certain_likelihood_is_evidence_and_an_even_one_is_nothing():
    asia = vd.networks.load("asia")
    hard = asia.query("lung", likelihood={"xray": {"yes": 3.0, "no": 0.0}})
    np.testing.assert_allclose(hard.probabilities, asia.query("lung", {"xray": "yes"}).probabilities)
    even = asia.query("lung", likelihood={"xray": {"yes": 0.5, "no": 0.5}})
    np.testing.assert_allclose(even.probabilities, asia.query("lung").probabilities)
    assert "xray = yes (3) or no (0)" in repr(hard)
    of_itself = asia.query("xray", likelihood={"xray": {"yes": 9, "no": 1}})
    odds = asia.query("xray")["yes"] / asia.query("xray")["no"]
    assert np.isclose(of_itself["yes"] / of_itself["no"], 9 * odds)


def test_soft_evidence_works_in_mixed_networks():
    network = mixed_networks.random_network(8, 6, 0.6)
    v = next(iter(network.states))
    number = next(x for x in network.names if x not in network.states)
    soft = dict(zip(network.states[v], (0.2, 0.5, 0.3), strict=False))
    found = network.query(number, likelihood={v: soft})
    table, means, _ = mixed_networks.posterior(network, [v], [number], {})
    weights = table * np.array(list(soft.values()))
    np.testing.assert_allclose(found.mean[0], weights @ means[:, 0] / weights.sum())


@pytest.mark.parametrize(
    ("likelihood", "message"),
    [
        ({"xra": {"yes": 1, "no": 1}}, "did you mean 'xray'"),
        ({"xray": {"yes": 1}}, "'no' of 'xray' has no number"),
        ({"xray": {"yes": 1, "no": -1}}, "at least 0, not -1"),
        ({"xray": {"yes": 1, "no": 1, "maybe": 1}}, "no state 'maybe'"),
        ({"xray": {"yes": 0, "no": 0}}, "all states of 'xray' have likelihood 0"),
        ({"xray": 0.8}, "a number for each state"),
    ],
)
def test_a_likelihood_that_makes_no_sense_is_refused(likelihood, message):
    with pytest.raises(InputError, match=message):
        vd.networks.load("asia").query("lung", likelihood=likelihood)


def test_a_network_that_is_too_large_has_remedies_for_this_question(monkeypatch):
    network = vd.networks.load("alarm")
    monkeypatch.setattr(elimination, "MAX_ENTRIES", 50)
    with pytest.raises(TooLarge, match=r"give more evidence, or use Network.map for a few variables$"):
        network.most_probable()
    with speaking_flags(), pytest.raises(TooLarge, match=r"or name only the variables you need$"):
        network.most_probable()
    with speaking_flags(), pytest.raises(TooLarge, match=r"in Python, use Network.estimate"):
        network.query(network.names[:8])


def test_evidence_for_an_explanation_must_be_a_mapping():
    with pytest.raises(InputError, match="evidence: give each variable its value"):
        vd.networks.load("asia").most_probable("smoke=yes")
