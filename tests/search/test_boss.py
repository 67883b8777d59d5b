"""Best order score search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive import search as naive_search
from strategies.knowledge import dags_with_knowledge
from veridag.data import Column, Data

ALARM = vd.networks.load("alarm").sample(300, seed=1)


def random_data(names: str, seed: int, rows: int = 40) -> Data:
    """Columns of 2 or 3 states, each depending on those before it in a random order."""
    rng = np.random.default_rng(seed)
    codes: dict[str, np.ndarray] = {}
    for name in rng.permutation(list(names)).tolist():
        arity = int(rng.integers(2, 4))
        shift = sum((c for c in codes.values() if rng.random() < 0.5), np.zeros(rows, int))
        noise = rng.integers(0, arity, rows) * (rng.random(rows) < 0.4)
        codes[name] = ((shift + noise) % arity).astype(np.uint8)
    return Data([Column.discrete(name, codes[name], ["x", "y", "z"]) for name in names])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("score", [vd.BIC(), vd.BDeu(), vd.K2()], ids=repr)
def test_the_best_network_of_a_few_variables_is_found(seed, score):
    data = random_data("ABCDEFG", seed)
    for max_indegree in (None, 2):
        found = vd.BOSS(score, vd.Fair(), max_indegree).learn(data, seed=seed)
        assert found.score == pytest.approx(naive_search.optimum(data, score, vd.Fair(), max_indegree), rel=1e-10)
        assert found.score == pytest.approx(vd.score(found.dag, data, score, vd.Fair()), rel=1e-10)


@pytest.mark.parametrize("max_indegree", [None, 2])
def test_without_restarts_it_ends_where_the_published_search_does(max_indegree):
    for seed in range(4):
        data = random_data("ABCDEF", seed)
        start = vd.DAG.empty(data.names)
        found = vd.BOSS(vd.BDeu(), max_indegree=max_indegree, restarts=0, start=start).learn(data)
        expected = naive_search.best_order_search(data.in_data_order(), vd.BDeu(), None, max_indegree)
        assert found.score == pytest.approx(expected, rel=1e-10)


@given(dags_with_knowledge(), st.integers(0, 3), st.sampled_from([vd.Uniform(), vd.IndegreeAtMost(1)]))
def test_the_best_network_that_obeys_what_is_known_is_found(drawn, seed, prior):
    dag, knowledge = drawn
    if not dag.names:
        return
    data = random_data("".join(sorted(dag.names)), seed)
    try:
        best = vd.Exact(vd.BDeu(), prior).learn(data, knowledge)
        found = vd.BOSS(vd.BDeu(), prior).learn(data, knowledge)
    except vd.InputError:  # the required arcs are more than the prior allows
        return
    assert knowledge.violations(found.dag) == []
    assert found.score == pytest.approx(best.score, rel=1e-10)


@pytest.mark.parametrize("network", ["insurance", "child"])
def test_the_proven_optimum_is_reached(network):
    data = vd.networks.load(network).sample(1000, seed=1)
    best = vd.Exact(vd.BDeu(), vd.Fair(), 3).learn(data)
    assert best.optimal
    assert vd.BOSS(vd.BDeu(), vd.Fair(), 3).learn(data).score == pytest.approx(best.score, abs=1e-6)


def test_no_family_of_a_bounded_search_is_larger_than_the_bound():
    for limit in (0, 1, 2):
        dag = vd.BOSS(max_indegree=limit).learn(ALARM).dag
        assert max(len(dag.parents(v)) for v in dag.names) == limit


def test_it_is_no_worse_than_its_start():
    start = vd.Tabu().learn(ALARM)
    for restarts in (0, 1):
        assert vd.BOSS(restarts=restarts, start=start.dag).learn(ALARM).score >= start.score - 1e-6


def test_it_is_no_worse_than_ges():
    ges = vd.GES().learn(ALARM)
    for candidates in (1, 30):
        assert vd.BOSS(restarts=1, candidates=candidates).learn(ALARM).score >= ges.score - 1e-6


def test_no_operator_of_ges_gains_from_there():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(150, 20))
    for i in range(1, 20):
        x[:, i] += x[:, rng.integers(0, i, 2)] @ rng.uniform(-1, 1, 2)
    gaussian = Data([Column.continuous(f"x{i}", x[:, i]) for i in range(20)])
    for data in (ALARM, gaussian):
        found = vd.BOSS(restarts=1).learn(data)
        assert vd.GES(start=found.dag, order="xges-0").learn(data).score == pytest.approx(found.score, rel=1e-10)


def test_two_parents_that_are_worth_nothing_alone_are_found():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (200, 45)).astype(np.uint8)
    codes[:, 44] = codes[:, 7] ^ codes[:, 31] ^ (rng.random(200) < 0.05)
    data = Data([Column.discrete(f"x{i}", codes[:, i], ["a", "b"]) for i in range(45)])
    dag = vd.BOSS(vd.BIC(gamma=1)).learn(data).dag
    together = {"x7", "x31", "x44"}  # each of them is as good a child of the other two
    assert any(set(dag.parents(v)) == together - {v} for v in together)


def test_every_family_of_a_small_problem_is_counted_once():
    assert vd.BOSS().learn(random_data("ABCD", 1)).distinct_calls == 4 * 2**3


def test_the_result_depends_on_the_seed_alone():
    learner = vd.BOSS(vd.BDeu(), restarts=3)
    first = learner.learn(ALARM, seed=5)
    shuffled = ALARM.select(sorted(ALARM.names, reverse=True))
    for data, jobs in ((ALARM, 3), (shuffled, 1)):
        again = learner.learn(data, seed=5, jobs=jobs)
        assert (again.dag, again.score, again.steps, again.calls) == (first.dag, first.score, first.steps, first.calls)


def test_an_interrupt_keeps_the_best_so_far():
    scores = []

    def stop(what, done, total, extra):
        scores.append(extra["score"])
        if len(scores) == 3:
            raise KeyboardInterrupt

    with pytest.raises(vd.Interrupted) as stopped:
        vd.BOSS(restarts=10**6).learn(ALARM, progress=stop)
    result = stopped.value.result
    assert result.interrupted
    assert result.score >= scores[-1] > scores[0]
    assert result.score == pytest.approx(vd.score(result.dag, ALARM, vd.BIC()), rel=1e-10)


def test_a_time_limit_ends_the_search_and_is_noted():
    for limit in (0, 0.2):
        result = vd.BOSS(restarts=10**6, time_limit=limit).learn(ALARM)
        assert not result.interrupted
        assert "time limit" in result.notes[0]
        assert result.score == pytest.approx(vd.score(result.dag, ALARM, vd.BIC()), rel=1e-10)
    assert vd.BOSS(time_limit=1e6).learn(random_data("ABC", 1)).notes == ()


def test_a_time_limit_also_ends_the_searches_that_it_begins_with():
    assert vd.BOSS(time_limit=0).learn(ALARM).calls < vd.Tabu().learn(ALARM).calls


def test_columns_that_are_copies_of_each_other_are_no_problem():
    data = random_data("ABCD", 2)
    copied = Data([*data.columns, *(Column.discrete(f"{c.name}2", c.values, c.states) for c in data.columns)])
    found = vd.BOSS(vd.BDeu()).learn(copied)
    assert found.score == pytest.approx(naive_search.optimum(copied, vd.BDeu()), rel=1e-10)
