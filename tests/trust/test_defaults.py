"""The learner that is taken where none is named: the rule of docs/choosing.md, and results that are what they say."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from strategies.mixed import mixed_data
from veridag.specs import parse
from veridag.trust.defaults import default_learner, most_parents
from veridag.trust.learners import compared_learners, default_companions, default_learners


def independent(columns, rows, continuous=False):
    """A table whose columns have nothing to do with each other."""
    rng = np.random.default_rng(1)
    drawn = rng.normal(size=(rows, columns)) if continuous else rng.integers(0, 2, (rows, columns))
    return vd.Data.from_numpy(drawn, [f"x{i:03}" for i in range(columns)])


ASIA = vd.networks.load("asia").sample(300, seed=1)
ECOLI = vd.networks.load("ecoli70").sample(300, seed=1)
GROUPS = vd.simulate.related(nodes=4, groups=2, states=2, rows=60, seed=1).data


def test_the_kind_of_data_chooses_score_prior_and_search():
    assert default_learner(ASIA) == vd.BOSS(score=vd.BDeu(ess=1), prior=vd.Fair(), max_indegree=8)
    assert default_learner(ECOLI) == vd.BOSS(score=vd.BGe(), prior=vd.Fair(), max_indegree=8)
    assert default_learner(GROUPS) == vd.Tabu(score=vd.BHD(), prior=vd.Fair(), max_indegree=6)


def test_one_group_is_no_reason_for_a_score_of_groups():
    alone = vd.Data(ASIA.columns, None, np.zeros(ASIA.n, int), ["only"])
    assert default_learner(alone).score == vd.BDeu(ess=1)


@pytest.mark.parametrize("score", [vd.BIC(), vd.QNML(), vd.BDeu(ess=10), vd.AIC(), vd.K2(), vd.BDs(), vd.FNML()])
def test_a_named_score_has_no_prior_but_the_one_that_is_named(score):
    assert default_learner(ASIA, score) == vd.BOSS(score=score, prior=vd.Uniform(), max_indegree=8)
    assert default_learner(ASIA, score, vd.Edge()) == vd.BOSS(score=score, prior=vd.Edge(), max_indegree=8)


def test_a_named_prior_goes_with_the_score_of_the_data():
    assert default_learner(ECOLI, prior=vd.Uniform()) == vd.BOSS(score=vd.BGe(), max_indegree=8)


def test_many_columns_are_searched_by_tabu():
    assert isinstance(default_learner(independent(500, 20)), vd.BOSS)
    assert default_learner(independent(501, 20)) == vd.Tabu(score=vd.BDeu(ess=1), prior=vd.Fair(), max_indegree=4)
    wide = independent(21, 20, continuous=True)
    assert default_learner(wide) == vd.BOSS(score=vd.BGe(), prior=vd.Fair(), max_indegree=5)


@pytest.mark.parametrize(("columns", "rows", "most"), [(100, 100, 8), (101, 200, 8), (20, 19, 5), (20, 20, 8)])
def test_wide_tables_have_fewer_parents(columns, rows, most):
    assert most_parents(independent(columns, rows, continuous=True)) == most


@pytest.mark.parametrize(("rows", "most"), [(7, 2), (8, 3), (64, 6), (255, 7), (256, 8), (5000, 8)])
def test_binary_parents_have_no_more_configurations_than_there_are_rows(rows, most):
    assert most_parents(independent(1 + rows // 2000, rows)) == most


@pytest.mark.parametrize(("arity", "rows"), [(5, 250), (4, 1000), (3, 500)])
def test_the_default_finds_no_arcs_in_noise(arity, rows):
    for seed in range(3):
        codes = np.random.default_rng(seed).integers(0, arity, (rows, 10))
        assert not vd.learn(vd.Data.from_numpy(codes)).graph.skeleton().edges


def test_required_arcs_raise_the_bound_on_parents():
    data = independent(11, 50)
    known = vd.Knowledge(required=[(f"x{i:03}", "x010") for i in range(10)])
    learner = default_learner(data, knowledge=known)
    assert learner.max_indegree == 10
    assert len(learner.learn(data, knowledge=known).dag.parents("x010")) == 10


def test_the_score_of_mixed_data_allows_the_arcs_that_what_is_known_asks_for():
    data = mixed_data(1, 100, kinds="dcdc")
    assert default_learner(data).score == vd.BCG()
    assert default_learner(data, vd.BIC()).score == vd.BIC()
    for known in (vd.Knowledge(required=[("v1", "v0")]), vd.Knowledge(tiers=[["v1", "v2"], ["v0"]])):
        assert default_learner(data, knowledge=known).score == vd.DegenerateGaussian()
    for known in (vd.Knowledge(required=[("v0", "v1")]), vd.Knowledge(tiers=[["v2"], ["v0", "v1"], ["v3"]])):
        assert default_learner(data, knowledge=known).score == vd.BCG()
    assert ("v1", "v0") in vd.learn(data, vd.Knowledge(required=[("v1", "v0")])).dag.arcs


MIXED = mixed_data(3, 300, 8)


@pytest.mark.parametrize("data", [ASIA, ECOLI, GROUPS, MIXED], ids=["discrete", "continuous", "groups", "mixed"])
def test_what_the_default_learns_has_the_score_that_it_says(data):
    learner = default_learner(data)
    result = learner.learn(data)
    assert result.score == pytest.approx(vd.score(result.dag, data, learner.score, learner.prior), abs=1e-6)
    assert result.dag.cpdag() == result.cpdag  # a DAG, of the class that was found
    assert max(len(result.dag.parents(name)) for name in data.names) <= learner.max_indegree
    assert parse(learner.label, "algorithm") == learner


def test_columns_that_one_hidden_cause_makes_dependent_are_learned_soon():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(4000, 1)) + rng.normal(size=(4000, 20))
    data = vd.Data.from_numpy(rows, [f"x{i:02}" for i in range(20)])
    result = default_learner(data).learn(data)  # without a bound on the parents: minutes
    assert max(len(result.dag.parents(name)) for name in data.names) == 8


@pytest.mark.parametrize("data", [ASIA, ECOLI, GROUPS, independent(301, 20), independent(21, 20, continuous=True)])
def test_the_report_has_the_default_first(data):
    learners = default_learners(data)
    assert next(iter(learners.values())) == default_learner(data)
    assert len(set(learners.values())) == len(learners)


KNOWN = vd.Knowledge(forbidden=[("smoke", "lung")])


@pytest.mark.parametrize("data", [ASIA, ECOLI, GROUPS], ids=["discrete", "continuous", "groups"])
def test_learn_takes_the_default_learner(data):
    assert vd.learn(data, seed=3).graph == default_learner(data).learn(data, seed=3).graph
    assert vd.learn(data).settings == repr(default_learner(data))


def test_learn_takes_what_is_given_of_the_learner():
    result = vd.learn(ASIA, KNOWN, score=vd.K2(), prior=vd.Edge(), max_indegree=2)
    assert result.settings == repr(vd.BOSS(score=vd.K2(), prior=vd.Edge(), max_indegree=2))
    assert ("smoke", "lung") not in result.dag.arcs
    with pytest.raises(vd.InputError, match="max_indegree=True"):
        vd.learn(ASIA, max_indegree=True)


def test_a_network_on_alarm_is_that_of_the_default_learner():
    alarm = vd.networks.load("alarm")
    data = alarm.sample(500, seed=1)
    network = vd.learn_network(data)
    assert network == vd.fit(vd.learn(data).dag, data)
    assert vd.shd(alarm.dag, network.dag) < vd.shd(alarm.dag, vd.Tabu().learn(data).dag)


def test_resampling_takes_the_default_learner_of_all_the_data():
    learner = default_learner(ASIA, knowledge=KNOWN)
    assert vd.bootstrap(ASIA, repeats=2, knowledge=KNOWN).settings == repr(learner)
    assert vd.cross_validate(ASIA, folds=2, knowledge=KNOWN).settings == repr(learner)


def test_validation_without_algorithms_compares_the_default_learners_and_their_companions():
    found = vd.intersection_validation(ASIA, sizes=[100], repeats=1)
    assert {x.label: x.algorithm for x in found.ranked} == default_learners(ASIA)
    assert {x.label: x.algorithm for x in found.companions} == default_companions(ASIA)


def test_companions_are_added_to_the_default_ones_where_no_algorithms_are_named():
    own = {"grow-shrink": vd.GrowShrink(), "PC-stable, G²": vd.PCStable(vd.G2(alpha=0.01))}
    learners, companions = compared_learners(ASIA, None, own)
    assert learners == default_learners(ASIA)
    assert companions == default_companions(ASIA) | own
    two = [vd.Tabu(), vd.GES()]
    assert compared_learners(ASIA, two, own) == ({x.label: x for x in two}, own)
    assert compared_learners(ASIA, two)[1] == {}


@pytest.mark.parametrize("value", [1.0, 0.1, 0.123456789, 1 / 3, 1e-7])
def test_the_short_form_of_a_learner_keeps_every_digit(value):
    learner = vd.Tabu(score=vd.BDeu(ess=value))
    assert parse(learner.label, "algorithm") == learner
