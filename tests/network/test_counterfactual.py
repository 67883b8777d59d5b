"""What would have been: against a calculation by hand, and against abduction, action and prediction one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive import mixed_networks
from veridag import InputError, LinearGaussian, Network


def study_time() -> Network:
    """Pearl, Glymour and Jewell (2016): encouragement, homework and the score of an exam."""
    return Network(
        {
            "X": LinearGaussian((), 0.0, [], 1.0),
            "H": LinearGaussian(("X",), 0.0, [0.5], 1.0),
            "Y": LinearGaussian(("X", "H"), 0.0, [0.7, 0.4], 1.0),
        }
    )


def test_the_example_of_pearl_glymour_and_jewell():
    """The errors are 0.5, 1 - 0.25 and 1.5 - 0.35 - 0.4; with H = 2 the score is 0.35 + 0.8 + 0.75."""
    answer = study_time().counterfactual("Y", {"X": 0.5, "H": 1, "Y": 1.5}, {"H": 2})
    assert answer.mean[0] == pytest.approx(1.9, abs=1e-12)
    assert answer.sd[0] == 0.0
    assert answer.evidence == (("X", 0.5), ("H", 1.0), ("Y", 1.5))
    assert answer.do == (("H", 2.0),)


def test_with_part_of_the_evidence_the_rest_is_uncertain():
    """y = 2 x + e with x ~ N(0, 1), e ~ N(0, 1): given y = 5, e is N(1, 4/5), so y under x = 3 is N(7, 4/5)."""
    network = Network({"x": LinearGaussian((), 0.0, [], 1.0), "y": LinearGaussian(("x",), 0.0, [2.0], 1.0)})
    answer = network.counterfactual(["y"], {"y": 5.0}, {"x": 3.0})
    assert answer.mean == pytest.approx([7.0], abs=1e-12)
    assert answer.covariance[0, 0] == pytest.approx(0.8, abs=1e-12)


def three_steps(network: Network, targets: list[str], evidence: dict[str, float], do: dict[str, float]):
    """Abduction, action and prediction with whole matrices."""
    names = list(network.names)
    n, seen = len(names), [names.index(v) for v in evidence]
    b, a = np.zeros((n, n)), np.array([network.gaussian(v).intercept for v in names])
    for v in names:
        cpd = network.gaussian(v)
        b[names.index(v), [names.index(u) for u in cpd.parents]] = cpd.coefficients
    d = np.diag([network.gaussian(v).sd ** 2 for v in names])
    m = np.linalg.inv(np.eye(n) - b)
    mean, cov = np.zeros(n), d
    if seen:
        across = d @ m[seen].T
        gain = across @ np.linalg.inv(m[seen] @ d @ m[seen].T)
        mean = gain @ (np.array(list(evidence.values())) - m[seen] @ a)
        cov = d - gain @ across.T
    for v, value in do.items():
        i = names.index(v)
        b[i], a[i], mean[i], cov[i, :], cov[:, i] = 0.0, value, 0.0, 0.0, 0.0
    m = np.linalg.inv(np.eye(n) - b)[[names.index(v) for v in targets]]
    return m @ (a + mean), m @ cov @ m.T


@given(st.integers(0, 10**6), st.integers(2, 7), st.data())
def test_the_answer_is_that_of_the_three_steps(seed, n, choose):
    rng = np.random.default_rng(seed)
    network = mixed_networks.random_parameters(rng, {}, [f"x{i}" for i in range(n)], 0.6, 0.0)
    order = choose.draw(st.permutations(network.names))
    k = choose.draw(st.integers(0, n - 1))
    do = {v: float(rng.normal()) for v in order[:k]}
    known = choose.draw(st.lists(st.sampled_from(network.names), unique=True))
    evidence = {v: float(rng.normal()) for v in known}
    mean, covariance = three_steps(network, order[k:], evidence, do)
    answer = network.counterfactual(order[k:], evidence, do)
    np.testing.assert_allclose(answer.mean, mean, atol=1e-8)
    np.testing.assert_allclose(answer.covariance, covariance, atol=1e-8)


@given(st.integers(0, 10**6), st.integers(2, 6), st.data())
def test_without_evidence_it_is_an_intervention_and_without_intervention_a_query(seed, n, choose):
    network = mixed_networks.random_parameters(np.random.default_rng(seed), {}, [f"x{i}" for i in range(n)], 0.6, 0.0)
    x, *others = choose.draw(st.permutations(network.names))
    for answer, expected in (
        (network.counterfactual(others, {}, {x: 1.0}), network.query(others, do={x: 1.0})),
        (network.counterfactual(others, {x: 1.0}, {}), network.query(others, {x: 1.0})),
    ):
        np.testing.assert_allclose(answer.mean, expected.mean, atol=1e-9)
        np.testing.assert_allclose(answer.covariance, expected.covariance, atol=1e-9)


@given(st.integers(0, 10**6), st.integers(2, 6))
def test_setting_a_variable_to_what_it_was_changes_nothing(seed, n):
    """Consistency (Pearl 2009, section 7.3)."""
    rng = np.random.default_rng(seed)
    network = mixed_networks.random_parameters(rng, {}, [f"x{i}" for i in range(n)], 0.6, 0.0)
    row = {v: float(x) for v, x in zip(network.names, rng.normal(size=n), strict=True)}
    x = network.names[0]
    others = [v for v in network.names if v != x]
    answer = network.counterfactual(others, row, {x: row[x]})
    np.testing.assert_allclose(answer.mean, [row[v] for v in others], atol=1e-9)
    np.testing.assert_allclose(answer.covariance, 0.0, atol=1e-12)


def test_names_that_look_like_those_of_the_twin_are_no_trouble():
    names = {"X": "x", "H": "* would x", "Y": "* error x"}
    network = Network(
        {
            names[v]: LinearGaussian(tuple(names[u] for u in cpd.parents), cpd.intercept, cpd.coefficients, cpd.sd)
            for v, cpd in study_time().cpds.items()
        }
    )
    evidence = {"x": 0.5, "* would x": 1, "* error x": 1.5}
    assert network.counterfactual("* error x", evidence, {"* would x": 2}).mean[0] == pytest.approx(1.9)


def test_evidence_that_cannot_be_is_an_error_in_its_own_names():
    network = Network({"x": LinearGaussian((), 0.0, [], 1.0), "y": LinearGaussian(("x",), 0.0, [2.0], 0.0)})
    assert network.counterfactual("y", {"x": 1, "y": 2}, {"x": 3}).mean == pytest.approx([6.0])
    with pytest.raises(InputError, match="evidence: x = 1, y = 3 has probability zero"):
        network.counterfactual("y", {"x": 1, "y": 3}, {"x": 3})


@pytest.mark.parametrize(
    ("targets", "evidence", "do", "message"),
    [
        ("Z", {}, {"X": 1}, "targets: the network has no variable 'Z'"),
        ([], {}, {"X": 1}, "targets: name at least one variable"),
        ("X", {}, {"X": 1}, "targets: 'X' is set by do"),
        ("Y", {"Y": "high"}, {"X": 1}, "evidence: 'Y' needs a finite number"),
        ("Y", {"Y": 1}, {"X": None}, "do: 'X' needs a finite number"),
    ],
)
def test_mistakes_name_the_argument(targets, evidence, do, message):
    with pytest.raises(InputError, match=message):
        study_time().counterfactual(targets, evidence, do)


def test_tables_do_not_say_what_would_have_been():
    with pytest.raises(InputError, match="counterfactual: this network has discrete variables"):
        vd.networks.load("asia").counterfactual("lung", {}, {"smoke": "yes"})
