"""Exact queries of networks of both kinds of variables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import mixed_networks as naive
from veridag import ConditionalGaussian, InputError, LinearGaussian, Network, Table
from veridag.network.query import JointMixture, JointTable, TooLarge, elimination, mixture


@given(st.integers(0, 10**6), st.integers(1, 7), st.sampled_from([0.0, 0.3]), st.data())
def test_queries_agree_with_enumeration(seed, n, zeros, choose):
    network = naive.random_network(seed, n, zeros=zeros)
    order = choose.draw(st.permutations(network.names))
    k = choose.draw(st.integers(1, n))
    targets = order[:k]
    evidence = {
        v: choose.draw(st.sampled_from(network.states[v]) if v in network.states else st.floats(-3, 3))
        for v in order[k : k + 3]
    }
    discrete = [v for v in targets if v in network.states]
    continuous = [v for v in targets if v not in network.states]
    table, means, covariances = naive.posterior(network, discrete, continuous, evidence)
    if not table.any():
        with pytest.raises(InputError, match="probability zero"):
            network.query(targets, evidence)
        return
    codes = {v: network.states[v].index(x) for v, x in evidence.items() if v in network.states}
    values = {v: x for v, x in evidence.items() if v not in network.states}
    found = mixture(network, discrete, continuous, codes, values)
    np.testing.assert_allclose(found.probabilities, table, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.means, means, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.covariances, covariances, rtol=1e-9, atol=1e-9)
    if network.kind == "mixed":
        answer = network.query(targets, evidence)
        assert isinstance(answer, JointMixture if continuous else JointTable)
        assert answer.evidence == tuple(evidence.items())
        np.testing.assert_array_equal(answer.probabilities, found.probabilities)


@given(st.integers(0, 10**6), st.integers(2, 8), st.data())
def test_networks_of_one_kind_have_the_answers_of_the_code_for_that_kind(seed, n, choose):
    network = naive.random_network(seed, n)
    tables = {v: network.cpds[v] for v in network.states}
    regressions = {}
    for v in network.names:
        if v not in network.states:
            own = network.conditional_gaussian(v)
            regressions[v] = LinearGaussian(own.continuous, own.rows[0, 0], own.rows[0, 1:-1], own.rows[0, -1])
    if len(tables) > 1:
        order = choose.draw(st.permutations(list(tables)))
        discrete, codes = Network(tables, network.states), {order[1]: 0}
        found = mixture(discrete, order[:1], [], codes, {}).probabilities
        np.testing.assert_allclose(found, elimination.conditional(discrete, order[:1], codes), rtol=1e-12)
    if len(regressions) > 1:
        order = choose.draw(st.permutations(list(regressions)))
        gaussian = Network(regressions)
        answer, found = (
            gaussian.query(order[1:], {order[0]: 0.7}),
            mixture(gaussian, [], order[1:], {}, {order[0]: 0.7}),
        )
        np.testing.assert_allclose(found.means, answer.mean, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.covariances, answer.covariance, rtol=1e-9, atol=1e-9)


def speeds(sds: tuple[float, float] = (1.0, 2.0)) -> Network:
    """A broken sensor reads a constant; a sound one the speed."""
    return Network(
        {
            "state": Table((), [0.9, 0.1]),
            "speed": LinearGaussian((), 10.0, [], 3.0),
            "sensor": ConditionalGaussian(("state",), ("speed",), [0.0, 4.0], [[1.0], [0.0]], list(sds)),
            "noise": ConditionalGaussian(("state",), (), [0.0, 5.0], [[], []], [1.0, 1.0]),
        },
        {"state": ["sound", "broken"]},
    )


def test_an_answer_has_a_table_and_moments_for_each_cell_and_over_all():
    answer = speeds().query(["speed", "state", "noise"], {"sensor": 4.0})
    assert answer.names == ("state", "speed", "noise")
    # By hand: the sensor is N(10, 9 + 1) if sound, and N(4, 4) if broken.
    sound, broken = 0.9 * np.exp(-3.6 / 2) / np.sqrt(10), 0.1 / 2 / np.sqrt(1)
    p = np.array([sound, broken]) / (sound + broken)
    shrunk = 10 + 0.9 * (4 - 10)
    np.testing.assert_allclose(answer.probabilities, p)
    np.testing.assert_allclose(answer.means, [[shrunk, 0.0], [10.0, 5.0]], atol=1e-12)
    np.testing.assert_allclose(answer.covariances, [np.diag([0.9, 1.0]), np.diag([9.0, 1.0])], atol=1e-12)
    mean = p @ [[shrunk, 0.0], [10.0, 5.0]]
    np.testing.assert_allclose(answer.mean, mean)
    apart = np.array([[shrunk, 0.0], [10.0, 5.0]]) - mean
    np.testing.assert_allclose(answer.covariance, np.diag([p @ [0.9, 9.0], 1.0]) + apart.T * p @ apart)
    np.testing.assert_allclose(answer.sd, np.sqrt(np.diag(answer.covariance)))
    assert answer.table["broken"] == pytest.approx(p[1])
    both = speeds().query(["speed", "noise"], {"sensor": 4.0})
    np.testing.assert_allclose(both.mean, answer.mean)
    np.testing.assert_allclose(both.covariance, answer.covariance)
    with pytest.raises(InputError, match="the targets have no discrete variables"):
        _ = both.table


def test_answers_are_shown_row_by_row():
    answer = speeds().query(["state", "noise"])
    assert repr(answer).splitlines() == [
        "P(state, noise)",
        "state   probability  mean of noise  sd of noise",
        "all     1            0.5            1.80278",
        "sound   0.9          0              1",
        "broken  0.1          5              1",
    ]
    assert "broken</td><td>0.1</td><td>5</td>" in answer._repr_html_()
    alone = speeds().query("noise", {"state": "broken", "sensor": 3})
    assert repr(alone).splitlines() == [
        "P(noise | state = broken, sensor = 3.0)",
        "mean of noise  sd of noise",
        "5              1",
    ]
    frame = answer.to_pandas()
    assert frame.columns.tolist() == ["state", "variable", "probability", "mean", "sd"]
    assert frame.iloc[1].tolist() == ["broken", "noise", 0.1, 5.0, 1.0]


def test_a_marginal_is_the_answer_to_the_smaller_question():
    network = naive.random_network(19, 7)
    assert (len(network.states), len(network.names)) == (4, 7)
    whole = network.query(["x1", "d2", "x0", "d0", "d1"], {"x2": 0.4})
    for names in (["d1", "x0"], ["x1", "x0", "d0", "d2"], ["x0"], ["d2", "d1"]):
        part, asked = whole.marginal(names), network.query(names, {"x2": 0.4})
        assert part.names == asked.names
        np.testing.assert_allclose(part.probabilities, asked.probabilities)
        if isinstance(asked, JointMixture):
            assert isinstance(part, JointMixture)
            np.testing.assert_allclose(part.means, asked.means, atol=1e-12)
            np.testing.assert_allclose(part.covariances, asked.covariances, atol=1e-12)
    with pytest.raises(InputError, match="'d9' is not part of the answer"):
        whole.marginal("d9")


def test_long_answers_say_how_much_is_left_out():
    chain = switching_chain(5)
    answer = chain.query([*chain.states, "x4"])
    assert repr(answer).splitlines()[-1] == "... and 3 more"
    assert answer._repr_html_().endswith("<p>... and 3 more</p>")


def test_a_variance_of_zero_is_no_obstacle():
    """Without noise, a sound sensor tells the speed, and a broken one cannot read 9."""
    network = speeds((0.0, 0.0))
    answer = network.query(["speed", "state"], {"sensor": 9.0})
    assert answer.probabilities.tolist() == [1.0, 0.0]
    assert answer.means[0] == 9.0
    assert answer.covariances[0] == 0.0
    assert np.isnan(answer.means[1])
    assert (answer.mean, answer.sd) == (9.0, 0.0)
    assert network.query("sensor", {"speed": 7.0, "state": "sound"}).mean == 7.0
    with pytest.raises(InputError, match=r"evidence: speed = 7, sensor = 8 has probability zero"):
        network.query("state", {"speed": 7.0, "sensor": 8.0})
    with pytest.raises(
        InputError, match="'sensor' = 4 is certain for some states of state and has a density for others"
    ):
        network.query("state", {"sensor": 4.0})


def test_evidence_of_any_density_does_not_underflow():
    """One reading is e^-5000 times as likely given 0, another as much likelier given 1: they nearly cancel."""
    step = ConditionalGaussian(("d",), (), [0.0, 1.0], [[], []], [0.01, 0.01])
    network = Network({"d": Table((), [0.5, 0.5]), "x": step, "y": step}, {"d": ["0", "1"]})
    answer = network.query("d", {"x": 1.0, "y": 0.0001})
    assert answer["1"] == pytest.approx(1 / (1 + np.exp(-0.0001 / 0.0001)), rel=1e-6)
    far = network.query("d", {"x": 1e6})
    assert far["1"] == 1.0


def test_many_readings_of_one_class_are_counted_by_their_logarithms():
    rng = np.random.default_rng(2)
    names = [f"x{i}" for i in range(300)]
    means = rng.normal(size=(300, 2))
    cpds = {x: ConditionalGaussian(("d",), (), m, [[], []], [0.01, 0.01]) for x, m in zip(names, means, strict=True)}
    network = Network({"d": Table((), [0.5, 0.5]), **cpds}, {"d": ["0", "1"]})
    middle = dict(zip(names, means.mean(axis=1).tolist(), strict=True))
    assert network.query("d", middle)["0"] == pytest.approx(0.5, abs=1e-6)


def test_impossible_evidence_is_an_error_with_its_names():
    network = Network(
        {"d": Table((), [1.0, 0.0]), "x": ConditionalGaussian(("d",), (), [0, 1], [[], []], [1, 1])},
        {"d": ["0", "1"]},
    )
    with pytest.raises(InputError, match="evidence: d = 1 has probability zero"):
        network.query("x", {"d": "1"})
    with pytest.raises(InputError, match="evidence: 'x' needs a finite number, not 'much'"):
        network.query("d", {"x": "much"})
    with pytest.raises(InputError, match="evidence: 'd' has no state 2"):
        network.query("x", {"d": 2})


def switching_chain(n: int) -> Network:
    """x0 -> x1 -> ..., each with a switch of its own, and all discrete variables independent."""
    cpds, states = {}, {}
    for i in range(n):
        cpds[f"d{i}"] = Table((), [0.5, 0.5])
        states[f"d{i}"] = ["0", "1"]
        before = (f"x{i - 1}",) if i else ()
        cpds[f"x{i}"] = ConditionalGaussian((f"d{i}",), before, [0, 1], [[0.5] * len(before)] * 2, [1, 2])
    return Network(cpds, states)


def test_what_is_too_large_is_refused_before_it_is_made(monkeypatch):
    chain = switching_chain(60)
    with pytest.raises(TooLarge, match=r"the exact answer needs a table of .* over the .* variables d"):
        chain.query("x59")
    with pytest.raises(TooLarge):
        chain.query("d0", {"x59": 1.0})
    near = chain.query(["x2", "d1"], {"x4": 1.0, "x1": 0.0})  # what is beyond the evidence does not matter
    assert near.means.shape == (2, 1)
    monkeypatch.setattr(elimination, "MAX_ENTRIES", 2**8)
    with pytest.raises(TooLarge):
        switching_chain(9).query("x8")


def test_a_chain_of_switches_agrees_with_enumeration():
    chain = switching_chain(5)
    evidence = {"x4": 2.0, "x1": 0.3, "d3": "1"}
    table, means, covariances = naive.posterior(chain, ["d0", "d2"], ["x3", "x0"], evidence)
    answer = chain.query(["d0", "x3", "d2", "x0"], evidence)
    np.testing.assert_allclose(answer.probabilities, table, rtol=1e-10)
    np.testing.assert_allclose(answer.means, means, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(answer.covariances, covariances, rtol=1e-9, atol=1e-12)
