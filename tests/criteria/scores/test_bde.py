from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import scores as naive_scores
from veridag import Data, InputError, LinearGaussian, Network, Table
from veridag.counts import family_counts
from veridag.criteria.scores import BDe, BDeu
from veridag.criteria.scores.bde import marginal
from veridag.data import Column

STATES = {"A": ["a", "b"], "B": ["x", "y", "z"], "C": ["0", "1"], "D": ["lo", "mid", "hi"]}


@pytest.fixture(scope="module")
def prior() -> Network:
    """A -> C <- B, C -> D <- A, with random tables."""
    rng = np.random.default_rng(3)
    parents = {"A": (), "B": (), "C": ("A", "B"), "D": ("C", "A")}
    tables = {}
    for v, p in parents.items():
        shape = [len(STATES[u]) for u in p]
        tables[v] = Table(p, rng.dirichlet(np.ones(len(STATES[v])), shape or None))
    return Network(tables, STATES)


@pytest.fixture(scope="module")
def data() -> Data:
    """States in another order than the prior network's."""
    rng = np.random.default_rng(4)
    return Data([Column.discrete(v, rng.integers(0, len(s), 30), s[::-1]) for v, s in reversed(STATES.items())])


def uniform(states: dict[str, list[str]]) -> Network:
    return Network({v: Table((), np.full(len(s), 1 / len(s))) for v, s in states.items()}, states)


FAMILIES = [("A", []), ("C", ["A", "B"]), ("A", ["D"]), ("D", ["B"]), ("B", ["D", "C", "A"]), ("C", ["D"])]


@pytest.mark.parametrize(("child", "parents"), FAMILIES)
def test_agrees_with_the_joint_distribution_and_matches_states_by_name(
    prior: Network, data: Data, child: str, parents: list[str]
) -> None:
    value = BDe(5, prior).local(child, parents, data)
    assert value == pytest.approx(naive_scores.bde(data, child, parents, 5, prior), rel=1e-12)


@pytest.mark.parametrize(("child", "parents"), FAMILIES)
def test_a_uniform_prior_network_gives_bdeu(data: Data, child: str, parents: list[str]) -> None:
    value = BDe(2.5, uniform(STATES)).local(child, parents, data)
    assert value == pytest.approx(BDeu(ess=2.5).discrete(family_counts(data, child, parents)), rel=1e-12)


@given(st.integers(0, 2**32))
def test_equivalent_dags_have_the_same_score(prior: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = Data([Column.discrete(v, rng.integers(0, len(s), 12), s) for v, s in STATES.items()])
    score = BDe(3, prior)
    chain = score.local("A", [], data) + score.local("C", ["A"], data) + score.local("D", ["C"], data)
    fork = score.local("C", [], data) + score.local("A", ["C"], data) + score.local("D", ["C"], data)
    assert chain == pytest.approx(fork, rel=1e-12)
    covered = score.local("A", ["B"], data) + score.local("C", ["A", "B"], data)
    reversed_ = score.local("C", ["B"], data) + score.local("A", ["B", "C"], data)
    assert covered == pytest.approx(reversed_, rel=1e-12)


def test_hyperparameters_sum_to_the_imaginary_sample_size(prior: Network, data: Data) -> None:
    assert BDe(7, prior).alpha("D", ["B", "A"], data).shape == (3, 2, 3)
    for child, parents in FAMILIES:
        assert BDe(7, prior).alpha(child, parents, data).sum() == pytest.approx(7)


def test_rounded_tables_give_consistent_marginals() -> None:
    rounded = Network(
        {"A": Table((), [0.33, 0.33, 0.33]), "B": Table(("A",), [[0.2, 0.8]] * 3)},
        {"A": ["0", "1", "2"], "B": ["0", "1"]},
    )
    np.testing.assert_allclose(marginal(rounded, ["A", "B"]).sum(axis=1), marginal(rounded, ["A"]), rtol=1e-14)


def test_ancestors_of_long_chains_are_summed_out() -> None:
    names = [f"X{i}" for i in range(60)]
    table = np.array([[0.9, 0.1], [0.3, 0.7]])
    cpds = {v: Table((names[i - 1],), table) if i else Table((), [0.5, 0.5]) for i, v in enumerate(names)}
    network = Network(cpds, {v: ["0", "1"] for v in names})
    joint = marginal(network, ["X59", "X0"])  # axes as asked for
    np.testing.assert_allclose(joint, (0.5 * np.linalg.matrix_power(table, 59)).T, rtol=1e-12)


def test_impossible_data_has_minus_infinity() -> None:
    states = {"A": ["0", "1"], "B": ["0", "1"]}
    copy = Network({"A": Table((), [1.0, 0.0]), "B": Table(("A",), [[1.0, 0.0], [0.5, 0.5]])}, states)
    impossible = Data([Column.discrete(v, np.array([0, 1]), ["0", "1"]) for v in "AB"])
    possible = Data([Column.discrete(v, np.array([0, 0]), ["0", "1"]) for v in "AB"])
    assert BDe(1, copy).local("B", ["A"], impossible) == BDe(1, copy).local("A", [], impossible) == -np.inf
    assert BDe(1, copy).local("B", ["A"], possible) == 0


def test_too_large_a_table_is_refused_with_the_family() -> None:
    states = {f"X{i}": [str(k) for k in range(10)] for i in range(8)}
    data = Data([Column.discrete(v, np.array([0, 1]), s) for v, s in states.items()])
    with pytest.raises(InputError, match=r"'X7'.*1e\+08 entries.*fewer parents"):
        BDe(1, uniform(states)).local("X7", [f"X{i}" for i in range(7)], data)


def test_states_and_variables_must_be_those_of_the_network(prior: Network, data: Data) -> None:
    other = Data([Column.discrete("A", np.array([0, 1]), ["a", "c"])])
    with pytest.raises(InputError, match=r"column 'A' has the states \('a', 'c'\)"):
        BDe(1, prior).local("A", [], other)
    with pytest.raises(InputError, match="column 'A' has the states"):
        BDe(1, prior).check(other)
    with pytest.raises(InputError, match="no variable 'Z'"):
        BDe(1, prior).check(Data([Column.discrete("Z", np.array([0, 1]), ["a", "c"])]))
    with pytest.raises(InputError, match="does not score continuous"):
        BDe(1, prior).check(Data([Column.continuous("A", np.array([0.5, 1.5]))]))
    BDe(1, prior).check(data)


def test_counts_alone_are_refused(prior: Network, data: Data) -> None:
    with pytest.raises(InputError, match="use local"):
        BDe(1, prior).discrete(family_counts(data, "A", []))


def test_the_prior_network_must_be_discrete() -> None:
    with pytest.raises(InputError, match="use BGe"):
        BDe(1, Network({"A": LinearGaussian((), 0, [], 1)}))
    with pytest.raises(InputError, match="network='alarm' must be a Network"):
        BDe(1, "alarm")  # type: ignore[arg-type]
