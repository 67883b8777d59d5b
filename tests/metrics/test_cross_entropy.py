from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive import inference as naive
from naive import mixed_networks as naive_mixed
from veridag import ConditionalGaussian, Data, Estimate, InputError, LinearGaussian, Network, Table
from veridag.data import Column
from veridag.network.query import elimination

ASIA = vd.networks.load("asia")


def other(network: Network, seed: int, density: float = 0.5) -> Network:
    """Another structure and other tables, for the same variables; the states come in the opposite order."""
    rng = np.random.default_rng(seed)
    names = [str(v) for v in rng.permutation(network.names)]
    states = {v: network.states[v][::-1] for v in names}
    cpds = {}
    for i, v in enumerate(names):
        parents = tuple(u for u in names[:i] if rng.random() < density)[:3]
        cpds[v] = Table(parents, rng.dirichlet(np.ones(len(states[v])), size=[len(states[u]) for u in parents]))
    return Network(cpds, states)


def naive_cross_entropy(p: Network, q: Network) -> float:
    """-sum p(x) log q(x) over all configurations x (thesis 2.7.1)."""
    theirs = naive.joint(q)
    total = 0.0
    for states, probability in naive.joint(p).items():
        at = dict(zip(p.names, states, strict=True))
        if probability > 0:
            total -= probability * np.log(theirs[tuple(at[v] for v in q.names)])
    return float(total)


@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([0.0, 0.3]))
def test_the_exact_cross_entropy_is_the_sum_over_all_configurations(seed, n, zeros):
    p = naive.random_network(seed, n, zeros)
    q = other(p, seed + 1)
    exact = vd.cross_entropy(p, q)
    assert float(exact) == pytest.approx(naive_cross_entropy(p, q), rel=1e-10, abs=1e-12)
    assert (exact.standard_error, exact.n) == (0, 0)
    divergence = vd.kl_divergence(p, q)
    assert divergence >= -1e-12
    assert divergence == pytest.approx(naive_cross_entropy(p, q) - naive_cross_entropy(p, p), abs=1e-10)
    assert vd.kl_divergence(p, p) == 0


def test_sampling_comes_to_the_same_within_its_standard_error():
    q = other(ASIA, 5)
    exact, sampled = vd.cross_entropy(ASIA, q), vd.cross_entropy(ASIA, q, 50_000, seed=2)
    assert abs(sampled - exact) < 4 * sampled.standard_error
    assert 0 < sampled.standard_error < 0.05
    assert sampled.n == 50_000
    gap = vd.kl_divergence(ASIA, q, 50_000, seed=2)
    assert abs(gap - vd.kl_divergence(ASIA, q)) < 4 * gap.standard_error
    assert vd.cross_entropy(ASIA, q, 50_000, seed=2, jobs=2) == sampled != vd.cross_entropy(ASIA, q, 50_000, seed=3)


@pytest.mark.medium
def test_the_standard_error_is_honest():
    q = other(ASIA, 9)
    exact = float(vd.cross_entropy(ASIA, q))
    sampled = [vd.cross_entropy(ASIA, q, 400, seed=s) for s in range(200)]
    z = np.array([(x - exact) / x.standard_error for x in sampled])
    assert abs(z.mean()) < 0.25
    assert 0.85 < z.std() < 1.15


def test_rows_are_not_those_that_a_network_was_learned_from():
    """With the seed of the training data, a network would otherwise be judged on what it was fitted to."""
    q = vd.fit(ASIA.dag, ASIA.sample(300, seed=1), ess=0.001)
    on_training = vd.log_loss(q, ASIA.sample(300, seed=1))
    assert vd.cross_entropy(ASIA, q, 300, seed=1) != on_training


@pytest.mark.medium
def test_the_best_description_of_a_network_is_itself():
    alarm = vd.networks.load("alarm")
    entropy = vd.cross_entropy(alarm, alarm)
    near, far = (vd.fit(alarm.dag, alarm.sample(n, seed=1)) for n in (5000, 500))
    assert entropy < vd.cross_entropy(alarm, near) < vd.cross_entropy(alarm, far)
    assert vd.kl_divergence(alarm, near) == pytest.approx(vd.cross_entropy(alarm, near) - entropy)


def test_what_q_rules_out_has_an_infinite_cross_entropy():
    states = {"x": ["0", "1"]}
    p, q = Network({"x": Table((), [0.5, 0.5])}, states), Network({"x": Table((), [1.0, 0.0])}, states)
    assert vd.cross_entropy(p, q) == vd.kl_divergence(p, q) == np.inf
    assert vd.cross_entropy(q, p) == pytest.approx(np.log(2))
    sampled = vd.cross_entropy(p, q, 100)
    assert (sampled, sampled.standard_error) == (np.inf, np.inf)


# ---- Gaussian


def linear(seed: int, names: str) -> Network:
    rng = np.random.default_rng(seed)
    cpds = {}
    for i, v in enumerate(names):
        parents = tuple(u for u in names[:i] if rng.random() < 0.6)
        cpds[v] = LinearGaussian(parents, rng.normal(), rng.normal(size=len(parents)), rng.uniform(0.5, 2))
    return Network(cpds)


@given(st.integers(0, 10**6), st.permutations("abcd"))
def test_the_gaussian_divergence_is_that_of_two_normal_distributions(seed, order):
    p, q = linear(seed, "abcd"), linear(seed + 1, "".join(order))
    (m, s), (k, t) = ((a.mean, a.covariance) for a in (p.query(list("abcd")), q.query(list("abcd"))))
    inverse = np.linalg.inv(t)
    expected = 0.5 * (
        np.trace(inverse @ s) + (k - m) @ inverse @ (k - m) - 4 + np.linalg.slogdet(t)[1] - np.linalg.slogdet(s)[1]
    )
    assert vd.kl_divergence(p, q) == pytest.approx(expected, rel=1e-6, abs=1e-8)
    entropy = 0.5 * np.linalg.slogdet(2 * np.pi * np.e * s)[1]
    assert vd.cross_entropy(p, p) == pytest.approx(entropy, rel=1e-9)


def test_gaussian_sampling_comes_to_the_same():
    p, q = linear(1, "abcd"), linear(2, "dcba")
    sampled = vd.cross_entropy(p, q, 100_000, seed=1)
    assert abs(sampled - vd.cross_entropy(p, q)) < 4 * sampled.standard_error


# ---- on a test set


def test_the_log_loss_is_the_mean_over_a_test_set():
    test = ASIA.sample(400, seed=3)
    loss = vd.log_loss(ASIA, test)
    assert loss == pytest.approx(-ASIA.log_likelihood(test) / 400)
    rows = -ASIA.log_likelihood(test, by_row=True)
    assert loss.standard_error == pytest.approx(rows.std(ddof=1) / 20)


def test_weighted_rows_count_as_often_as_their_weights_say():
    rng = np.random.default_rng(0)
    plain = ASIA.sample(60, seed=3)
    weights = rng.integers(0, 4, 60)
    weighted, repeated = Data(plain.columns, weights), plain.rows(np.repeat(np.arange(60), weights))
    a, b = vd.log_loss(ASIA, weighted), vd.log_loss(ASIA, repeated)
    assert (a, a.standard_error, a.n) == (pytest.approx(b), pytest.approx(b.standard_error), b.n)
    with pytest.raises(InputError, match="no rows"):
        vd.log_loss(ASIA, Data(plain.columns, np.zeros(60, int)))


def test_an_estimate_is_a_number():
    estimate = Estimate(2.5, 0.25, 100)
    assert estimate + 1 == 3.5
    assert f"{estimate:.2f}" == "2.50"
    assert repr(estimate) == "2.5 ± 0.25"
    assert repr(Estimate(2.5)) == "2.5"
    again = pickle.loads(pickle.dumps(estimate))
    assert (again, again.standard_error, again.n, again.value) == (2.5, 0.25, 100, 2.5)


# ---- what is refused


def test_too_wide_a_network_asks_for_sampling(monkeypatch):
    """The joint distribution in p of a family of q may be too large a table."""
    monkeypatch.setattr(elimination, "MAX_ENTRIES", 1000)
    states = {f"c{i}": [str(k) for k in range(10)] for i in range(4)}
    uniform = {v: Table((), np.full(10, 0.1)) for v in states}
    q = Network({**uniform, "c3": Table(("c0", "c1", "c2"), np.full((10,) * 4, 0.1))}, states)
    with pytest.raises(InputError, match=r"'c3', a table of 1e\+04 entries in p: pass n="):
        vd.cross_entropy(Network(uniform, states), q)


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        (ASIA, ASIA.dag, "q: a Network is needed, not a DAG"),
        (Network({v: Table((), [1.0]) for v in "ab"}, {v: ["0"] for v in "ab"}), linear(0, "ab"), "of the same kinds"),
        (linear(0, "abc"), linear(0, "ab"), "'c' is in only one"),
        (
            Network({"x": Table((), [0.5, 0.5])}, {"x": ["0", "1"]}),
            Network({"x": Table((), [0.5, 0.5])}, {"x": ["0", "2"]}),
            "'x' has .* in p and",
        ),
    ],
)
def test_networks_that_cannot_be_compared_are_refused(p, q, message):
    for measure in (vd.cross_entropy, vd.kl_divergence):
        for n in (None, 10):
            with pytest.raises(InputError, match=message):
                measure(p, q, n)


def test_mistakes_are_named():
    fixed = Network({"a": LinearGaussian((), 0.0, [], 0.0)})
    with pytest.raises(InputError, match="standard deviation 0"):
        vd.cross_entropy(fixed, fixed)
    for seed in (-1, "x", True):
        with pytest.raises(InputError, match="seed="):
            vd.cross_entropy(ASIA, ASIA, 10, seed)
    with pytest.raises(InputError, match="no rows"):
        vd.cross_entropy(ASIA, ASIA, 0)
    with pytest.raises(InputError, match="which the network does not have"):
        vd.log_loss(ASIA, Data([*ASIA.sample(2, 1).columns[1:], Column.discrete("asia", np.zeros(2, np.uint8), ["q"])]))


@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([0.0, 0.3]))
def test_the_exact_cross_entropy_of_mixed_networks_is_that_of_all_their_normal_distributions(seed, n, zeros):
    p = naive_mixed.random_network(seed, n, zeros=zeros)
    states = {v: list(own)[::-1] for v, own in p.states.items()}
    continuous = [v for v in p.names if v not in states]
    q = naive_mixed.random_parameters(np.random.default_rng(seed + 1), states, continuous, 0.5, 0.0)
    assert vd.cross_entropy(p, q) == pytest.approx(naive_mixed.cross_entropy(p, q), rel=1e-9, abs=1e-9)
    assert vd.kl_divergence(p, q) == pytest.approx(
        naive_mixed.cross_entropy(p, q) - naive_mixed.cross_entropy(p, p), abs=1e-8
    )


def test_mixed_networks_too_large_for_the_exact_way_are_sampled(monkeypatch):
    p = vd.random_mixed_network(vd.random_dag(12, arcs=20, seed=3), seed=1)
    q = vd.fit(p.dag, p.sample(300, seed=1))
    exact, sampled = vd.cross_entropy(p, q), vd.cross_entropy(p, q, 20_000, seed=5)
    assert abs(sampled - exact) < 4 * sampled.standard_error
    monkeypatch.setattr(elimination, "MAX_ENTRIES", 8)
    with pytest.raises(elimination.TooLarge, match="pass n=, a number of rows to sample"):
        vd.cross_entropy(p, q)


def test_the_log_loss_of_mixed_rows_is_the_mean_of_their_surprise():
    p = vd.random_mixed_network(vd.random_dag(6, arcs=7, seed=3), seed=1)
    data = p.sample(50, seed=2)
    loss = vd.log_loss(p, data)
    assert loss == pytest.approx(-p.log_likelihood(data) / 50)
    assert loss.n == 50
    without = Network(
        {"d": Table((), [0.5, 0.5]), "x": ConditionalGaussian(("d",), (), [0, 1], [[], []], [1, 0])}, {"d": ["0", "1"]}
    )
    with pytest.raises(InputError, match="q: 'x' has standard deviation 0"):
        vd.cross_entropy(without, without)
