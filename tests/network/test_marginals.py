"""All marginals at once, of discrete, Gaussian and mixed networks, and what is kept between two calls."""

from __future__ import annotations

import pickle
import threading
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive import inference as naive
from naive import mixed_networks
from strategies import few
from veridag import InputError, JunctionTree, LinearGaussian, Marginals, Moments, Network, Table
from veridag.network.query import TooLarge, elimination


def random_evidence(network: Network, seed: int, share: float) -> dict[str, str]:
    """States of a random share of the variables, which need not be possible together."""
    rng = np.random.default_rng(seed)
    return {v: str(rng.choice(network.states[v])) for v in network.names if rng.random() < share}


@given(
    st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([0.0, 0.4, 0.8]), st.sampled_from([0.0, 0.3, 0.7, 1.0])
)
def test_discrete_marginals_agree_with_enumeration_and_elimination(seed, n, zeros, share):
    network = naive.random_network(seed, n, zeros)
    evidence = random_evidence(network, seed, share)
    if not naive.conditional(network, [], evidence):
        with pytest.raises(InputError, match="probability zero"):
            network.marginals(evidence)
        return
    found = network.marginals(evidence)
    assert list(found) == list(network.names)
    assert found.evidence == tuple(evidence.items())
    codes = {v: network.states[v].index(state) for v, state in evidence.items()}
    for v in network.names:
        expected = list(naive.conditional(network, [v], evidence).values())
        assert found[v].probabilities == pytest.approx(expected, abs=1e-12)
        if v not in evidence:
            assert found[v].probabilities == pytest.approx(elimination.conditional(network, [v], codes), abs=1e-12)


@given(st.integers(0, 10**6), st.integers(3, 9), st.sampled_from([0.0, 0.5]))
def test_numbers_do_not_depend_on_the_evidence_asked_before(seed, n, zeros):
    """Evidence that comes and goes, changes its states, and is impossible at times."""
    network, rng = naive.random_network(seed, n, zeros), np.random.default_rng(seed)
    asked: list[dict[str, str]] = [{}]
    for step in range(12):
        one = dict(asked[-1]) if rng.random() < 0.7 else random_evidence(network, seed + step, 0.4)
        v = str(rng.choice(network.names))
        if v in one and rng.random() < 0.5:
            del one[v]
        else:
            one[v] = str(rng.choice(network.states[v]))
        asked.append(one)
    for evidence in asked:
        fresh = Network(dict(network.cpds), dict(network.states))
        try:
            expected = {v: table.probabilities for v, table in fresh.marginals(evidence).items()}
        except InputError:
            with pytest.raises(InputError, match="probability zero"):
                network.marginals(evidence)
            continue
        for v, table in network.marginals(evidence).items():
            assert table.probabilities.tolist() == expected[v].tolist()  # to the last bit


@pytest.mark.parametrize("name", ["alarm", "hailfinder", pytest.param("pigs", marks=pytest.mark.medium)])
def test_a_reference_network_answers_as_rows_in_a_batch_do(name):
    network = vd.networks.load(name)
    tree, data, rng = JunctionTree(network), network.sample(5, seed=3), np.random.default_rng(3)
    rows = np.full((5, len(network.names)), -1, np.int32)
    for i in range(5):
        for k in rng.choice(len(network.names), size=5, replace=False):
            rows[i, k] = data.column(network.names[k])[i]
    tables, _ = tree.posteriors(rows, network.names)
    for i, row in enumerate(rows):
        evidence = {v: network.states[v][k] for v, k in zip(network.names, row, strict=True) if k >= 0}
        found = network.marginals(evidence)
        for table, v in zip(tables, network.names, strict=True):
            assert found.probabilities(v) == pytest.approx(table[i], abs=1e-13)


@few
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_many_factors_in_a_clique_neither_underflow_nor_lose_digits(states, seed):
    """A class with many observed children: the product of up to 400 factors, some of which favour other states."""
    rng = np.random.default_rng(seed)
    count = int(rng.choice([5, 20, 400]))
    tables = {f"x{i}": rng.dirichlet(np.full(3, 0.05), size=states) for i in range(count)}
    tables = {v: np.maximum(p, 1e-12) / np.maximum(p, 1e-12).sum(axis=1, keepdims=True) for v, p in tables.items()}
    cpds = {"c": Table((), np.full(states, 1 / states)), **{v: Table(("c",), p) for v, p in tables.items()}}
    names = {"c": [str(k) for k in range(states)], **{v: ["a", "b", "d"] for v in tables}}
    evidence = {v: "abd"[rng.integers(3)] for v in tables}
    logs = sum(np.log(p[:, "abd".index(evidence[v])]) for v, p in tables.items())
    expected = np.exp(logs - logs.max())
    found = Network(cpds, names).marginals(evidence)["c"].probabilities
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-9, atol=1e-300)


@few
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(0, 3))
def test_gaussian_marginals_are_those_of_queries(seed, n, observed):
    rng = np.random.default_rng(seed)
    names = [f"x{i}" for i in range(n)]
    cpds = {}
    for i, v in enumerate(names):
        parents = tuple(u for u in names[:i] if rng.random() < 0.6)
        cpds[v] = LinearGaussian(parents, rng.normal(), rng.normal(size=len(parents)), rng.uniform(0.5, 2))
    network = Network(cpds)
    evidence = {str(v): float(rng.normal()) for v in rng.choice(names, size=min(observed, n - 1), replace=False)}
    found = network.marginals(evidence)
    for v in names:
        if v in evidence:
            assert found[v] == Moments(evidence[v], 0.0)
        else:
            alone = network.query(v, evidence)
            assert found[v].mean == pytest.approx(alone.mean[0], abs=1e-10)
            assert found[v].sd == pytest.approx(alone.sd[0], abs=1e-10)


@given(st.integers(0, 10**6), st.integers(2, 7), st.sampled_from([0.0, 0.3]), st.integers(0, 3))
def test_mixed_marginals_agree_with_enumeration(seed, n, zeros, observed):
    network, rng = mixed_networks.random_network(seed, n, zeros=zeros), np.random.default_rng(seed)
    evidence: dict[str, str | float] = {}
    for v in rng.permutation(network.names)[:observed].tolist():
        evidence[v] = str(rng.choice(network.states[v])) if v in network.states else float(rng.normal())
    if network.kind != "mixed":
        return
    if not mixed_networks.posterior(network, [], [], evidence)[0].any():
        with pytest.raises(InputError, match="probability zero"):
            network.marginals(evidence)
        return
    found = network.marginals(evidence)
    assert list(found) == list(network.names)
    for v in network.names:
        if v in evidence:
            certain = found[v].probabilities.max() if v in network.states else found[v].mean
            assert certain == (1.0 if v in network.states else evidence[v])
        elif v in network.states:
            table, _, _ = mixed_networks.posterior(network, [v], [], evidence)
            assert found[v].probabilities == pytest.approx(table, abs=1e-9)
        else:
            _, mean, covariance = mixed_networks.posterior(network, [], [v], evidence)
            assert found[v].mean == pytest.approx(float(mean[0]), abs=1e-9)
            assert found[v].sd == pytest.approx(sqrt(float(covariance[0, 0])), abs=1e-8)


def test_a_tree_is_made_once_and_not_pickled_with_its_network(monkeypatch):
    network, made = vd.networks.load("asia"), []
    original = JunctionTree.__init__
    monkeypatch.setattr(JunctionTree, "__init__", lambda self, *a, **k: (made.append(1), original(self, *a, **k))[1])
    for state in ("yes", "no", "yes"):
        network.marginals({"dysp": state})
        network.marginals({"xray": state})
    assert len(made) == 1
    copy = pickle.loads(pickle.dumps(network))
    assert copy.marginals({"xray": "yes"})["lung"]["yes"] == network.marginals({"xray": "yes"})["lung"]["yes"]
    assert len(made) == 2


def test_threads_may_ask_the_same_network_at_the_same_time():
    network = vd.networks.load("hailfinder")
    variable = network.names[0]

    def asked(state: str) -> list[float]:
        found = network.marginals({variable: state})
        return np.concatenate([found.probabilities(v) for v in network.names]).tolist()

    expected = {state: asked(state) for state in network.states[variable]}
    wrong: list[str] = []

    def ask(state: str) -> None:
        for _ in range(20):
            if asked(state) != expected[state]:
                wrong.append(state)

    threads = [threading.Thread(target=ask, args=(state,)) for state in network.states[variable] * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_too_large_a_network_is_refused_with_bytes_clique_and_remedy():
    cpds = {}
    for i in range(40):
        for j in range(40):
            parents = ([f"g{i - 1:02}_{j:02}"] if i else []) + ([f"g{i:02}_{j - 1:02}"] if j else [])
            cpds[f"g{i:02}_{j:02}"] = Table(tuple(parents), np.full((2,) * (len(parents) + 1), 0.5))
    network = Network(cpds, {v: ["0", "1"] for v in cpds})
    with pytest.raises(TooLarge, match=r"\S+ [GTP]iB\) over the \d+ variables g.*Network.estimate") as stop:
        network.marginals()
    assert stop.value.entries == 2 ** len(stop.value.variables)
    observed = {f"g{i:02}_{j:02}": "0" for i in range(40) for j in range(40) if j % 4}
    assert network.marginals(observed)["g20_20"].probabilities == pytest.approx([0.5, 0.5])


def test_bytes_are_written_with_their_unit():
    sizes = [elimination.in_bytes(entries) for entries in (1, 127, 128, 2**26, 2.0**40, 2.0**90)]
    assert sizes[:5] == ["8 bytes", "1.02e+03 bytes", "1 KiB", "512 MiB", "8 TiB"]
    assert sizes[5].endswith("PiB")


def test_what_is_shown():
    asia, clinic = vd.networks.load("asia"), vd.networks.load("clinic")
    found = asia.marginals({"dysp": "yes"})
    assert isinstance(found, Marginals)
    assert len(found) == 8
    assert repr(found).startswith("P(each variable | dysp = yes)\nasia")
    assert "<td" in found._repr_html_()
    assert list(found.to_pandas().columns) == ["variable", "state", "probability"]
    assert "mean 53, sd 14" in repr(clinic.marginals())
    assert set(clinic.marginals().to_pandas().columns) == {"variable", "state", "probability", "mean", "sd"}
    with pytest.raises(KeyError, match="'nobody' is not a variable"):
        found["nobody"]
    with pytest.raises(InputError, match="'age' is continuous"):
        clinic.marginals().probabilities("age")


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ({"nobody": "yes"}, "evidence: the network has no variable 'nobody'"),
        ({"asia": "maybe"}, "evidence: 'asia' has no state 'maybe'"),
        ({"either": "no", "lung": "yes"}, "evidence: either = no, lung = yes has probability zero"),
    ],
)
def test_mistakes_are_named(evidence, message):
    with pytest.raises(InputError, match=message):
        vd.networks.load("asia").marginals(evidence)


def test_what_is_set_is_no_evidence_about_its_causes():
    for network, do, evidence in [
        (vd.networks.load("asia"), {"smoke": "yes", "either": "no"}, {"dysp": "yes"}),
        (vd.networks.load("ecoli70"), {"asnA": 2.0}, {"lacA": 1.0}),
    ]:
        found = network.marginals(evidence, do=do)
        assert all(f"do({v} = " in repr(found) for v in do)
        for v in network.names:
            if v in evidence:
                continue
            if v in do:
                certain = found[v][do[v]] == 1 if v in network.states else tuple(found[v]) == (do[v], 0)
                assert certain
            elif v in network.states:
                expected = network.query(v, evidence, do=do)
                np.testing.assert_allclose(found[v].probabilities, expected.probabilities, atol=1e-12)
            else:
                expected = network.query(v, evidence, do=do)
                np.testing.assert_allclose(found[v], (expected.mean[0], expected.sd[0]), atol=1e-9)
    with pytest.raises(InputError, match="evidence: 'smoke' is set by do"):
        vd.networks.load("asia").marginals({"smoke": "no"}, do={"smoke": "yes"})
