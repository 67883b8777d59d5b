"""Networks in which variables are set from outside: against brute force, and against what could be seen instead."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import veridag as vd
from naive import inference as naive
from naive import mixed_networks as mixed
from strategies import few
from veridag import InputError, LinearGaussian, Network, Table


def truncated(network: Network, targets: list[str], evidence: dict[str, str], do: dict[str, str]):
    """P(targets | do, evidence) by multiplying out what is left of the tables."""
    found = dict.fromkeys(product(*(network.states[v] for v in targets)), 0.0)
    for states in product(*(network.states[v] for v in network.names)):
        at = dict(zip(network.names, states, strict=True))
        if any(at[v] != state for v, state in {**evidence, **do}.items()):
            continue
        p = 1.0
        for v in network.names:
            table, own = network.table(v), network.states
            if v not in do:
                p *= table.probabilities[tuple(own[u].index(at[u]) for u in (*table.parents, v))]
        found[tuple(at[v] for v in targets)] += p
    total = sum(found.values())
    return {states: p / total for states, p in found.items()} if total > 0 else {}


@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from([0.0, 0.4]), st.data())
def test_queries_under_intervention_are_the_truncated_factorization(seed, n, zeros, choose):
    network = naive.random_network(seed, n, zeros)
    order = choose.draw(st.permutations(network.names))
    k = choose.draw(st.integers(1, n - 1))
    values = {v: choose.draw(st.sampled_from(network.states[v])) for v in order[1:]}
    do, evidence = {v: values[v] for v in order[1 : k + 1]}, {v: values[v] for v in order[k + 1 : k + 2]}
    expected = truncated(network, order[:1], evidence, do)
    if not expected:
        with pytest.raises(InputError, match="probability zero"):
            network.query(order[0], evidence, do=do)
        return
    answer = network.query(order[0], evidence, do=do)
    assert answer.to_dict() == pytest.approx(expected, abs=1e-12)
    assert answer.do == tuple(do.items())
    assert answer.evidence == tuple(evidence.items())


@given(st.integers(0, 10**6), st.integers(2, 6), st.data())
def test_without_parents_doing_is_seeing(seed, n, choose):
    network = mixed.random_network(seed, n)
    roots = [v for v in network.names if not network.dag.parents(v)]
    x = choose.draw(st.sampled_from(roots))
    value = choose.draw(st.sampled_from(network.states[x]) if x in network.states else st.floats(-3, 3))
    others = [v for v in network.names if v != x]
    seen, done = network.query(others, {x: value}), network.query(others, do={x: value})
    for what in ("probabilities", "means", "covariances", "mean", "covariance"):
        if hasattr(seen, what):
            np.testing.assert_allclose(getattr(done, what), getattr(seen, what), rtol=1e-9, atol=1e-9)


def adjusted_table(network: Network, x: str, value: str, y: str, z: tuple[str, ...]) -> np.ndarray:
    """The sum over z of P(y | x, z) P(z)."""
    if not z:
        return network.query(y, {x: value}).probabilities
    weights = network.query(z).to_dict()
    return sum(
        p * network.query(y, {x: value, **dict(zip(z, cell, strict=True))}).probabilities for cell, p in weights.items()
    )


@few
@given(st.integers(0, 10**6), st.integers(2, 5), st.data())
def test_every_adjustment_set_gives_the_same_as_the_intervention_in_discrete_networks(seed, n, choose):
    network = naive.random_network(seed, n)
    x, y = choose.draw(st.permutations(network.names))[:2]
    sets = network.dag.adjustment_sets(x, y, "all")
    value = choose.draw(st.sampled_from(network.states[x]))
    expected = network.query(y, do={x: value}).probabilities
    for z in sets:
        np.testing.assert_allclose(adjusted_table(network, x, value, y, z), expected, atol=1e-10)
    parents = network.dag.parents(x)
    assert y in parents or parents in sets


def random_gaussian(seed: int, n: int, density: float = 0.5) -> Network:
    rng = np.random.default_rng(seed)
    return mixed.random_parameters(rng, {}, [f"x{i}" for i in range(n)], density, 0.0)


def adjusted_moments(network: Network, x: str, value: float, y: str, z: tuple[str, ...]) -> tuple[float, float]:
    """Mean and variance of the integral over z of p(y | x, z) p(z), which is linear in z."""
    start = network.query(y, {x: value, **dict.fromkeys(z, 0.0)})
    slopes = [network.query(y, {x: value, **{u: float(u == v) for u in z}}).mean[0] - start.mean[0] for v in z]
    if not z:
        return start.mean[0], start.covariance[0, 0]
    over = network.query(z)
    b = np.array(slopes)
    return start.mean[0] + b @ over.mean, start.covariance[0, 0] + b @ over.covariance @ b


@few
@given(st.integers(0, 10**6), st.integers(2, 6), st.data())
def test_every_adjustment_set_gives_the_same_as_the_intervention_in_gaussian_networks(seed, n, choose):
    network = random_gaussian(seed, n)
    x, y = choose.draw(st.permutations(network.names))[:2]
    expected = network.query(y, do={x: 1.5})
    for z in network.dag.adjustment_sets(x, y, "all"):
        mean, variance = adjusted_moments(network, x, 1.5, y, z)
        assert mean == pytest.approx(expected.mean[0], abs=1e-8)
        assert variance == pytest.approx(expected.covariance[0, 0], abs=1e-8)


@given(st.integers(0, 10**6), st.integers(2, 6), st.data())
def test_the_intervention_on_a_discrete_variable_of_a_mixed_network_averages_over_its_parents(seed, n, choose):
    network = mixed.random_network(seed, n)
    assume(network.kind == "mixed")
    x = choose.draw(st.sampled_from([v for v in network.names if v in network.states]))
    y = choose.draw(st.sampled_from([v for v in network.names if v not in network.states]))
    value, parents = network.states[x][0], network.dag.parents(x)
    done = network.query(y, do={x: value})
    weights = network.query(parents).to_dict() if parents else {(): 1.0}
    given = [network.query(y, {x: value, **dict(zip(parents, cell, strict=True))}) for cell in weights]
    p, m = np.array(list(weights.values())), np.array([answer.mean[0] for answer in given])
    mean = p @ m
    variance = p @ np.array([answer.covariance[0, 0] for answer in given]) + p @ (m - mean) ** 2
    assert done.mean[0] == pytest.approx(mean, abs=1e-9)
    assert done.covariance[0, 0] == pytest.approx(variance, abs=1e-9)


@few
@given(st.integers(0, 10**6), st.data())
def test_front_door_sets_give_the_same_as_the_intervention(seed, choose):
    network = naive.random_network(seed, 5)
    x, y = choose.draw(st.permutations(network.names))[:2]
    value = network.states[x][0]
    expected = network.query(y, do={x: value}).probabilities
    for m in network.dag.front_door(x, y):
        if not m:
            np.testing.assert_allclose(network.query(y).probabilities, expected, atol=1e-10)
            continue
        total = np.zeros(len(network.states[y]))
        for cell, p in network.query(m, {x: value}).to_dict().items():
            at = dict(zip(m, cell, strict=True))
            for other, q in network.query(x).to_dict().items():
                if p * q > 0:
                    total += p * q * network.query(y, {x: other[0], **at}).probabilities
        np.testing.assert_allclose(total, expected, atol=1e-10)


def kidney_stones() -> Network:
    """Simpson's paradox: large stones get the treatment that is better for both sizes (Charig et al. 1986)."""
    return Network(
        {
            "size": Table((), [0.51, 0.49]),
            "treatment": Table(("size",), [[0.24, 0.76], [0.77, 0.23]]),
            "success": Table(("size", "treatment"), [[[0.93, 0.07], [0.87, 0.13]], [[0.73, 0.27], [0.69, 0.31]]]),
        },
        {"size": ["small", "large"], "treatment": ["surgery", "percutaneous"], "success": ["yes", "no"]},
    )


def test_simpsons_paradox_vanishes_under_intervention():
    network = kidney_stones()
    seen = [network.query("success", {"treatment": t})["yes"] for t in network.states["treatment"]]
    done = [network.query("success", do={"treatment": t})["yes"] for t in network.states["treatment"]]
    assert seen[0] < seen[1]
    assert done == pytest.approx([0.51 * 0.93 + 0.49 * 0.73, 0.51 * 0.87 + 0.49 * 0.69])
    assert done[0] > done[1]


def test_the_network_has_constants_without_parents_where_it_is_set_and_is_the_same_elsewhere():
    network = mixed.random_parameters(
        np.random.default_rng(1), {"d0": ["a", "b"], "d1": ["a", "b", "c"]}, ["x0", "x1"], 1.0, 0.0
    )
    changed = network.intervene({"d1": "b", "x1": 2})
    assert changed.cpds["d1"] == Table((), [0.0, 1.0, 0.0])
    assert changed.cpds["x1"] == LinearGaussian((), 2.0, [], 0.0)
    assert (changed.names, changed.states) == (network.names, network.states)
    assert all(changed.cpds[v] == network.cpds[v] for v in ("d0", "x0"))
    assert set(changed.dag.arcs) == {(u, v) for u, v in network.dag.arcs if v not in ("d1", "x1")}
    assert network.intervene({"d1": "b"}).intervene({"x1": 2.0}) == changed
    assert network.intervene({}) == network


def test_samples_come_from_the_network_that_is_set():
    network = kidney_stones()
    rows = network.sample(20_000, seed=5, do={"treatment": "surgery"})
    assert (rows.column("treatment") == 0).all()
    p = network.query("success", do={"treatment": "surgery"})["yes"]
    share = (rows.column("success") == 0).mean()
    assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / 20_000)
    assert abs(share - network.query("success", {"treatment": "surgery"})["yes"]) > 0.03
    again = network.sample(20_000, seed=5, do={"treatment": "surgery"}, jobs=2)
    assert (again.column("success") == rows.column("success")).all()


def test_a_sample_of_a_continuous_variable_that_is_set_is_constant():
    network = vd.networks.load("ecoli70")
    rows = network.sample(10, seed=1, do={"b1191": 3.5})
    assert (rows.column("b1191") == 3.5).all()


def test_the_answer_says_what_was_done():
    asia = vd.networks.load("asia")
    answer = asia.query(["lung", "bronc"], {"xray": "yes"}, do={"smoke": "yes"})
    assert repr(answer).startswith("P(lung, bronc | do(smoke = yes), xray = yes)\n")
    assert answer.marginal("lung").do == (("smoke", "yes"),)
    assert asia.query("lung", do={"smoke": "yes"})["yes"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda n: n.query("success", do={"treat": "surgery"}),
            "do: the network has no variable 'treat': did you mean",
        ),
        (lambda n: n.query("success", do={"treatment": "none"}), "do: 'treatment' has no state 'none'"),
        (lambda n: n.query("success", do={"treatment": 1}), "do: 'treatment' has no state 1"),
        (lambda n: n.query("success", do=["treatment"]), "do: give each variable its value"),
        (lambda n: n.query("success", do={"success": "yes"}), "targets: 'success' is set by do"),
        (
            lambda n: n.query("success", {"treatment": "surgery"}, do={"treatment": "surgery"}),
            "evidence: 'treatment' is set by do, so evidence on it has no effect",
        ),
        (lambda n: n.intervene({"size": "huge"}), "do: 'size' has no state 'huge'"),
        (lambda n: n.sample(3, do={"sise": "small"}), "do: the network has no variable 'sise'"),
    ],
)
def test_mistakes_name_the_argument(call, message):
    with pytest.raises(InputError, match=message):
        call(kidney_stones())


def test_a_continuous_variable_is_set_to_a_finite_number():
    network = vd.networks.load("ecoli70")
    for value in ("high", float("nan"), float("inf"), None):
        with pytest.raises(InputError, match="do: 'b1191' needs a finite number"):
            network.query("lacY", do={"b1191": value})
