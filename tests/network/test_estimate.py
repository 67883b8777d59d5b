"""Likelihood weighting: estimates, their standard errors, and what cannot be estimated."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive import inference as naive
from naive import mixed_networks
from veridag import EstimatedMoments, EstimatedTable, InputError, JunctionTree, LinearGaussian, Network, Table


@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([0.0, 0.4]), st.sampled_from([0.0, 0.3]))
def test_discrete_estimates_lie_within_standard_errors_of_the_exact_answer(seed, n, zeros, share):
    network, rng = naive.random_network(seed, n, zeros), np.random.default_rng(seed)
    evidence = {v: str(rng.choice(network.states[v])) for v in network.names if rng.random() < share}
    if not naive.conditional(network, [], evidence):
        with pytest.raises(InputError, match="had probability zero in all 4100 rows"):
            network.estimate(None, evidence, 4100, seed)
        return
    try:
        found = network.estimate(None, evidence, 20_000, seed)
    except InputError:  # it is improbable
        assert JunctionTree(network).log_probability(evidence) < log(1e-3)
        return
    assert list(found) == [v for v in network.names if v not in evidence]
    if found.effective_size < 200:
        return
    for v in found:
        exact = list(naive.conditional(network, [v], evidence).values())
        assert (np.abs(found[v].probabilities - exact) <= 6 * found[v].standard_errors + 1e-12).all()
        assert found[v].probabilities.sum() == pytest.approx(1.0)
    off = abs(found.log_probability - JunctionTree(network).log_probability(evidence))
    assert off <= 6 * found.relative_error + 1e-9


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(0, 2))
def test_mixed_estimates_lie_within_standard_errors_of_the_exact_answer(seed, n, observed):
    network, rng = mixed_networks.random_network(seed, n), np.random.default_rng(seed)
    evidence: dict[str, str | float] = {}
    for v in rng.permutation(network.names)[:observed].tolist():
        evidence[v] = str(rng.choice(network.states[v])) if v in network.states else float(rng.normal())
    certain = [v for v in evidence if v not in network.states and not network.conditional_gaussian(v).sds.all()]
    if certain:
        with pytest.raises(InputError, match="has a standard deviation of 0"):
            network.estimate(None, evidence)
        return
    found = network.estimate(None, evidence, 20_000, seed)
    if found.effective_size < 500:
        return
    exact = network.marginals(evidence)
    for v, own in found.items():
        if isinstance(own, EstimatedMoments):
            assert abs(own.mean - exact[v].mean) <= 6 * own.standard_error + 1e-9
            assert own.sd == pytest.approx(exact[v].sd, rel=0.5, abs=1e-6)
        else:
            assert (np.abs(own.probabilities - exact[v].probabilities) <= 6 * own.standard_errors + 1e-12).all()


@pytest.mark.medium
@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        ("asia", {"dysp": "yes", "xray": "yes"}),
        ("alarm", {"HRBP": "LOW", "CVP": "HIGH"}),
        ("clinic", {"pressure": 150.0}),
    ],
)
def test_standard_errors_are_the_spread_over_repetitions(name, evidence):
    """Over 200 seeds the errors in units of their standard error have mean 0 and standard deviation 1."""
    network = vd.networks.load(name)
    exact = network.marginals(evidence)
    target = {"asia": "lung", "alarm": "BP", "clinic": "age"}[name]
    scores = []
    for seed in range(200):
        own = network.estimate(target, evidence, 4096, seed)[target]
        if isinstance(own, EstimatedMoments):
            scores.append((own.mean - exact[target].mean) / own.standard_error)
        else:
            scores.append((own.probabilities[0] - exact[target].probabilities[0]) / own.standard_errors[0])
    assert abs(np.mean(scores)) < 0.3  # 4 standard errors of a mean of 200
    assert 0.8 < np.std(scores) < 1.2


def test_without_evidence_the_estimate_is_the_share_of_rows_and_its_binomial_error():
    network = Network({"a": Table((), [0.3, 0.7])}, {"a": ["x", "y"]})
    found = network.estimate("a", n=5000, seed=4)
    p = found["a"]["x"]
    assert round(p * 5000) == pytest.approx(p * 5000, abs=1e-9)
    assert found["a"].standard_errors == pytest.approx(np.sqrt(p * (1 - p) / 5000))
    assert found.effective_size == pytest.approx(5000)
    assert found.log_probability == 0.0
    assert found.relative_error == 0.0


def test_weights_are_the_likelihood_of_the_evidence():
    """Two causes with one observed effect, where every sum over rows follows from the counts of the four weights."""
    effect = np.array([0.9, 0.1, 0.2, 0.8, 0.5, 0.5, 0.1, 0.9]).reshape(2, 2, 2)
    cpds = {"a": Table((), [0.5, 0.5]), "b": Table((), [0.25, 0.75]), "c": Table(("a", "b"), effect)}
    network = Network(cpds, {v: ["0", "1"] for v in "abc"})
    joint = network.estimate([("a", "b")], n=9000, seed=2)[("a", "b")].probabilities * 9000  # the same rows
    found = network.estimate(["b", ("b", "a")], {"c": "1"}, n=9000, seed=2)
    weights, squares = joint * effect[..., 1], joint * effect[..., 1] ** 2
    total = weights.sum()
    p = weights.sum(axis=0) / total
    cells = squares.sum(axis=0)
    assert found["b"].probabilities == pytest.approx(p)
    assert found[("b", "a")].probabilities == pytest.approx(weights.T / total)
    variance = (cells * (1 - p) ** 2 + (squares.sum() - cells) * p**2) / total**2
    assert found["b"].standard_errors == pytest.approx(np.sqrt(variance))
    assert found.effective_size == pytest.approx(total**2 / squares.sum())
    assert found.log_probability == pytest.approx(log(total / 9000))


def test_moments_are_those_of_weighted_rows():
    """y = 1000 + x + noise is observed: the sums over blocks of rows are those over all rows at once."""
    network = Network({"x": LinearGaussian((), 1e6, (), 2.0), "y": LinearGaussian(("x",), 1000.0, (1.0,), 3.0)})
    rows = np.array(network.sample(10_000, seed=6).column("x"))  # drawn by the same random numbers
    w = np.exp(-0.5 * ((1_001_004.0 - 1000.0 - rows) / 3.0) ** 2)
    found = network.estimate("x", {"y": 1_001_004.0}, n=10_000, seed=6)
    mean = (w * rows).sum() / w.sum()
    assert found["x"].mean == pytest.approx(mean, rel=1e-14)
    assert found["x"].sd == pytest.approx(np.sqrt((w * (rows - mean) ** 2).sum() / w.sum()), rel=1e-9)
    assert found["x"].standard_error == pytest.approx(np.sqrt((w**2 * (rows - mean) ** 2).sum()) / w.sum(), rel=1e-9)
    density = log(w.sum() / 10_000) - 0.5 * log(2 * np.pi * 9)
    assert found.log_probability == pytest.approx(density, rel=1e-12)


def test_the_same_seed_gives_the_same_numbers_whatever_the_jobs_and_targets():
    network = vd.networks.load("alarm")
    one = network.estimate(None, {"HRBP": "LOW"}, 30_000, 5)
    two = network.estimate(None, {"HRBP": "LOW"}, 30_000, 5, jobs=3)
    alone = network.estimate("PCWP", {"HRBP": "LOW"}, 30_000, 5)
    other = network.estimate("PCWP", {"HRBP": "LOW"}, 30_000, 6)
    for v in one:
        assert one[v].probabilities.tolist() == two[v].probabilities.tolist()
        assert one[v].standard_errors.tolist() == two[v].standard_errors.tolist()
    assert alone["PCWP"].probabilities == pytest.approx(one["PCWP"].probabilities, abs=1e-14)
    assert other["PCWP"].probabilities.tolist() != alone["PCWP"].probabilities.tolist()


def test_drawing_stops_once_the_error_is_small_enough():
    network = vd.networks.load("asia")
    found = network.estimate(["lung", "bronc"], {"dysp": "yes"}, n=10**7, error=0.002)
    assert found.largest_error <= 0.002
    assert found.n < 10**6
    assert found.n % 4096 == 0
    short = network.estimate(["lung", "bronc"], {"dysp": "yes"}, n=5000, error=0.0001)
    assert short.n == 5000
    assert short.largest_error > 0.0001


def test_what_was_never_drawn_has_an_error_too():
    network = Network({"a": Table((), [1e-9, 1 - 1e-9])}, {"a": ["x", "y"]})
    own = network.estimate("a", n=1000)["a"]
    assert own.probabilities.tolist() == [0.0, 1.0]
    assert own.standard_errors == pytest.approx([0.001, 0.001], rel=0.01)


def test_the_error_of_a_rare_state_is_not_too_small_where_few_rows_have_weight():
    """Of 4 096 rows 170 count, and 3 of these have the state: rows of little weight alone would seem precise."""
    network, evidence = vd.networks.load("alarm"), {"HRBP": "LOW", "CVP": "HIGH"}
    exact = network.marginals(evidence)["PULMEMBOLUS"].probabilities
    scores = []
    for seed in range(60):
        own = network.estimate("PULMEMBOLUS", evidence, 4096, seed)["PULMEMBOLUS"]
        scores.append((own.probabilities[0] - exact[0]) / own.standard_errors[0])
    assert exact[0] < 0.01
    assert np.std(scores) < 1.5  # without a row more in both it is 12


def test_much_evidence_does_not_underflow():
    cpds = {"c": Table((), [0.5, 0.5])}
    cpds |= {f"x{i}": Table(("c",), [[0.01, 0.99], [0.0101, 0.9899]]) for i in range(400)}
    network = Network(cpds, {v: ["0", "1"] for v in cpds})
    evidence = {f"x{i}": "0" for i in range(400)}
    exact = network.query("c", evidence).probabilities
    found = network.estimate("c", evidence, n=20_000)
    assert (np.abs(found["c"].probabilities - exact) <= 5 * found["c"].standard_errors).all()
    assert found.log_probability == pytest.approx(JunctionTree(network).log_probability(evidence), abs=0.1)


@pytest.mark.medium
def test_a_network_too_wide_for_exact_answers_has_estimates():
    rng, cpds = np.random.default_rng(1), {}
    for i in range(30):
        for j in range(30):
            parents = ([f"g{i - 1:02}_{j:02}"] if i else []) + ([f"g{i:02}_{j - 1:02}"] if j else [])
            p = rng.uniform(0.2, 0.8, size=(2,) * len(parents))
            cpds[f"g{i:02}_{j:02}"] = Table(tuple(parents), np.stack([p, 1 - p], axis=-1))
    network = Network(cpds, {v: ["0", "1"] for v in cpds})
    with pytest.raises(InputError, match=r"Network\.estimate"):
        network.query("g29_29")
    found, near = network.estimate("g29_29", n=20_000), network.estimate("g03_03", n=20_000)
    assert found["g29_29"].standard_errors.max() < 0.004
    exact = network.query("g03_03").probabilities
    assert (np.abs(near["g03_03"].probabilities - exact) <= 5 * near["g03_03"].standard_errors).all()


def test_progress_is_told_and_can_stop_the_work():
    calls: list[tuple[object, ...]] = []
    network = vd.networks.load("asia")
    network.estimate("lung", n=600_000, progress=lambda *told: calls.append(told))
    assert [told[1] for told in calls] == [262144, 524288, 600_000]
    assert calls[0][0] == "estimate"

    def stop(*told: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        network.estimate("lung", progress=stop)


def test_what_is_shown():
    found = vd.networks.load("clinic").estimate(["sex", "age", ("sex", "smoking")], {"pressure": 150.0}, n=5000)
    assert isinstance(found["sex"], EstimatedTable)
    text = repr(found)
    assert text.startswith("P(each target | pressure = 150.0), from 5000 rows of likelihood weighting, effective size ")
    assert "female" in text
    assert "±" in text
    assert "<td" in found._repr_html_()
    assert found[("sex", "smoking")]["male", "never"] == found[("sex", "smoking")].probabilities[1, 0]
    with pytest.raises(KeyError, match="not a target"):
        found["smoking"]
    with pytest.raises(InputError, match="has 1 states for the 2"):
        found[("sex", "smoking")]["male"]
    with pytest.raises(InputError, match="'sex' has no state 'none'"):
        found["sex"]["none"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"targets": "nobody"}, "targets: the network has no variable 'nobody'"),
        ({"targets": ["sex", "sex"]}, "give each target only once"),
        ({"targets": [("sex", "sex")]}, "targets: give each variable only once"),
        ({"targets": [("sex", "age")]}, "has the continuous variable 'age'"),
        ({"targets": "sex", "evidence": {"sex": "male"}}, "'sex' is also part of the evidence"),
        ({"evidence": {"sex": "none"}}, "'sex' has no state 'none'"),
        ({"n": 0}, "n=0 must be"),
        ({"error": 0}, "error=0 must be"),
        ({"seed": -1}, "seed=-1 must be"),
        ({"jobs": 0}, "jobs=0 must be"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(InputError, match=message):
        vd.networks.load("clinic").estimate(**arguments)


def test_too_large_a_joint_table_is_refused():
    network = vd.networks.load("alarm")
    with pytest.raises(InputError, match="would have more than 4194304 cells"):
        network.estimate([network.names])


def test_estimates_of_an_intervention_are_near_the_exact_answers():
    asia = vd.networks.load("asia")
    found = asia.estimate(evidence={"dysp": "yes"}, do={"either": "yes"}, n=100_000, seed=1)
    assert "either" not in found
    assert "do(either = yes)" in repr(found)
    for v in found:
        expected = asia.query(v, {"dysp": "yes"}, do={"either": "yes"})
        assert (abs(found[v].probabilities - expected.probabilities) < 5 * found[v].standard_errors).all()
    with pytest.raises(InputError, match="'either' is set by do"):
        asia.estimate("either", do={"either": "yes"})


def test_a_joint_target_shows_its_states_and_a_missed_error_is_said():
    asia = vd.networks.load("asia")
    shown = repr(asia.estimate(["lung", ("smoke", "bronc")], {"dysp": "yes"}, n=10_000, error=0.0001))
    for cell in ("yes and yes 0.", "yes and no 0.", "no and yes 0.", "no and no 0."):
        assert cell in shown
    assert "not the 0.0001 asked for" in shown
    assert "asked for" not in repr(asia.estimate("lung", {"dysp": "yes"}, error=0.1))
