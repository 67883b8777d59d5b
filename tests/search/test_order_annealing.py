"""Annealing over orders: what its switches turn off."""

from __future__ import annotations

import pytest

import veridag as vd

PLAIN = vd.OrderAnnealing(score=vd.BIC(), warm_start=False, descent=False, steps=100, initial_temperature=1)


@pytest.fixture(scope="module")
def data() -> vd.Data:
    return vd.networks.load("child").sample(300, seed=1)


def test_the_plain_algorithm_starts_at_a_random_order_and_stays_worse(data):
    found = [PLAIN.learn(data, seed=seed) for seed in range(4)]
    assert len({result.dag for result in found}) == 4
    climbed = vd.HillClimbing(score=vd.BIC(), max_indegree=5).learn(data)
    assert all(result.score < climbed.score for result in found)
    assert all(result.steps == 100 for result in found)
    assert all(result.score == pytest.approx(vd.score(result.dag, data, vd.BIC())) for result in found)


def test_descent_and_a_warm_start_each_improve_it(data):
    plain = PLAIN.learn(data, seed=1).score
    for changed in ({"descent": True}, {"warm_start": True}):
        learner = vd.OrderAnnealing(**{**vars(PLAIN), **changed})
        assert learner.learn(data, seed=1).score > plain


def test_a_given_start_is_taken_whatever_the_switch(data):
    start = vd.HillClimbing(score=vd.BIC(), max_indegree=3).learn(data)
    learner = vd.OrderAnnealing(score=vd.BIC(), start=start.dag, warm_start=False, descent=False, steps=0)
    assert learner.learn(data).score >= start.score - 1e-9


def test_the_plain_algorithm_has_a_spec():
    spec = "order-annealing(score=bic, warm_start=false, descent=false, steps=100, initial_temperature=1)"
    assert vd.parse(spec, "algorithm") == PLAIN
    with pytest.raises(vd.InputError, match="descent=1 must be True or False"):
        vd.OrderAnnealing(descent=1)
