from __future__ import annotations

from itertools import product
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive import inference as naive
from strategies import few
from veridag import InputError, LinearGaussian, Network, Table
from veridag.network.query import TooLarge
from veridag.network.query.junction_tree import JunctionTree

NETWORKS = (st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([0.0, 0.4]))


def random_rows(network: Network, seed: int, n: int) -> np.ndarray:
    """Rows of states, of which a random share is missing; some observe nothing and some everything."""
    rng = np.random.default_rng(seed)
    arities = [len(network.states[v]) for v in network.names]
    rows = rng.integers(0, arities, size=(n, len(arities)))
    return np.where(rng.random(rows.shape) < rng.choice([0.0, 0.3, 0.7, 1.0], size=(n, 1)), -1, rows)


def configurations(network: Network) -> tuple[np.ndarray, np.ndarray]:
    """Every configuration of all variables as numbers of states, and its probability, by brute force."""
    found = naive.joint(network)
    numbers = list(product(*(range(len(network.states[v])) for v in network.names)))
    return np.array(numbers), np.array(list(found.values()))


def consistent(states: np.ndarray, row: np.ndarray) -> np.ndarray:
    return ((row < 0) | (states == row)).all(axis=1)


def family(network: Network, v: str) -> list[int]:
    return [network.names.index(u) for u in (*network.cpds[v].parents, v)]


def added(states: np.ndarray, p: np.ndarray, scope: list[int], shape: tuple[int, ...]) -> np.ndarray:
    table = np.zeros(shape)
    np.add.at(table, tuple(states[:, v] for v in scope), p)
    return table


@given(*NETWORKS)
def test_the_tree_holds_every_family_and_connects_every_variable(seed, n, zeros):
    network = naive.random_network(seed, n, zeros)
    tree = JunctionTree(network)
    cliques, parents = [set(c) for c in tree.cliques], tree._core.parents
    for v in network.names:
        assert any({*network.cpds[v].parents, v} <= c for c in cliques)
        assert tree.covers((*network.cpds[v].parents, v))
        holding = [i for i, c in enumerate(cliques) if v in c]
        tops = [i for i in holding if parents[i] < 0 or v not in cliques[parents[i]]]
        assert len(tops) == 1  # so that they form one subtree
    for i, c in enumerate(cliques):
        assert parents[i] == -1 or parents[i] > i
        assert not any(c <= other for j, other in enumerate(cliques) if j != i)
    assert tree.entries == sum(np.prod([len(network.states[v]) for v in c]) for c in tree.cliques)


@given(*NETWORKS)
def test_all_marginals_agree_with_brute_force(seed, n, zeros):
    network = naive.random_network(seed, n, zeros)
    tree, (states, p) = JunctionTree(network), configurations(network)
    for row in random_rows(network, seed, 3):
        there = consistent(states, row)
        total = p[there].sum()
        evidence = {v: network.states[v][k] for v, k in zip(network.names, row, strict=True) if k >= 0}
        if total == 0:
            assert tree.log_probability(evidence) == -inf
            with pytest.raises(InputError, match="probability zero"):
                tree.marginals(evidence)
            continue
        assert tree.log_probability(evidence) == pytest.approx(log(total), abs=1e-12)
        found, marginals = tree.families(evidence), tree.marginals(evidence)
        for i, v in enumerate(network.names):
            expected = added(states[there], p[there] / total, family(network, v), found[v].shape)
            assert found[v] == pytest.approx(expected, abs=1e-12)
            alone = added(states[there], p[there] / total, [i], marginals[v].shape)
            assert marginals[v] == pytest.approx(alone, abs=1e-12)


@given(*NETWORKS)
def test_expected_counts_agree_with_brute_force(seed, n, zeros):
    network = naive.random_network(seed, n, zeros)
    rows = random_rows(network, seed, 12)
    weights = np.random.default_rng(seed).integers(0, 4, size=12).astype(float)
    states, p = configurations(network)
    expected = {v: np.zeros(network.table(v).probabilities.shape) for v in network.names}
    for row, weight in zip(rows, weights, strict=True):
        there = consistent(states, row)
        if p[there].sum() > 0:
            share = weight * p[there] / p[there].sum()
            for v in network.names:
                expected[v] += added(states[there], share, family(network, v), expected[v].shape)
    counts = JunctionTree(network).expected_counts(rows, weights).counts
    for v in network.names:
        assert counts[v] == pytest.approx(expected[v], abs=1e-11)


@given(*NETWORKS)
def test_the_most_probable_completion_is_that_of_brute_force(seed, n, zeros):
    network = naive.random_network(seed, n, zeros)
    rows = random_rows(network, seed, 6)
    states, p = configurations(network)
    found = JunctionTree(network).most_probable(rows)
    for row, completed, log_p in zip(rows, *found, strict=True):
        there = consistent(states, row)
        best = p[there].max()
        if best == 0:
            assert log_p == -inf
            assert (completed[[len(network.states[v]) > 1 for v in network.names]] < 0).tolist() == [
                k < 0 for k, v in zip(row, network.names, strict=True) if len(network.states[v]) > 1
            ]
            continue
        assert log_p == pytest.approx(log(best), abs=1e-12)
        assert consistent(completed[None, :], row).all()
        assert p[(states == completed).all(axis=1)] == pytest.approx([best], rel=1e-12)


def test_many_rows_are_each_what_one_row_is_whatever_the_threads():
    network = vd.networks.load("asia")
    tree, rows = JunctionTree(network), random_rows(vd.networks.load("asia"), 3, 150)
    rows[50:70] = rows[:20]  # equal rows share the work
    scopes = [*network.names, ("tub", "lung", "either")]
    tables, log_p = tree.posteriors(rows, scopes)
    best, drawn, counts = tree.most_probable(rows), tree.sample(rows, seed=4), tree.expected_counts(rows)
    assert tree.log_probabilities(rows).tolist() == log_p.tolist() == drawn.log_probabilities.tolist()
    assert counts.log_probabilities.tolist() == log_p.tolist()
    assert -inf in log_p
    assert not any(np.isnan(t).any() for t in tables)
    assert (log_p[50:70] == log_p[:20]).all()
    total = {v: np.zeros(t.shape) for v, t in counts.counts.items()}
    for i in range(0, len(rows), 7):
        one, one_log_p = tree.posteriors(rows[i : i + 1], scopes)
        assert one_log_p[0] == log_p[i]
        assert all((a[0] == b[i]).all() for a, b in zip(one, tables, strict=True))
        assert (tree.most_probable(rows[i : i + 1]).states[0] == best.states[i]).all()
    for i in range(len(rows)):
        for v, own in tree.expected_counts(rows[i : i + 1]).counts.items():
            total[v] += own
    for v, own in counts.counts.items():
        assert own == pytest.approx(total[v], abs=1e-12)
    assert (tree.sample(rows[:40], seed=4).states == drawn.states[:40]).all()
    for jobs in (2, 5):
        assert tree.log_probabilities(rows, jobs=jobs).tolist() == log_p.tolist()
        assert all((a == b).all() for a, b in zip(tree.posteriors(rows, scopes, jobs=jobs)[0], tables, strict=True))
        assert (tree.most_probable(rows, jobs=jobs).states == best.states).all()
        assert (tree.sample(rows, seed=4, jobs=jobs).states == drawn.states).all()
        again = tree.expected_counts(rows, jobs=jobs).counts
        assert all((again[v] == own).all() for v, own in counts.counts.items())


@few
@given(*NETWORKS)
def test_draws_keep_what_is_observed_and_are_possible(seed, n, zeros):
    network = naive.random_network(seed, n, zeros)
    rows = random_rows(network, seed, 20)
    states, p = configurations(network)
    tree = JunctionTree(network)
    drawn = tree.sample(rows, seed)
    for row, completed, log_p in zip(rows, *drawn, strict=True):
        assert consistent(completed[None, :], row).all()
        if log_p > -inf:
            assert p[(states == completed).all(axis=1)][0] > 0
    assert (tree.sample(rows, seed).states == drawn.states).all()


def test_what_follows_for_certain_is_drawn_and_found():
    """A chain of negations: the state of any variable says those of all others."""
    turn = np.array([[0.0, 1.0], [1.0, 0.0]])
    cpds = {"x0": Table((), [0.3, 0.7])} | {f"x{i}": Table((f"x{i - 1}",), turn) for i in range(1, 9)}
    tree = JunctionTree(Network(cpds, {v: ["0", "1"] for v in cpds}))
    rows = np.full((9, 9), -1)
    np.fill_diagonal(rows, 1)
    expected = [[(i + j + 1) % 2 for j in range(9)] for i in range(9)]
    assert tree.sample(rows, 1).states.tolist() == expected
    assert tree.most_probable(rows).states.tolist() == expected
    assert tree.log_probabilities(rows) == pytest.approx([log(0.7 if i % 2 == 0 else 0.3) for i in range(9)])
    rows[:, 0], rows[:, 1] = 1, 1
    assert tree.log_probabilities(rows).tolist() == [-inf] * 9
    assert tree.posteriors(rows, ["x5"])[0][0].tolist() == [[0.0, 0.0]] * 9
    assert (tree.sample(rows, 1).states[:, 8] == [-1] * 8 + [1]).all()
    assert all((own == 0).all() for own in tree.expected_counts(rows).counts.values())


def test_different_rows_are_drawn_independently_and_seeds_differ():
    tree = JunctionTree(vd.networks.load("asia"))
    rows = np.full((200, 8), -1)
    one, other = tree.sample(rows, 1).states, tree.sample(rows, 2).states
    assert len(np.unique(one, axis=0)) > 10
    assert (one != other).any()


def test_much_evidence_does_not_underflow_in_the_tree():
    """A class with 600 children, half of them observed through a child of their own; the product is below 1e-900."""
    here, there = np.array([[1e-4, 1 - 1e-4], [0.5, 0.5]]), np.array([[0.5, 0.5], [1e-4, 1 - 1e-4]])
    cpds = {"c": Table((), [0.5, 0.5])}
    for i in range(300):
        cpds[f"x{i}"] = Table(("c",), here if i < 150 else there)
        cpds[f"h{i}"] = Table(("c",), here if i < 150 else there)
        cpds[f"y{i}"] = Table((f"h{i}",), np.eye(2))
    network = Network(cpds, {v: ["0", "1"] for v in cpds})
    seen = {f"{v}{i}": "0" for i in range(300) for v in "xy"}
    tree = JunctionTree(network)
    assert tree.marginals(seen)["c"] == pytest.approx([0.5, 0.5], abs=1e-9)
    assert tree.log_probability(seen) == pytest.approx(300 * log(1e-4) + 300 * log(0.5), rel=1e-12)
    best = tree.most_probable(tree.row(seen))
    assert best.log_probabilities[0] == pytest.approx(300 * log(1e-4) + 300 * log(0.5) + log(0.5), rel=1e-12)


def test_other_parameters_share_the_tree():
    network = vd.networks.load("asia")
    flat = Network(
        {v: Table(c.parents, np.full(c.probabilities.shape, 0.5)) for v, c in network.cpds.items()}, network.states
    )
    tree = JunctionTree(network).with_parameters(flat)
    assert tree.log_probability({"asia": "yes", "xray": "no"}) == pytest.approx(log(0.25))
    with pytest.raises(InputError, match="differ from those of the tree"):
        tree.with_parameters(vd.networks.load("cancer"))


def test_one_state_is_known_and_rounded_tables_are_normalised():
    network = Network(
        {"one": Table((), [1.0]), "a": Table(("one",), [[0.33, 0.33, 0.33]])}, {"one": ["only"], "a": ["0", "1", "2"]}
    )
    tree = JunctionTree(network)
    assert tree.marginals()["a"] == pytest.approx([1 / 3] * 3, rel=1e-14)
    assert tree.families({"a": "1"})["a"].tolist() == [[0.0, 1.0, 0.0]]
    assert tree.sample([[-1, 2]], 1).states.tolist() == tree.most_probable([[-1, 2]]).states.tolist() == [[0, 2]]
    assert exp(tree.log_probability({"one": "only"})) == 1.0


def grid(n: int) -> Network:
    cpds = {}
    for i in range(n):
        for j in range(n):
            parents = ([f"g{i - 1:02}_{j:02}"] if i else []) + ([f"g{i:02}_{j - 1:02}"] if j else [])
            cpds[f"g{i:02}_{j:02}"] = Table(tuple(parents), np.full((2,) * (len(parents) + 1), 0.5))
    return Network(cpds, {v: ["0", "1"] for v in cpds})


def test_too_large_a_tree_is_refused_with_its_size_unless_evidence_cuts_it():
    tree = JunctionTree(grid(40))
    with pytest.raises(TooLarge, match=r"its junction tree needs tables of \S+ entries in all, the largest") as stop:
        tree.marginals()
    assert stop.value.entries == 2 ** len(stop.value.variables) > 2**26
    rows = np.zeros((1, 1600), np.int64)
    rows[0, ::5] = -1
    assert tree.log_probabilities(rows)[0] == pytest.approx(1280 * log(0.5))


def test_progress_is_told_and_can_stop_the_work():
    tree, calls = JunctionTree(vd.networks.load("asia")), []
    rows = random_rows(tree.network, 1, 50)
    tree.log_probabilities(rows, progress=lambda *told: calls.append(told))
    assert calls[0][0] == "inference"
    assert calls[0][2] == 50

    def stop(*told):
        raise RuntimeError("enough")

    for work in (tree.expected_counts, tree.log_probabilities, tree.most_probable):
        with pytest.raises(RuntimeError, match="enough"):
            work(rows, progress=stop)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.log_probabilities([[0, 1]]), "a column for each of the 8 variables"),
        (lambda t: t.log_probabilities(np.zeros((1, 8))), "an array of integers"),
        (lambda t: t.log_probabilities([[0] * 7 + [2]]), "row 0 has 2 for 'dysp', which has the states 0 to 1"),
        (lambda t: t.sample([[-2] * 8], 1), "row 0 has -2"),
        (lambda t: t.expected_counts([[0] * 8], [1.0, 2.0]), "one weight for each of the 1 rows"),
        (lambda t: t.expected_counts([[0] * 8], [-1.0]), "not negative"),
        (lambda t: t.marginals({"nobody": "yes"}), "no variable 'nobody'"),
        (lambda t: t.marginals({"asia": "maybe"}), "no state 'maybe'"),
        (lambda t: t.posteriors([[-1] * 8], [("asia", "dysp")]), "no clique contains all of"),
        (lambda t: t.posteriors([[-1] * 8], [("asia", "asia")]), "each once"),
        (lambda t: t.posteriors([[-1] * 8], ["nobody"]), "no variable 'nobody'"),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(InputError, match=message):
        call(JunctionTree(vd.networks.load("asia")))


def test_continuous_variables_have_no_tree():
    with pytest.raises(InputError, match="discrete variables only"):
        JunctionTree(Network({"x": LinearGaussian((), 0.0, (), 1.0)}))
