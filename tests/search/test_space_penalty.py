from __future__ import annotations

from math import log

import numpy as np
import pytest

import veridag as vd
from naive import graphs as naive
from veridag.search.space_penalty import log_size


def subset(names: tuple[str, ...], n: int, seed: int) -> vd.Data:
    return vd.networks.load("asia").sample(n, seed=seed).select(names)


_SEEN: list[tuple[str, tuple[str, ...]]] = []


def _counting(child: str, parents: tuple[str, ...], data: vd.Data) -> float:
    _SEEN.append((child, tuple(sorted(parents))))
    return vd.local_score(child, list(parents), data, vd.K2())


def all_dags(names: tuple[str, ...]) -> list[vd.DAG]:
    return [vd.DAG.from_adjacency(naive.matrix(len(names), arcs), names) for arcs in naive.all_dags(len(names))]


@pytest.mark.medium
@pytest.mark.parametrize("size", ["nested", "difference"])
@pytest.mark.parametrize("score", [vd.BDeu(), vd.BIC(), vd.AIC()], ids=repr)
def test_the_best_graph_under_the_prior_is_found_on_4_variables(size, score):
    names = ("smoke", "lung", "bronc", "dysp")
    for seed in range(4):
        data = subset(names, 60 + 100 * seed, seed)
        inner = vd.Tabu(score=score, restarts=20)
        found = vd.SearchSpacePenalty(inner, size=size).learn(data, seed=1)
        best = max(
            vd.score(dag, data, score) - log_size(4, int(dag.adjacency.sum(axis=0).max()), size)
            for dag in all_dags(names)
        )
        assert found.score == pytest.approx(best, rel=1e-9)


def test_the_sizes_are_those_of_all_dags_on_4_variables():
    most = np.array([int(dag.adjacency.sum(axis=0).max()) for dag in all_dags(("A", "B", "C", "D"))])
    for d in range(4):
        assert log_size(4, d) == pytest.approx(log((most <= d).sum()), abs=1e-10)
        assert log_size(4, d, "difference") == pytest.approx(log((most == d).sum()), abs=1e-10)


def test_equivalent_graphs_have_the_same_penalty():
    for dag in all_dags(("A", "B", "C", "D"))[::5]:
        other = dag.cpdag().extension()
        assert dag.adjacency.sum(axis=0).max() == other.adjacency.sum(axis=0).max()


def test_small_samples_get_sparser_graphs_than_without_the_penalty():
    data = vd.networks.load("alarm").sample(50, seed=1)
    inner = vd.Tabu(score=vd.BDeu(), max_indegree=4)
    plain, penalised = inner.learn(data), vd.SearchSpacePenalty(inner).learn(data)
    assert len(penalised.dag.arcs) < len(plain.dag.arcs)
    assert penalised.calls >= plain.calls


def test_no_family_is_scored_twice_over_the_bounds():
    data = vd.networks.load("asia").sample(80, seed=2)
    inner = vd.HillClimbing(score=vd.CustomScore(_counting), max_indegree=4)
    _SEEN.clear()
    found = vd.SearchSpacePenalty(inner).learn(data)
    assert len(_SEEN) == len(set(_SEEN)) == found.distinct_calls
    plain = vd.SearchSpacePenalty(vd.HillClimbing(score=vd.K2(), max_indegree=4)).learn(data)
    assert plain.dag == found.dag
    assert plain.distinct_calls == found.distinct_calls < plain.calls


def test_the_wrappers_bound_comes_before_the_algorithms():
    data = vd.networks.load("child").sample(500, seed=1)
    for learner, most in (
        (vd.SearchSpacePenalty(vd.Tabu(max_indegree=3), max_indegree=1), 1),
        (vd.SearchSpacePenalty(vd.Tabu(max_indegree=1)), 1),
        (vd.SearchSpacePenalty(vd.Tabu(), max_indegree=0), 0),
    ):
        assert learner.learn(data).dag.adjacency.sum(axis=0).max() <= most


def test_required_arcs_bound_the_indegree_from_below():
    data = vd.networks.load("asia").sample(100, seed=1)
    knowledge = vd.Knowledge(required=[("asia", "dysp"), ("smoke", "dysp")])
    found = vd.SearchSpacePenalty(vd.Tabu()).learn(data, knowledge=knowledge)
    assert {("asia", "dysp"), ("smoke", "dysp")} <= set(found.dag.arcs)


def test_a_mistake_is_named():
    with pytest.raises(vd.InputError, match="must be an algorithm"):
        vd.SearchSpacePenalty(vd.BIC())
    with pytest.raises(vd.InputError, match="size='both'"):
        vd.SearchSpacePenalty(vd.Tabu(), size="both")


def test_it_has_a_spec():
    spec = "search-space-penalty(algorithm=tabu(score=bdeu, max_indegree=4), size=difference)"
    assert vd.parse(spec, "algorithm") == vd.SearchSpacePenalty(
        vd.Tabu(score=vd.BDeu(), max_indegree=4), size="difference"
    )


@pytest.mark.parametrize("inner", [vd.Exact(score=vd.BDeu()), vd.Tabu(score=vd.BDeu(), restarts=5)], ids=repr)
def test_more_parents_than_the_best_graph_can_win_where_fewer_graphs_have_so_many(inner):
    names = ("A", "B", "C", "D")
    truth = vd.DAG.from_arcs([("A", "D"), ("B", "D"), ("C", "D")], names=names)
    data = vd.simulate.random_network(truth, states=2, alpha=0.5, seed=101).sample(20, seed=101)
    graphs = all_dags(names)
    best = max(
        vd.score(dag, data, vd.BDeu()) - log_size(4, int(dag.adjacency.sum(axis=0).max()), "difference")
        for dag in graphs
    )
    found = vd.SearchSpacePenalty(inner, size="difference").learn(data, seed=1)
    bounded = [vd.Exact(score=vd.BDeu(), max_indegree=d).learn(data).dag for d in range(4)]
    most = {int(dag.adjacency.sum(axis=0).max()) for dag in bounded}
    assert int(found.dag.adjacency.sum(axis=0).max()) not in most  # no bound alone leads there
    assert found.score == pytest.approx(best, rel=1e-9)
    if isinstance(inner, vd.Exact):
        assert found.optimal
        assert found.gap == 0


def test_an_unproven_search_tries_no_more_bounds_than_a_proven_one():
    """Its gap is no reason to force every set of parents."""
    data = vd.networks.load("insurance").sample(300, seed=1)
    quick, proven = (
        vd.SearchSpacePenalty(vd.Exact(vd.BDeu(), max_indegree=4, prove=prove)).learn(data) for prove in (False, True)
    )
    assert quick.calls <= proven.calls
    assert quick.score <= proven.score + 1e-9 <= quick.score + quick.gap + 2e-9
