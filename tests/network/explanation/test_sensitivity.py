"""Derivatives of answers by parameters, against networks in which one entry was changed."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive import inference
from veridag import InputError, Network, Table


def changed(network: Network, variable: str, where: tuple[int, ...], value: float) -> Network:
    """The network with one entry set, and the others of its row in proportion."""
    table = network.table(variable)
    p = table.probabilities.copy()
    row, k = p[where[:-1]], where[-1]
    rest = 1 - row[k]
    others = row / rest * (1 - value) if rest > 0 else np.full(len(row), (1 - value) / (len(row) - 1))
    others[k] = value
    p[where[:-1]] = others
    return Network({**network.cpds, variable: Table(table.parents, p)}, network.states)


def answer(network: Network, target: str, evidence: dict[str, str]) -> np.ndarray:
    return np.array(list(inference.conditional(network, [target], evidence).values()))


def case(seed: int, zeros: float) -> tuple[Network, str, dict[str, str]]:
    network = inference.random_network(seed, 5, zeros=zeros)
    data = network.sample(1, seed=seed)
    target = max(network.names, key=lambda v: (len(network.states[v]), v))
    others = [v for v in network.names if v != target][: seed % 3]
    return network, target, {v: network.states[v][data.column(v)[0]] for v in others}


@pytest.mark.parametrize("seed", range(8))
def test_answers_are_a_ratio_of_linear_functions_of_every_entry(seed):
    network, target, evidence = case(seed, 0.2 * (seed % 2))
    state = network.states[target][0]
    found = network.sensitivity({target: state}, evidence)
    assert np.isclose(found.probability, answer(network, target, evidence)[0])
    for variable, own in found.derivatives.items():
        if len(network.states[variable]) == 1:
            assert not own.any()
            continue
        for where in np.ndindex(own.shape):
            value = network.table(variable).probabilities[where]
            step = 1e-6 if value < 0.5 else -1e-6
            there = answer(changed(network, variable, where, value + step), target, evidence)[0]
            assert np.isclose((there - found.probability) / step, own[where], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("seed", [0, 1, 2, 3, pytest.param(4, marks=pytest.mark.medium), 5])
def test_the_range_is_reached_and_the_flip_changes_the_most_probable_state(seed):
    network, target, evidence = case(seed, 0.0)
    now = answer(network, target, evidence)
    found = network.sensitivity({target: network.states[target][0]}, evidence)
    assert found.most_probable == network.states[target][now.argmax()]
    for entry in found.entries:
        if len(network.states[entry.variable]) == 1:
            continue
        where = (
            *(network.states[u].index(s) for u, s in entry.given),
            network.states[entry.variable].index(entry.state),
        )
        inner = [
            answer(changed(network, entry.variable, where, x), target, evidence)[0] for x in (1e-9, 0.3, 0.7, 1 - 1e-9)
        ]
        assert min(inner) >= entry.lowest - 1e-6
        assert max(inner) <= entry.highest + 1e-6
        assert np.isclose(min(inner), entry.lowest, atol=1e-5)
        assert np.isclose(max(inner), entry.highest, atol=1e-5)
        winners = {
            answer(changed(network, entry.variable, where, x), target, evidence).argmax()
            for x in np.linspace(0.001, 0.999, 25)
        }
        if entry.flip is None:
            assert winners == {now.argmax()}
        elif 0.001 < entry.flip < 0.999:
            beyond = entry.flip + np.sign(entry.flip - entry.value) * 1e-6
            after = answer(changed(network, entry.variable, where, beyond), target, evidence)
            assert network.states[target][after.argmax()] == entry.becomes
            before = entry.flip - np.sign(entry.flip - entry.value) * 1e-6
            assert answer(changed(network, entry.variable, where, before), target, evidence).argmax() == now.argmax()


def test_an_answer_of_zero_can_become_positive_by_an_entry_that_is_zero():
    network = Network(
        {"a": Table((), [0.5, 0.5]), "b": Table(("a",), [[0.0, 1.0], [0.4, 0.6]])},
        {"a": ["x", "y"], "b": ["u", "v"]},
    )
    found = network.sensitivity({"a": "x"}, {"b": "u"})
    assert found.probability == 0
    assert np.isclose(found.derivatives["b"][0, 0], 1 / 0.4)
    entry = next(e for e in found.nearest_flips if e.name == "P(b = u | a = x)")
    assert np.isclose(entry.flip, 0.4)
    assert np.isclose(entry.change, 0.4)
    assert entry.becomes == "x"


def test_variables_without_influence_are_left_out():
    asia = vd.networks.load("asia")
    found = asia.sensitivity({"lung": "yes"}, {"smoke": "yes"})
    assert set(found.curves) == {"lung", "smoke"}
    assert "P(lung = yes | smoke = yes) = 0.1" in repr(found)
    assert "<table" in found._repr_html_()
    assert found.flips["lung"].shape == (2, 2)


def test_a_large_network_is_answered_at_once():
    alarm = vd.networks.load("alarm")
    found = alarm.sensitivity({"LVFAILURE": "TRUE"}, {"HISTORY": "TRUE", "CVP": "HIGH"})
    assert np.isclose(found.probability, 0.3309975710331858)
    top = found.entries[0]
    where = (*(alarm.states[u].index(s) for u, s in top.given), alarm.states[top.variable].index(top.state))
    step = 1e-7
    moved = changed(alarm, top.variable, where, top.value + step).query("LVFAILURE", dict(found.evidence))["TRUE"]
    assert np.isclose((moved - found.probability) / step, top.derivative, rtol=1e-4)


@pytest.mark.parametrize(
    ("target", "evidence", "message"),
    [
        ("lung", {}, "one variable with its state"),
        ({"lung": "maybe"}, {}, "no state 'maybe'"),
        ({"lungs": "yes"}, {}, "did you mean 'lung'"),
        ({"smoke": "yes"}, {"lung": "yes", "either": "no"}, "probability zero"),
    ],
)
def test_wrong_questions_are_refused(target, evidence, message):
    with pytest.raises(InputError, match=message):
        vd.networks.load("asia").sensitivity(target, evidence)


def test_a_network_with_numbers_has_no_tables_to_change():
    network = vd.random_gaussian_network(vd.random_dag(3, arcs=2, seed=1), seed=2)
    with pytest.raises(InputError, match="continuous"):
        network.sensitivity({network.names[0]: "x"})


def test_a_network_with_numbers_is_refused_in_plain_words():
    network = vd.networks.load("ecoli70")
    first = network.names[0]
    with pytest.raises(
        InputError, match=f"{first!r} is continuous, and sensitivity is computed for networks in which all"
    ):
        network.sensitivity({first: "high"})
