"""Greedy equivalence search: what it obeys."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import veridag as vd
from veridag.data import Column, Data

ASIA = vd.networks.load("asia").sample(150, seed=1)
NAMES = ASIA.names
BIC_GES = vd.GES(score=vd.BIC())
VARIANTS = [
    vd.GES(),
    vd.GES(turning=False),
    vd.GES(order="xges-0"),
    vd.GES(order="phases"),
    vd.GES(order="phases", turning=False),
]
each = pytest.mark.parametrize("algorithm", VARIANTS, ids=lambda a: a.label)


def check_obeys(result: vd.Result, knowledge: vd.Knowledge, prior: vd.Prior) -> None:
    assert knowledge.violations(result.dag) == []
    assert math.isfinite(prior.log(result.dag, ASIA.n))
    assert math.isfinite(result.score)
    assert result.graph == result.dag.cpdag()
    assert result.score == pytest.approx(vd.score(result.dag, ASIA, vd.BIC(), prior), rel=1e-12)


def test_a_variable_that_may_have_no_parents_has_none():
    knowledge = vd.Knowledge(max_indegree={"either": 0})
    result = BIC_GES.learn(ASIA, knowledge)
    check_obeys(result, knowledge, vd.Uniform())
    assert result.dag.parents("either") == ()


def test_a_limit_that_some_member_of_the_class_obeys_costs_nothing():
    free = BIC_GES.learn(ASIA)
    roots = [v for v in NAMES if not free.graph.parents(v)]
    assert len(roots) > 1
    for root in roots:
        assert BIC_GES.learn(ASIA, vd.Knowledge(max_indegree={root: 0})).graph == free.graph


@each
def test_limits_of_single_variables_are_obeyed(algorithm):
    rng = np.random.default_rng(1)
    for _ in range(96):
        some = rng.choice(NAMES, int(rng.integers(1, 5)), replace=False).tolist()
        knowledge = vd.Knowledge(max_indegree={name: int(rng.integers(0, 3)) for name in some})
        check_obeys(algorithm.learn(ASIA, knowledge), knowledge, vd.Uniform())


def test_a_prior_that_limits_the_parents_of_single_variables_is_as_good_as_knowledge():
    rng = np.random.default_rng(2)
    for _ in range(60):
        limits = {name: int(rng.integers(0, 3)) for name in NAMES}
        known = BIC_GES.learn(ASIA, vd.Knowledge(max_indegree=limits))
        prior = vd.IndegreeAtMost(limits)
        believed = vd.GES(score=vd.BIC(), prior=prior).learn(ASIA)
        check_obeys(believed, vd.Knowledge(), prior)
        assert believed.dag == known.dag


def test_a_prior_without_some_arcs_is_as_good_as_knowledge():
    forbidden = [("tub", "either"), ("lung", "either"), ("smoke", "bronc")]
    prior = vd.CasteloSiebes({**dict.fromkeys(forbidden, 0.0), **{(b, a): 0.5 for a, b in forbidden}})
    known = BIC_GES.learn(ASIA, vd.Knowledge(forbidden=forbidden))
    believed = vd.GES(score=vd.BIC(), prior=prior).learn(ASIA)
    check_obeys(believed, vd.Knowledge(forbidden=forbidden), prior)
    assert believed.dag == known.dag


def test_the_numbers_of_parents_that_a_prior_asks_for_are_kept():
    start = vd.DAG.from_arcs([("asia", "xray"), ("smoke", "bronc"), ("smoke", "dysp"), ("lung", "tub")], NAMES)
    prior = vd.IndegreeEquals({name: len(start.parents(name)) for name in NAMES})
    result = vd.GES(score=vd.BIC(), prior=prior, start=start).learn(ASIA)
    check_obeys(result, vd.Knowledge(), prior)
    assert result.score >= vd.score(start, ASIA, vd.BIC(), prior)


def random_knowledge(rng: np.random.Generator) -> vd.Knowledge:
    order = rng.permutation(NAMES).tolist()
    arcs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    required = [arc for arc in arcs if rng.random() < 0.05]
    forbidden = [(a, b) for a in NAMES for b in NAMES if a != b and (a, b) not in required and rng.random() < 0.15]
    tiers = [order[:3], order[3:5], order[5:7]] if rng.random() < 0.3 else []
    limits = {v: sum(b == v for _, b in required) + int(rng.integers(0, 2)) for v in NAMES if rng.random() < 0.3}
    return vd.Knowledge(required, forbidden, tiers, limits or None)


@each
def test_all_that_is_known_and_the_prior_are_obeyed_together(algorithm):
    rng = np.random.default_rng(3)
    for _ in range(30):
        knowledge = random_knowledge(rng)
        least = {v: sum(b == v for _, b in knowledge.required) for v in NAMES}
        priors = [
            vd.Uniform(),
            vd.Fair(),
            vd.IndegreeAtMost({v: k + int(rng.integers(0, 3)) for v, k in least.items()}),
            vd.CasteloSiebes({("lung", "either"): 0.9, ("dysp", "bronc"): 0.1}),
        ]
        for prior in priors:
            check_obeys(replace(algorithm, prior=prior).learn(ASIA, knowledge), knowledge, prior)


def test_the_default_ends_no_lower_than_the_search_that_it_goes_on_from():
    for network, rows in (("alarm", 500), ("insurance", 500), ("hailfinder", 500)):
        data = vd.networks.load(network).sample(rows, seed=1)
        first, found = (vd.GES(order=order, max_indegree=4).learn(data) for order in ("xges-0", "xges"))
        assert found.score >= first.score


def test_the_default_ends_at_a_proven_optimum_that_trials_of_single_edges_miss():
    data = vd.networks.load("hailfinder").sample(500, seed=101)
    proven = -27787.10087669896  # by exact search with the same score and at most 3 parents
    assert vd.GES(max_indegree=3).learn(data).score == pytest.approx(proven, rel=1e-9)
    assert vd.GES(max_indegree=3, order="xges-0").learn(data).score < proven - 0.5


@pytest.mark.medium
def test_the_default_gets_out_of_optima_that_the_phases_end_in():
    gained = []
    for network in ("alarm", "insurance", "win95pts"):
        data = vd.networks.load(network).sample(1000, seed=1)
        plain = vd.GES(order="phases", turning=False, max_indegree=4).learn(data)
        gained.append(vd.GES(max_indegree=4).learn(data).score - plain.score)
    assert min(gained) > 0
    assert sum(gained) > 100


def test_many_columns_with_one_cause_are_no_burden():
    """All subsets of variables that are joined to each other would be millions."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2000, 1)) + rng.normal(size=(2000, 16))
    data = Data([Column.continuous(f"v{i}", x[:, i]) for i in range(16)])
    found = vd.GES().learn(data)
    assert found.calls < 10_000_000
    assert len(found.graph.arcs) + len(found.graph.edges) > 80


def test_many_variables_are_no_burden():
    """Every step changes what is around it, and so looks at few targets."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 300))
    x[:, 1:] += x[:, :-1]
    data = Data([Column.continuous(f"v{i}", x[:, i]) for i in range(300)])
    found = vd.GES(order="xges-0", score=vd.BIC(gamma=1)).learn(data)
    assert found.calls < 15 * 300**2
