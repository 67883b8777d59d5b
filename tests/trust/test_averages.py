"""Learners whose network sums up many: the averaged and the posterior median network."""

from __future__ import annotations

import pickle
import re

import pytest

import veridag as vd
from veridag.data import Data
from veridag.errors import InputError
from veridag.trust.averages.averaged import bootstrap_shares
from veridag.trust.averages.posterior_median import posterior_shares
from veridag.trust.defaults import default_learner, taking_gaps

LEARNERS = {
    "averaged": vd.Averaged(vd.Tabu(score=vd.BDeu()), repeats=6),
    "posterior median": vd.PosteriorMedian(draws=30, max_indegree=3),
    "model average": vd.ModelAverage(
        (vd.Averaged(vd.Tabu(score=vd.BDeu()), repeats=6), vd.PosteriorMedian(draws=30, max_indegree=3))
    ),
}


@pytest.fixture(scope="module")
def data() -> Data:
    return vd.networks.load("asia").sample(400, seed=2)


@pytest.mark.parametrize("label", LEARNERS)
def test_they_find_most_of_a_small_network(label: str, data: Data):
    found = LEARNERS[label].learn(data)
    assert found.valid
    assert found.score is None
    assert vd.shd(vd.networks.load("asia").dag.cpdag(), found.cpdag) <= 4
    assert found.dag.cpdag() == found.cpdag


@pytest.mark.parametrize("label", LEARNERS)
def test_the_result_depends_on_the_seed_and_not_on_jobs_or_column_order(label: str, data: Data):
    learner = LEARNERS[label]
    found = learner.learn(data, seed=3)
    assert learner.learn(data, seed=3, jobs=2).graph == found.graph
    turned = data.select(list(reversed(data.names)))
    assert learner.learn(turned, seed=3).graph.reorder(data.names) == found.graph


@pytest.mark.parametrize("label", LEARNERS)
def test_what_is_known_is_obeyed(label: str, data: Data):
    known = vd.Knowledge(required=[("asia", "xray")], forbidden=[("smoke", "bronc"), ("bronc", "smoke")])
    found = LEARNERS[label].learn(data, known)
    assert ("asia", "xray") in found.graph.arcs
    assert found.valid
    assert not known.violations(found.dag)
    tiers = vd.Knowledge(tiers=[["dysp", "xray"], [v for v in data.names if v not in ("dysp", "xray")]])
    assert not tiers.violations(LEARNERS[label].learn(data, tiers).dag)


def test_pairs_that_most_bootstrap_samples_join_are_joined(data: Data):
    learner = LEARNERS["averaged"]
    shares, _ = bootstrap_shares(data, learner.algorithm, 6, None, 5)
    graph = learner.learn(data, seed=5).graph.reorder(data.names)
    assert ((graph.adjacency | graph.adjacency.T) == (shares.joined > 0.5)).all()


def test_a_bootstrap_share_is_that_of_the_strengths(data: Data):
    learner = vd.Tabu(score=vd.BDeu())
    shares, _ = bootstrap_shares(data, learner, 7, None, 4, jobs=2)
    strengths = vd.bootstrap(data, learner, 7, seed=4)
    assert shares.joined == pytest.approx(strengths.strength)
    assert shares.directed + 0.5 * shares.undirected == pytest.approx(strengths.strength * strengths.direction)


def test_a_posterior_share_is_that_of_the_classes_of_the_draws(data: Data):
    draws = vd.sample_posterior(data, draws=20, chains=2, max_indegree=3, burn_in=20)
    shares = posterior_shares(draws, vd.Knowledge())
    classes = [dag.cpdag() for dag in draws]
    u, v = data.names.index("smoke"), data.names.index("lung")
    directed = sum(("smoke", "lung") in graph.arcs for graph in classes) / len(classes)
    joined = sum(bool(graph.adjacency[u, v] or graph.adjacency[v, u]) for graph in classes) / len(classes)
    assert (shares.directed[u, v], shares.joined[u, v]) == pytest.approx((directed, joined))


def test_a_model_average_takes_the_mean_of_the_shares_of_its_parts(data: Data):
    learner = vd.ModelAverage(
        (
            vd.ModelAverage((vd.Averaged(vd.Tabu(score=vd.BIC()), 5), vd.Averaged(vd.Tabu(score=vd.BDeu()), 5))),
            vd.PosteriorMedian(draws=20, max_indegree=3),
        ),
        threshold=0.4,
    )
    bic, bdeu = (bootstrap_shares(data, vd.Tabu(score=each), 5, None, 2)[0] for each in (vd.BIC(), vd.BDeu()))
    draws = vd.sample_posterior(
        data, draws=20, chains=2, max_indegree=3, burn_in=50, thin=2, candidates=8, beyond=2, seed=2
    )
    drawn = posterior_shares(draws, vd.Knowledge())
    joined = 0.25 * bic.joined + 0.25 * bdeu.joined + 0.5 * drawn.joined
    graph = learner.learn(data, seed=2).graph.reorder(data.names)
    assert ((graph.adjacency | graph.adjacency.T) == (joined > 0.4)).all()


def test_gaps_are_filled_in_by_the_network_that_is_learned_from_them():
    data = vd.simulate.remove_values(vd.networks.load("asia").sample(300, seed=2), 0.1, seed=1)
    first, average = vd.StructuralEM(vd.Tabu(score=vd.BDeu())), vd.Averaged(vd.Tabu(score=vd.BIC()), repeats=4)
    learner = vd.Imputed(average, first, draws=3)
    network = vd.fit(first.learn(data, seed=5).dag, data)
    tables = vd.impute(network, data, draws=3, seed=5)
    joined = sum(bootstrap_shares(table, average.algorithm, 4, None, 5)[0].joined for table in tables) / 3
    graph = learner.learn(data, seed=5).graph.reorder(data.names)
    assert ((graph.adjacency | graph.adjacency.T) == (joined > 0.5)).all()
    assert learner.learn(data, seed=5, jobs=2).graph == learner.learn(data, seed=5).graph


def test_without_gaps_there_is_nothing_to_fill_in(data: Data):
    for average in LEARNERS.values():
        assert vd.Imputed(average).learn(data, seed=4).graph == average.learn(data, seed=4).graph


def test_an_average_is_taken_over_completions_where_values_are_missing():
    data = vd.simulate.remove_values(vd.networks.load("asia").sample(80, seed=2), 0.1, seed=1)
    average = LEARNERS["averaged"]
    assert taking_gaps(average, data) == vd.Imputed(average, default_learner(data))
    assert taking_gaps(vd.Imputed(average), data) == vd.Imputed(average)
    assert taking_gaps(vd.Averaged(vd.Tabu(score=vd.PNAL())), data) == vd.Averaged(vd.Tabu(score=vd.PNAL()))


def test_a_model_average_says_how_far_it_is(data: Data):
    seen: list[tuple[int, int | None]] = []
    LEARNERS["model average"].learn(data, progress=lambda what, done, total, extra: seen.append((done, total)))
    assert {total for _, total in seen} == {200}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert 100 <= max(done for done, _ in seen) <= 200  # the second of two parts has begun


def test_they_are_specs_and_values():
    learner = vd.parse("averaged(algorithm=tabu(score=bic), repeats=20)", "algorithm")
    assert learner == vd.Averaged(vd.Tabu(score=vd.BIC()), repeats=20)
    assert vd.parse("posterior-median(score=bdeu(ess=5), draws=50)", "algorithm") == vd.PosteriorMedian(
        vd.BDeu(ess=5), draws=50
    )
    imputed = vd.Imputed(LEARNERS["averaged"], vd.StructuralEM(vd.BOSS()), draws=2)
    for each in (*LEARNERS.values(), imputed):
        assert pickle.loads(pickle.dumps(each)) == each
        assert vd.parse(repr(each), "algorithm") == each


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: vd.Averaged(repeats=0), "repeats=0"),
        (lambda: vd.Averaged(threshold=1.5), "threshold=1.5"),
        (lambda: vd.Averaged("tabu"), "algorithm='tabu' must be an algorithm"),
        (lambda: vd.ModelAverage(()), "averages=() must be a list of 1 or more, each of them an average"),
        (lambda: vd.ModelAverage(vd.Averaged()), "must be a list of 1 or more"),
        (lambda: vd.ModelAverage((vd.Averaged(), vd.Tabu())), "averages[1]=Tabu"),
        (lambda: vd.Imputed(vd.Tabu()), "must be an average"),
        (lambda: vd.Imputed(draws=0), "draws=0"),
        (lambda: vd.PosteriorMedian(draws=0), "draws=0"),
        (lambda: vd.PosteriorMedian(candidates=99), "candidates=99"),
    ],
)
def test_wrong_settings_are_refused(make, message: str):
    with pytest.raises(InputError, match=re.escape(message)):
        make()
