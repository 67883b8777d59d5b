from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive import inference as naive
from veridag import InputError, LinearGaussian, Network, Table
from veridag.network.query import discrete, elimination

# Computed with pyAgrum 2, lazy propagation, from the networks' BIF files.
PYAGRUM = [
    ("asia", "lung", {"xray": "yes", "smoke": "no"}, {"yes": 0.14228617008923553}),
    ("asia", "asia", {"dysp": "yes"}, {"yes": 0.010324950255535953}),
    ("alarm", "CATECHOL", {"HRBP": "HIGH", "PRESS": "LOW", "BP": "LOW"}, {"NORMAL": 0.002979542430953976}),
    ("alarm", "LVFAILURE", {"HISTORY": "TRUE", "CVP": "HIGH"}, {"TRUE": 0.3309975710331858}),
    (
        "insurance",
        "PropCost",
        {"Age": "Adolescent", "MakeModel": "SportsCar"},
        {
            "Thousand": 0.5052482988454111,
            "TenThou": 0.3010058257105669,
            "HundredThou": 0.16552332735192815,
            "Million": 0.028222548092093857,
        },
    ),
    (
        "insurance",
        "DrivQuality",
        {"Accident": "Severe", "GoodStudent": "True"},
        {"Poor": 0.9883736959672805, "Normal": 0.009927867251574032, "Excellent": 0.0016984367811453747},
    ),
]


@pytest.mark.parametrize(("name", "target", "evidence", "expected"), PYAGRUM)
def test_queries_agree_with_an_independent_program(name, target, evidence, expected):
    answer = vd.networks.load(name).query(target, evidence)
    for state, p in expected.items():
        assert answer[state] == pytest.approx(p, rel=1e-6)


@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([0.0, 0.4]), st.data())
def test_queries_agree_with_brute_force(seed, n, zeros, choose):
    network = naive.random_network(seed, n, zeros)
    order = choose.draw(st.permutations(network.names))
    k = choose.draw(st.integers(1, n))
    targets = order[:k]
    evidence = {v: choose.draw(st.sampled_from(network.states[v])) for v in order[k : k + 2]}
    expected = naive.conditional(network, targets, evidence)
    if not expected:
        with pytest.raises(InputError, match="probability zero"):
            network.query(targets, evidence)
        return
    answer = network.query(targets, evidence)
    assert answer.names == tuple(targets)
    found = answer.to_dict()
    assert list(found) == list(expected)
    assert list(found.values()) == pytest.approx(list(expected.values()), abs=1e-12)


@pytest.mark.medium
def test_asia_agrees_with_brute_force_on_every_pair():
    asia = vd.networks.load("asia")
    for evidence in ({}, {"dysp": "yes"}, {"xray": "no", "asia": "yes"}):
        for a in asia.names:
            for b in asia.names:
                if a != b and not {a, b} & set(evidence):
                    expected = naive.conditional(asia, [a, b], evidence)
                    assert asia.query([a, b], evidence).to_dict() == pytest.approx(expected, abs=1e-12)


def test_impossible_evidence_is_an_error_even_where_the_target_does_not_depend_on_it():
    cpds = {"a": Table((), [0.5, 0.5]), "b": Table((), [1.0, 0.0]), "c": Table(("b",), [[0.2, 0.8], [0.5, 0.5]])}
    network = Network(cpds, {v: ["0", "1"] for v in "abc"})
    with pytest.raises(InputError, match="evidence: b = 1 has probability zero"):
        network.query("a", {"b": "1"})
    assert network.query("a", {"c": "1"})["0"] == 0.5
    certain = Network({**cpds, "c": Table(("b",), [[1.0, 0.0], [0.5, 0.5]])}, dict(network.states))
    with pytest.raises(InputError, match="evidence: c = 1 has probability zero"):
        certain.query("a", {"c": "1"})


@pytest.mark.medium
def test_much_evidence_does_not_underflow():
    """A class with 2000 observed children, each of probability 0.01 or 0.02: the product is below 1e-3000."""
    children = [f"x{i}" for i in range(2000)]
    table = [[0.01, 0.99], [0.02, 0.98]]
    flat = [[0.02, 0.98], [0.01, 0.99]]
    cpds = {"c": Table((), [0.5, 0.5])} | {
        x: Table(("c",), table if i < 1002 else flat) for i, x in enumerate(children)
    }
    network = Network(cpds, {v: ["0", "1"] for v in cpds})
    assert network.query("c", dict.fromkeys(children, "0"))["1"] == pytest.approx(16 / 17)
    certain = Network({**dict(network.cpds), "x1": Table(("c",), [[0.0, 1.0], [0.0, 1.0]])}, dict(network.states))
    with pytest.raises(InputError, match="probability zero"):
        certain.query("c", dict.fromkeys(children, "0"))


def test_a_long_chain_of_unlikely_observations_does_not_underflow():
    """A hidden Markov chain of 400 steps whose observations have probabilities about 1e-3 each."""
    rng = np.random.default_rng(1)
    move, emit = np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.001, 0.999], [0.002, 0.998]])
    cpds = {"h0": Table((), [0.5, 0.5])}
    for i in range(400):
        cpds |= {f"h{i + 1}": Table((f"h{i}",), move), f"o{i}": Table((f"h{i}",), emit)}
    network = Network(cpds, {v: ["0", "1"] for v in cpds})
    seen = {f"o{i}": "0" if rng.random() < 0.8 else "1" for i in range(400)}
    forward = np.array([0.5, 0.5])
    for i in range(400):
        forward = (forward * emit[:, int(seen[f"o{i}"])]) @ move
        forward /= forward.sum()
    assert network.query("h400", seen).probabilities == pytest.approx(forward, rel=1e-10)


def test_variables_that_do_not_matter_cost_nothing():
    """Barren ones, and those that the evidence cuts off, whatever their width."""
    wide = [f"w{i}" for i in range(40)]
    states = {v: ["0", "1", "2"] for v in [*wide, "a", "b", "sink"]}
    third = np.full(3, 1 / 3)
    cpds = {v: Table((), third) for v in wide}
    for i, v in enumerate(wide[:-3]):  # a dense web of colliders below, all barren for a and b
        child = f"c{i}"
        states[child] = ["0", "1", "2"]
        cpds[child] = Table((v, *wide[i + 1 : i + 4]), np.full((3, 3, 3, 3, 3), 1 / 3))
    cpds |= {
        "a": Table((), third),
        "b": Table(("a",), np.eye(3) * 0.7 + 0.1),
        "sink": Table(("b",), np.full((3, 3), 1 / 3)),
    }
    network = Network(cpds, states)
    assert network.query("a", {"b": "0", "c0": "1", "sink": "2"})["0"] == pytest.approx(0.8)


def grid(n: int) -> Network:
    """A square grid with arcs to the right and down: its treewidth is n."""
    cpds = {}
    for i in range(n):
        for j in range(n):
            parents = ([f"g{i - 1:02}_{j:02}"] if i else []) + ([f"g{i:02}_{j - 1:02}"] if j else [])
            cpds[f"g{i:02}_{j:02}"] = Table(tuple(parents), np.full((2,) * (len(parents) + 1), 0.5))
    return Network(cpds, {v: ["0", "1"] for v in cpds})


@pytest.mark.medium
def test_too_wide_a_network_is_refused_with_the_size_before_it_is_tried():
    with pytest.raises(
        elimination.TooLarge, match=r"a table of \S+ entries or more, over the \d+ variables .* and \d+ more"
    ) as stop:
        grid(30).query("g29_29")
    assert stop.value.entries > elimination.MAX_ENTRIES
    assert stop.value.entries == 2 ** len(stop.value.variables)


def test_too_large_a_joint_table_is_refused():
    network = vd.networks.load("alarm")
    with pytest.raises(InputError, match="over the 37 variables"):
        network.query(network.names)


def test_the_order_keeps_tables_small():
    """A chain is summed out with tables of two variables, a grid with tables of its width and one."""
    order = elimination.find_order(
        [(f"x{i}", f"x{i + 1}") for i in range(30)],
        [f"x{i}" for i in range(30)],
        dict.fromkeys([f"x{i}" for i in range(31)], 2),
    )
    assert max(map(len, order.cliques)) == 2
    network = grid(6)
    scopes = [(*network.cpds[v].parents, v) for v in network.names]
    order = elimination.find_order(scopes, network.names, dict.fromkeys(network.names, 2))
    assert max(map(len, order.cliques)) <= 8
    assert sorted(order.variables) == sorted(network.names)


def test_rounded_tables_are_normalised():
    rounded = Network(
        {"a": Table((), [0.33, 0.33, 0.33]), "b": Table(("a",), [[0.3, 0.7], [0.3, 0.69], [0.5, 0.5]])},
        {"a": ["0", "1", "2"], "b": ["0", "1"]},
    )
    assert rounded.query("a").probabilities == pytest.approx([1 / 3] * 3, rel=1e-14)
    assert rounded.query(["a", "b"]).marginal("a").probabilities == pytest.approx([1 / 3] * 3, rel=1e-14)


def test_a_variable_with_one_state_is_no_trouble():
    network = Network(
        {"one": Table((), [1.0]), "x": Table(("one",), [[0.25, 0.75]])}, {"one": ["only"], "x": ["0", "1"]}
    )
    assert network.query(["x", "one"]).probabilities.tolist() == [[0.25], [0.75]]
    assert network.query("one", {"x": "0"}).probabilities.tolist() == [1.0]
    assert network.query("x", {"one": "only"})["1"] == 0.75


def test_the_answer_can_be_read_in_many_ways():
    answer = vd.networks.load("asia").query(["lung", "bronc"], {"dysp": "yes"})
    assert answer["no", "yes"] == answer.to_dict()["no", "yes"] == answer.probabilities[1, 0]
    swapped = answer.marginal(["bronc", "lung"])
    assert np.array_equal(swapped.probabilities, answer.probabilities.T)
    assert answer.marginal("lung")["yes"] == pytest.approx(answer["yes", "yes"] + answer["yes", "no"])
    frame = answer.to_pandas()
    assert list(frame.columns) == ["lung", "bronc", "probability"]
    assert frame.probability.sum() == pytest.approx(1)
    assert repr(answer).splitlines()[0] == "P(lung, bronc | dysp = yes)"
    assert repr(answer).splitlines()[2].split() == ["yes", "yes", "0.0650273"]
    with pytest.raises(ValueError, match="read-only"):
        answer.probabilities[0, 0] = 1


def test_marginals_of_three_variables_keep_their_axes():
    answer = naive.random_network(5, 5, density=1.0).query(["v3", "v1", "v4"])
    total = dict.fromkeys(answer.marginal(["v4", "v3"]).to_dict(), 0.0)
    for (c, _, d), p in answer.to_dict().items():
        total[d, c] += p
    assert answer.marginal(["v4", "v3"]).to_dict() == pytest.approx(total)
    turned = answer.marginal(["v4", "v3", "v1"]).to_dict()
    assert turned == {(d, c, a): p for (c, a, d), p in answer.to_dict().items()}


@pytest.mark.parametrize(
    ("targets", "evidence", "message"),
    [
        ([], {}, "at least one"),
        ("lungs", {}, "targets: the network has no variable 'lungs': did you mean 'lung'"),
        ("lung", {"smok": "yes"}, "evidence: the network has no variable 'smok'"),
        ("lung", {"smoke": "maybe"}, "'smoke' has no state 'maybe': choose from 'yes', 'no'"),
        ("lung", {"smoke": 1}, "'smoke' has no state 1"),
        (["lung", "lung"], {}, "only once"),
        ("lung", {"lung": "yes"}, "'lung' is also part of the evidence"),
    ],
)
def test_mistakes_in_a_query_are_named(targets, evidence, message):
    with pytest.raises(InputError, match=message):
        vd.networks.load("asia").query(targets, evidence)


def test_mistakes_in_reading_an_answer_are_named():
    answer = vd.networks.load("asia").query(["lung", "bronc"])
    with pytest.raises(InputError, match="1 states for the 2"):
        answer["yes"]
    with pytest.raises(InputError, match="'bronc' has no state 'nope'"):
        answer["yes", "nope"]
    with pytest.raises(InputError, match="'smoke' is not part"):
        answer.marginal("smoke")
    with pytest.raises(InputError, match="each once"):
        answer.marginal(["lung", "lung"])


# ---- Gaussian networks


def linear(seed: int, n: int) -> Network:
    rng = np.random.default_rng(seed)
    cpds = {}
    for i in range(n):
        parents = [f"x{j}" for j in range(i) if rng.random() < min(1.0, 3 / max(i, 1))]
        cpds[f"x{i}"] = LinearGaussian(
            tuple(parents), rng.normal(), rng.normal(size=len(parents)) / 2, rng.uniform(0.5, 2)
        )
    return Network({v: cpds[v] for v in sorted(cpds)})


def naive_moments(network: Network) -> tuple[dict[str, float], dict[tuple[str, str], float]]:
    """Mean and covariance by the recursion over a topological order."""
    mean: dict[str, float] = {}
    covariance: dict[tuple[str, str], float] = {}
    for v in network.dag.topological_order():
        cpd = network.gaussian(v)
        slopes = dict(zip(cpd.parents, cpd.coefficients, strict=True))
        for u in mean:
            covariance[u, v] = covariance[v, u] = sum(b * covariance[p, u] for p, b in slopes.items())
        mean[v] = cpd.intercept + sum(b * mean[p] for p, b in slopes.items())
        covariance[v, v] = cpd.sd**2 + sum(b * covariance[p, v] for p, b in slopes.items())
    return mean, covariance


@given(st.integers(0, 10**6), st.integers(2, 7), st.data())
def test_gaussian_queries_agree_with_the_definition(seed, n, choose):
    network = linear(seed, n)
    order = choose.draw(st.permutations(network.names))
    k = choose.draw(st.integers(1, n))
    evidence = {v: choose.draw(st.floats(-3, 3)) for v in order[k:]}
    mean, covariance = naive_moments(network)
    t, e = order[:k], order[k:]
    block = lambda a, b: np.array([[covariance[u, v] for v in b] for u in a]).reshape(len(a), len(b))  # noqa: E731
    gain = block(t, e) @ np.linalg.inv(block(e, e)) if e else np.zeros((k, 0))
    answer = network.query(t, evidence)
    shift = np.array([evidence[v] - mean[v] for v in e])
    assert answer.mean == pytest.approx(np.array([mean[v] for v in t]) + gain @ shift, rel=1e-8, abs=1e-8)
    assert answer.covariance == pytest.approx(block(t, t) - gain @ block(e, t), rel=1e-8, abs=1e-8)
    assert answer.sd == pytest.approx(np.sqrt(answer.covariance.diagonal()))


def test_a_gaussian_query_agrees_with_regression_on_a_sample():
    network = linear(1, 6)
    sample = network.sample(200_000, seed=4)
    answer = network.query("x5", {"x0": 1.0, "x3": -0.5})
    x = np.column_stack([np.ones(sample.n), sample.column("x0"), sample.column("x3")])
    slopes, residual, *_ = np.linalg.lstsq(x, sample.column("x5"), rcond=None)
    assert answer.mean[0] == pytest.approx(slopes @ [1, 1, -0.5], abs=0.03)
    assert answer.sd[0] == pytest.approx(np.sqrt(residual[0] / sample.n), rel=0.01)


@pytest.mark.medium
def test_a_large_gaussian_network_is_queried_at_once():
    network = linear(2, 648)
    evidence = dict.fromkeys(network.names[:300], 0.0)
    answer = network.query(network.names[300:], evidence)
    assert answer.covariance.shape == (348, 348)
    assert np.linalg.eigvalsh(answer.covariance).min() > 0


def test_certain_values_can_be_evidence_if_they_agree():
    network = Network(
        {
            "a": LinearGaussian((), 1.0, [], 1.0),
            "twice": LinearGaussian(("a",), 0.0, [2.0], 0.0),
            "five": LinearGaussian((), 5.0, [], 0.0),
            "b": LinearGaussian(("a", "five"), 0.0, [1.0, 1.0], 1.0),
        }
    )
    answer = network.query("b", {"a": 3.0, "twice": 6.0, "five": 5.0})
    assert (answer.mean[0], answer.sd[0]) == pytest.approx((8.0, 1.0))
    assert network.query("a", {"twice": 6.0}).sd[0] == 0
    for wrong in ({"a": 3.0, "twice": 7.0}, {"five": 6.0}):
        with pytest.raises(InputError, match="density zero"):
            network.query("b", wrong)


def test_gaussian_evidence_must_be_numbers():
    for wrong in ("high", float("nan"), float("inf"), None):
        with pytest.raises(InputError, match="'x0' needs a finite number"):
            linear(0, 3).query("x1", {"x0": wrong})
    assert linear(0, 3).query("x1", {"x0": "0.5"}).mean == linear(0, 3).query("x1", {"x0": 0.5}).mean


def test_a_gaussian_answer_can_be_read_in_many_ways():
    answer = linear(3, 40).query([f"x{i}" for i in range(35)], {"x39": 1.0})
    assert repr(answer).splitlines()[1].split() == ["variable", "mean", "sd"]
    assert repr(answer).splitlines()[-1] == "... and 5 more"
    part = answer.marginal(["x7", "x2"])
    assert part.covariance[0, 1] == answer.covariance[7, 2]
    assert part.mean.tolist() == answer.mean[[7, 2]].tolist()
    assert answer.to_pandas().loc["x7", "sd"] == answer.sd[7]


@pytest.mark.parametrize("name", ["asia", "alarm", "child"])
def test_the_tree_and_elimination_give_the_same_answer(name, monkeypatch):
    network = vd.networks.load(name)
    data = network.sample(4, seed=1)
    rng = np.random.default_rng(1)
    questions = []
    for i in range(4):
        chosen = [network.names[k] for k in rng.permutation(len(network.names))]
        evidence = {v: network.states[v][data.column(v)[i]] for v in chosen[: 2 * i]}
        questions.append(([v for v in (*network.cpds[chosen[-1]].parents, chosen[-1]) if v not in evidence], evidence))
    by_tree = [network.query(*question) for question in questions]
    monkeypatch.setattr(discrete, "SMALL_TREE", 0)
    calls = []
    monkeypatch.setattr(discrete, "conditional", lambda *given: calls.append(given) or elimination.conditional(*given))
    for question, answer in zip(questions, by_tree, strict=True):
        assert network.query(*question).probabilities == pytest.approx(answer.probabilities, abs=1e-12)
    assert len(calls) == len(questions)


def test_the_tree_is_used_where_a_clique_holds_the_targets(monkeypatch):
    """Targets of several cliques, and networks with many variables, are left to elimination."""
    calls = []
    monkeypatch.setattr(discrete, "conditional", lambda *given: calls.append(given) or elimination.conditional(*given))
    alarm = vd.networks.load("alarm")
    alarm.query("CVP", {"HISTORY": "TRUE"})
    assert not calls
    alarm.query(["CVP", "FIO2"])
    assert len(calls) == 1
    vd.networks.load("pigs").query("p48124091")
    assert len(calls) == 2


def test_tables_of_many_families_in_one_pass_are_those_one_by_one(monkeypatch):
    network = vd.networks.load("child")
    rng = np.random.default_rng(2)
    scopes = [[network.names[k] for k in rng.permutation(20)[:3]] for _ in range(4)]
    found = discrete.joint_tables(network, scopes)
    for scope, table in zip(scopes, found, strict=True):
        assert table == pytest.approx(elimination.conditional(network, scope, {}), abs=1e-12)
    monkeypatch.setattr(elimination, "MAX_ENTRIES", 10)
    assert discrete.joint_tables(network, scopes) is None
    monkeypatch.setattr(discrete, "ENTRIES_PER_TABLE", 1)
    assert discrete.joint_tables(network, scopes) is None


def test_evidence_that_is_no_mapping_is_named():
    asia = vd.networks.load("asia")
    with pytest.raises(
        InputError, match=r"evidence: give each variable its value, \{variable: value\}, not 'smoke=yes'"
    ):
        asia.query("lung", "smoke=yes")
