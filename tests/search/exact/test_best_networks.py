"""The k best networks against trying every DAG."""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive import graphs as naive
from naive.score_table import naive_table
from strategies import few

FIVE = ("tub", "lung", "smoke", "either", "bronc")
ASIA = vd.networks.load("asia").sample(300, seed=2)
four_and_five = pytest.mark.parametrize("n", [4, pytest.param(5, marks=pytest.mark.slow)])


@cache
def all_dags(names: tuple[str, ...]) -> list[vd.DAG]:
    """Every DAG."""
    return [vd.DAG.from_arcs([(names[u], names[v]) for u, v in arcs], names) for arcs in naive.all_dags(len(names))]


def all_networks(data, score, prior=None, max_indegree=None, knowledge=None) -> dict[vd.DAG, float]:
    """Every network that is allowed, with its score."""
    local = naive_table(data, score, prior, max_indegree, knowledge)
    values = {}
    for dag in all_dags(data.names):
        families = [(child, tuple(sorted(dag.parents(child)))) for child in data.names]
        if all(parents in local[child] for child, parents in families):
            values[dag] = sum(local[child][parents] for child, parents in families)
    return values


def check(data, score, prior=None, max_indegree=None, knowledge=None, k=40):
    """Scores are the k highest of all, each of its own network, no network comes twice."""
    found = vd.best_networks(data, score, prior, max_indegree, knowledge, k=k)
    every = all_networks(data, score, prior, max_indegree, knowledge)
    best = sorted(every.values(), reverse=True)[:k]
    assert [network.score for network in found] == pytest.approx(best, rel=1e-11)
    for network in found:
        assert network.score == pytest.approx(every[network.dag], rel=1e-11)
        assert network.dag.names == data.names
    assert len({network.dag for network in found}) == len(found)
    assert all(a.score >= b.score for a, b in pairwise(found))
    shares = np.exp([value - best[0] for value in best])
    assert [network.probability for network in found] == pytest.approx(shares / shares.sum(), rel=1e-6)
    return found


@pytest.mark.parametrize("score", [vd.BIC(), vd.AIC(), vd.BDeu(), vd.BDs(), vd.K2(), vd.QNML()], ids=repr)
@pytest.mark.parametrize("prior", [vd.Uniform(), vd.Fair()], ids=repr)
def test_they_are_the_best_of_all_networks_on_four_variables(score, prior):
    check(ASIA.select(FIVE[:4]), score, prior)


@pytest.mark.slow
@pytest.mark.parametrize(("score", "prior"), [(vd.BIC(), None), (vd.BDeu(), vd.Fair())], ids=repr)
def test_they_are_the_best_of_all_networks_on_five_variables(score, prior):
    found = check(ASIA.select(FIVE), score, prior, k=200)
    assert found[0].score == pytest.approx(vd.Exact(score, prior or vd.Uniform()).learn(ASIA.select(FIVE)).score)
    for network in found[::20]:
        assert network.score == pytest.approx(vd.score(network.dag, ASIA.select(FIVE), score, prior), rel=1e-11)


def test_they_are_the_best_gaussian_networks():
    data = vd.random_gaussian_network(vd.random_dag(4, arcs=3, seed=1), seed=1).sample(60, seed=1)
    check(data, vd.BGe())
    check(data, vd.BIC())


@four_and_five
def test_a_limit_on_the_number_of_parents_is_kept(n):
    found = check(ASIA.select(FIVE[:n]), vd.AIC(), max_indegree=1, k=100)
    assert max(len(network.dag.parents(v)) for network in found for v in FIVE[:n]) == 1


@four_and_five
def test_knowledge_is_obeyed(n):
    knowledge = vd.Knowledge(
        required=[("either", "smoke")], forbidden=[("lung", "either"), (FIVE[n - 1], "tub")], max_indegree={"smoke": 2}
    )
    found = check(ASIA.select(FIVE[:n]), vd.BDeu(), vd.Fair(), None, knowledge, k=100)
    assert all(knowledge.allows(network.dag) for network in found)


@pytest.mark.parametrize(("n", "number"), [(1, 1), (2, 3), (3, 25), (4, 543)])
def test_all_networks_come_once_if_there_are_no_more(n, number):
    found = check(ASIA.select(FIVE[:n]), vd.BIC(), k=1000)
    assert len(found) == number
    assert sum(network.probability for network in found) == pytest.approx(1)


def test_the_first_is_the_one_that_exact_search_finds():
    found = vd.best_networks(ASIA, vd.BDeu(), vd.Fair(), k=20)
    assert found[0].score == pytest.approx(vd.Exact(vd.BDeu(), vd.Fair()).learn(ASIA).score, rel=1e-12)
    assert vd.best_networks(ASIA, vd.BDeu(), vd.Fair(), k=1)[0].score == found[0].score
    for network in found:
        assert network.score == pytest.approx(vd.score(network.dag, ASIA, vd.BDeu(), vd.Fair()), rel=1e-11)


@few
@given(order=st.permutations(ASIA.names))
def test_the_order_of_columns_changes_nothing(order):
    found, other = (vd.best_networks(d, vd.BIC(), max_indegree=2, k=15) for d in (ASIA, ASIA.select(order)))
    assert [network.score for network in other] == [network.score for network in found]
    assert [network.dag.reorder(ASIA.names) for network in other] == [network.dag for network in found]


def test_the_number_of_threads_changes_nothing():
    one, three = (vd.best_networks(ASIA, vd.BDeu(), k=15, jobs=jobs) for jobs in (1, 3))
    assert one == three


def test_a_data_frame_and_the_defaults_do():
    data = ASIA.select(FIVE[:3])
    assert vd.best_networks(data.to_polars()) == vd.best_networks(data, vd.BIC(), vd.Uniform(), None, None, k=10)


# Classes.


@pytest.mark.parametrize(
    ("n", "score", "prior"),
    [
        pytest.param(5, vd.BDeu(), None, marks=pytest.mark.slow),
        (4, vd.BDeu(), vd.Fair()),
        (4, vd.BIC(), vd.Edge(0.3)),
        (4, vd.QNML(), None),
    ],
    ids=repr,
)
def test_the_best_classes_are_the_best_of_all_classes(n, score, prior):
    data = ASIA.select(FIVE[:n])
    every = all_networks(data, score, prior)
    classes = {dag.cpdag(): every[dag] for dag in all_dags(data.names)}
    for k in (1, 12, 60):
        found = vd.best_networks(data, score, prior, k=k, classes=True)
        best = sorted(classes.values(), reverse=True)[:k]
        assert [network.score for network in found] == pytest.approx(best, rel=1e-11)
        assert len({network.cpdag for network in found}) == k
        for network in found:
            assert network.score == pytest.approx(classes[network.cpdag], rel=1e-11)
        assert sum(network.probability for network in found) == pytest.approx(1)


def test_all_classes_come_once_if_there_are_no_more():
    found = vd.best_networks(ASIA.select(FIVE[:4]), vd.BDeu(), k=500, classes=True)
    assert len({network.cpdag for network in found}) == len(found) == len(naive.equivalence_classes(4))


def test_a_class_is_there_if_a_member_obeys():
    data = ASIA.select(FIVE[:4])
    knowledge = vd.Knowledge(required=[("either", "tub")], forbidden=[("smoke", "lung")])
    found = vd.best_networks(data, vd.BDeu(), knowledge=knowledge, k=500, classes=True)
    allowed = all_networks(data, vd.BDeu(), knowledge=knowledge)
    assert {network.cpdag for network in found} == {dag.cpdag() for dag in allowed}
    assert all(knowledge.allows(network.dag) for network in found)


@pytest.mark.parametrize("score", [vd.K2(), vd.BDs(), vd.FNML()], ids=repr)
def test_a_score_that_tells_equivalent_networks_apart_has_no_classes(score):
    with pytest.raises(vd.InputError, match=r"classes=True: .* such as BDeu\(\) or BIC\(\), or classes=False"):
        vd.best_networks(ASIA, score, classes=True)


def test_a_prior_that_tells_equivalent_networks_apart_has_no_classes():
    data = ASIA.select(FIVE[:3])
    priors = [
        vd.Uniform(),
        vd.Fair(),
        vd.Edge(0.2),
        vd.IndegreeAtMost(1),
        vd.CasteloSiebes({("tub", "lung"): 0.3, ("lung", "tub"): 0.3}),
        vd.CasteloSiebes({("tub", "lung"): 0.6, ("lung", "tub"): 0.1}),
        vd.IndegreeAtMost({"tub": 0, "lung": 1, "smoke": 2}),
    ]
    pairs = [(a, b) for a, b in combinations(all_dags(data.names), 2) if a.is_equivalent(b)]
    refused = 0
    for prior in priors:
        if all(prior.log(a, data.n) == pytest.approx(prior.log(b, data.n)) for a, b in pairs):
            assert vd.best_networks(data, prior=prior, classes=True)
        else:
            refused += 1
            with pytest.raises(vd.InputError, match=r"such as Uniform\(\) or Fair\(\)"):
                vd.best_networks(data, prior=prior, classes=True)
    assert 0 < refused < len(priors)


# Limits.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k=0 must be an integer from 1 to"),
        ({"k": 2.5}, "k=2.5 must be"),
        ({"max_indegree": -1}, "max_indegree=-1"),
        ({"score": "bic"}, "score='bic' must be a score"),
        ({"prior": vd.BIC()}, "must be a structure prior"),
        ({"memory_limit": 0}, "memory_limit=0"),
        ({"jobs": 0}, "jobs=0"),
    ],
)
def test_a_mistake_is_named(arguments, message):
    with pytest.raises(vd.InputError, match=message):
        vd.best_networks(ASIA, **arguments)


def test_a_prior_that_allows_no_network_is_named():
    prior = vd.IndegreeEquals({"tub": 0, "lung": 1, "smoke": 1})
    knowledge = vd.Knowledge(forbidden=[("tub", "lung"), ("tub", "smoke")])
    with pytest.raises(vd.InputError, match="no DAG has a finite score"):
        vd.best_networks(ASIA.select(FIVE[:3]), prior=prior, knowledge=knowledge)


def test_too_many_variables_are_refused():
    data = vd.networks.load("insurance").sample(20, seed=1)
    with pytest.raises(vd.InputError, match="27 variables, and best_networks takes at most 20: select fewer"):
        vd.best_networks(data, max_indegree=1)


def test_too_many_networks_are_refused_before_anything_is_done():
    with pytest.raises(MemoryError, match=r"k=100000: .* lower k, or raise memory_limit"):
        vd.best_networks(ASIA, k=100_000, memory_limit=1e6)
    with pytest.raises(MemoryError, match="at most 16777215 networks"):
        vd.best_networks(ASIA, k=2**24, memory_limit=1e15)
    with pytest.raises(vd.InputError, match="must be an integer from 1 to"):
        vd.best_networks(ASIA, k=10**30)
    with pytest.raises(MemoryError, match="k=300: the 1200 best networks"):
        vd.best_networks(ASIA, vd.BDeu(), k=300, memory_limit=2e6, classes=True)


@pytest.mark.medium
def test_an_interrupt_comes_out_at_every_stage():
    data = vd.networks.load("child").sample(200, seed=1).select(vd.networks.load("child").names[:14])
    told = []
    vd.best_networks(data, max_indegree=3, k=50, progress=lambda what, done, total, extra: told.append((done, total)))
    assert any(total == 2**14 for _, total in told)
    assert all(0 <= done <= total for done, total in told)

    def interrupt(what, done, total, extra):
        if total == 2**14:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="not found yet"):
        vd.best_networks(data, max_indegree=3, k=50, progress=interrupt)
