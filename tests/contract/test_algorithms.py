"""What holds for every algorithm, whatever it is."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import veridag as vd
from learners import ALGORITHMS, AVERAGES, CONSTRAINT_BASED, LEARNERS
from strategies.mixed import mixed_data
from veridag.data import Column, Data

ASIA = vd.networks.load("asia").sample(400, seed=5)
GROUPED = Data(ASIA.columns, None, np.arange(400) % 3, "abc")  # which all scores take, and BHD needs
DISCRETE = [vd.AIC(), vd.BIC(gamma=0.5), vd.K2(), vd.BDeu(), vd.BDs(), vd.BDJeffreys(), vd.FNML(), vd.QNML(), vd.BHD()]
PRIORS = [vd.Edge(), vd.Fair(), vd.DataSize(), vd.MarginalUniform(), vd.VariableSelection(), vd.IndegreeAtMost(2)]
each = pytest.mark.parametrize("name", LEARNERS)
each_with_score = pytest.mark.parametrize("name", ALGORITHMS)
each_with_test = pytest.mark.parametrize("name", [*CONSTRAINT_BASED, "mmhc", "h2pc"])


def with_criterion(name: str, score: object, prior: object) -> object:
    algorithm = ALGORITHMS[name]
    if isinstance(algorithm, vd.SearchSpacePenalty):
        return replace(algorithm, algorithm=replace(algorithm.algorithm, score=score, prior=prior))
    if isinstance(algorithm, vd.RSMAX2):
        return replace(algorithm, maximize=replace(algorithm.maximize, score=score, prior=prior))
    return replace(algorithm, score=score, prior=prior)


def gaussian() -> Data:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(150, 7)) @ np.triu(rng.normal(size=(7, 7)) * (rng.random((7, 7)) < 0.5) + np.eye(7))
    return Data([Column.continuous(f"v{i}", x[:, i]) for i in range(7)])


def check(result: vd.Result, data: Data, algorithm: object, score: object, prior: object) -> None:
    expected = vd.score(result.dag, data, score, prior)
    if not isinstance(algorithm, vd.SearchSpacePenalty):
        assert result.score == pytest.approx(expected, rel=1e-10)
    assert result.dag.names == data.names
    assert result.cpdag == result.dag.cpdag()
    assert result.settings == repr(algorithm)
    assert result.calls >= result.distinct_calls > 0
    assert result.seconds > 0
    assert not result.interrupted


@each_with_score
@pytest.mark.parametrize("score", DISCRETE, ids=repr)
def test_every_discrete_score_runs(name, score):
    algorithm = with_criterion(name, score, vd.Uniform())
    check(algorithm.learn(GROUPED), GROUPED, algorithm, score, vd.Uniform())


@each_with_score
@pytest.mark.parametrize("score", [vd.AIC(), vd.BIC(), vd.BGe()], ids=repr)
def test_every_gaussian_score_runs(name, score):
    data = gaussian()
    algorithm = with_criterion(name, score, vd.Uniform())
    check(algorithm.learn(data), data, algorithm, score, vd.Uniform())


MIXED = mixed_data(3, 120, kinds="dcdcdc")
KINDS = {v: MIXED.kinds[v] for v in MIXED.names}


@each_with_score
@pytest.mark.parametrize("score", [vd.BIC(), vd.BCG(), vd.DegenerateGaussian()], ids=repr)
def test_every_mixed_score_runs(name, score):
    algorithm = with_criterion(name, score, vd.Uniform())
    result = algorithm.learn(MIXED)
    assert result.score == pytest.approx(vd.score(result.dag, MIXED, score), rel=1e-9) or "penalty" in name
    against = [(u, v) for u, v in result.dag.arcs if (KINDS[u], KINDS[v]) == ("continuous", "discrete")]
    assert not against or score.both_directions
    assert bool(result.notes) != score.both_directions


@each
def test_every_learner_takes_mixed_data_as_it_is(name):
    result = LEARNERS[name].learn(MIXED)
    assert result.graph.names == MIXED.names
    assert result.valid or result.conflicts
    directed = result.dag.arcs if result.valid else result.graph.arcs
    assert directed
    assert not [(u, v) for u, v in directed if (KINDS[u], KINDS[v]) == ("continuous", "discrete")]
    if isinstance(result.graph, vd.PDAG):  # between the kinds there is one direction only
        assert all(KINDS[u] == KINDS[v] for u, v in result.graph.edges)
    assert any("from discrete to continuous" in note for note in result.notes)


@each_with_score
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_every_prior_runs(name, prior):
    algorithm = with_criterion(name, vd.BDeu(), prior)
    check(algorithm.learn(ASIA), ASIA, algorithm, vd.BDeu(), prior)


MATCHING = [
    (vd.ScoreTest(vd.BIC()), "both"),
    (vd.ScoreTest(vd.BIC(gamma=0.5)), "both"),
    (vd.ScoreTest(vd.BDeu(), vd.VariableSelection()), "discrete"),
    (vd.ScoreTest(vd.BGe(), vd.VariableSelection()), "continuous"),
    (vd.ScoreTest(vd.K2()), "discrete"),
    (vd.G2(alpha=0.01), "both"),
    (vd.G2(df="adjusted"), "discrete"),
    (vd.G2(df="observed"), "discrete"),
    (vd.X2(), "discrete"),
    (vd.DegenerateG2(), "both"),
    (vd.StudentT(), "continuous"),
    (vd.FisherZ(), "continuous"),
]


@each_with_test
@pytest.mark.parametrize(("test", "kind"), MATCHING, ids=repr)
def test_every_test_runs(name, test, kind):
    """Among them the four pairs of matching criteria of Scutari, Graafland and Gutierrez (2019)."""
    from dataclasses import replace

    algorithm = replace(LEARNERS[name], test=test)
    for data in (ASIA, gaussian(), MIXED):
        if kind not in ("both", data.kind) and not (data.kind == "mixed" and test.handles("mixed")):
            continue
        result = algorithm.learn(data)
        assert result.graph.names == data.names
        assert result.settings == repr(algorithm)
        assert result.calls >= result.distinct_calls > 0
        if result.valid:
            assert result.cpdag == result.dag.cpdag()
        else:
            assert result.conflicts


@each
def test_the_order_of_columns_and_the_number_of_threads_change_nothing(name):
    shuffled = ASIA.select(["xray", "asia", "dysp", "tub", "smoke", "either", "lung", "bronc"])
    first = LEARNERS[name].learn(ASIA, seed=2)
    for data, jobs in ((shuffled, 1), (ASIA, 3)):
        other = LEARNERS[name].learn(data, seed=2, jobs=jobs)
        assert other.graph == first.graph
        assert other.valid == first.valid
        assert not first.valid or other.dag == first.dag
        assert other.score == first.score
        assert other.calls == first.calls


@each
def test_the_order_of_columns_changes_nothing_where_data_is_in_groups(name):
    shuffled = GROUPED.select(["xray", "asia", "dysp", "tub", "smoke", "either", "lung", "bronc"])
    if name in CONSTRAINT_BASED:
        algorithm = replace(CONSTRAINT_BASED[name], test=vd.ScoreTest(vd.BHD()))
        first, other = (algorithm.learn(data, seed=2) for data in (GROUPED, shuffled))
        assert (other.graph, other.calls) == (first.graph, first.calls)
        return
    if name in AVERAGES:
        averaged = vd.Averaged(vd.Tabu(score=vd.BHD()), repeats=3)
        median = replace(AVERAGES["posterior-median"], score=vd.BHD())
        algorithm = {
            "averaged": averaged,
            "posterior-median": median,
            "model-average": vd.ModelAverage((averaged, median)),
        }[name]
    else:
        algorithm = with_criterion(name, vd.BHD(), vd.Uniform())
    first, other = (algorithm.learn(data, seed=2) for data in (GROUPED, shuffled))
    assert (other.dag, other.score, other.calls) == (first.dag, first.score, first.calls)


@each
def test_knowledge_is_obeyed(name):
    knowledge = vd.Knowledge(
        required=[("asia", "xray")],
        forbidden=[("smoke", "lung"), ("either", "dysp")],
        tiers=[["asia", "smoke"], ["tub", "lung", "bronc"], ["either", "xray", "dysp"]],
        max_indegree=3,
    )
    result = LEARNERS[name].learn(ASIA, knowledge=knowledge, seed=1)
    assert knowledge.violations(result.dag) == []
    assert ("asia", "xray") in result.dag.arcs


@each
def test_learners_are_values(name):
    algorithm = LEARNERS[name]
    assert pickle.loads(pickle.dumps(algorithm)) == algorithm
    assert hash(algorithm) == hash(pickle.loads(pickle.dumps(algorithm)))
    assert eval(repr(algorithm), {n: getattr(vd, n) for n in vd.__all__}) == algorithm


@each
def test_one_variable_and_no_arcs_are_no_problem(name):
    one = ASIA.select(["lung"])
    assert LEARNERS[name].learn(one).dag == vd.DAG.empty(["lung"])


def random_gaussian_network(seed: int) -> vd.Network:
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(8)]
    order = rng.permutation(8)
    parents: dict[str, list[str]] = {name: [] for name in names}
    for j in range(1, 8):
        for i in rng.choice(j, min(j, int(rng.integers(1, 3))), replace=False):
            parents[names[order[j]]].append(names[order[i]])
    cpds = {
        v: vd.LinearGaussian(tuple(p), 0.0, rng.choice([-1, 1], len(p)) * rng.uniform(0.6, 1.2, len(p)), 1.0)
        for v, p in parents.items()
    }
    return vd.Network(cpds)


@pytest.mark.slow
def test_ges_finds_the_class_of_a_network_from_enough_data():
    """Paths may nearly cancel in a random network, so that one or two in a dozen need more data than this."""
    recovered = 0
    for seed in range(12):
        network = random_gaussian_network(seed)
        data = network.sample(200_000, seed=seed)
        found = vd.GES(score=vd.BIC(gamma=1)).learn(data)
        assert found.score > vd.score(network.dag, data, vd.BIC(gamma=1)) - 10
        recovered += found.graph == network.dag.cpdag()
    assert recovered >= 10


def test_order_annealing_comes_close_to_tabu_search_on_alarm():
    data = vd.networks.load("alarm").sample(10_000, seed=1)
    tabu = vd.Tabu().learn(data)
    found = vd.OrderAnnealing(max_indegree=4, candidates=8, steps=100_000).learn(data, seed=1)
    assert found.score > tabu.score - 0.001 * abs(tabu.score)


def test_order_annealing_is_no_worse_than_where_it_starts():
    data = gaussian()
    for seed in range(3):
        start = vd.HillClimbing(max_indegree=3).learn(data)
        found = vd.OrderAnnealing(max_indegree=3, steps=100, start=start.dag).learn(data, seed=seed)
        assert found.score >= start.score - 1e-6
