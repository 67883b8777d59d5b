from __future__ import annotations

import pytest

import veridag as vd
from naive.constraint import Oracle, Table, any_data, pairs, random_dag

METHODS = [vd.GrowShrink, vd.InterIAMB, vd.MMPC, vd.SIHitonPC, vd.HPC]
each = pytest.mark.parametrize("method", METHODS)
ASIA = vd.networks.load("asia").sample(1000, seed=3)


def true_neighbours(dag: vd.DAG, v: str) -> set[str]:
    return {*dag.parents(v), *dag.children(v)}


def true_blanket(dag: vd.DAG, v: str) -> set[str]:
    return (true_neighbours(dag, v) | {p for c in dag.children(v) for p in dag.parents(c)}) - {v}


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 12))])
@each
def test_with_an_oracle_class_neighbours_and_blankets_are_true(method, seed):
    dag = random_dag(4 + seed % 6, 1.5 + seed % 3, seed)
    learner, data = method(Oracle(dag)), any_data(dag.names)
    result = learner.learn(data)
    assert result.graph == dag.cpdag()
    assert result.notes == ()
    v = dag.names[seed % len(dag.names)]
    assert set(vd.neighbours(data, v, learner)) == true_neighbours(dag, v)
    assert set(vd.markov_blanket(data, v, learner)) == true_blanket(dag, v)


@each
def test_one_variables_neighbours_are_those_of_the_whole(method):
    graph = method().learn(ASIA).graph
    for v in ASIA.names:
        found = vd.neighbours(ASIA, v, method())
        assert set(found) == {u for pair in pairs(graph) if v in pair for u in pair if u != v}
        assert list(found) == [name for name in ASIA.names if name in found]


def test_one_variables_blanket_takes_a_part_of_the_tests():
    data = vd.networks.load("alarm").sample(1000, seed=1)
    dag = vd.DAG.from_arcs([("HYPOVOLEMIA", "LVEDVOLUME")], data.names)
    oracle = Oracle(dag)
    assert vd.markov_blanket(data, "HYPOVOLEMIA", vd.InterIAMB(oracle)) == ("LVEDVOLUME",)
    assert {name for x, y, _ in oracle.asked for name in (x, y)} == set(data.names)
    assert all({x, y} & {"HYPOVOLEMIA", "LVEDVOLUME"} for x, y, _ in oracle.asked)


@each
def test_calls_and_distinct_calls_are_those_of_the_test(method):
    dag = random_dag(8, 2, 5)
    oracle = Oracle(dag)
    result = method(oracle).learn(any_data(dag.names))
    assert result.distinct_calls == len(oracle.asked) == len(set(oracle.asked))  # remembered, not made again
    assert result.calls >= result.distinct_calls


@each
def test_knowledge_is_in_the_neighbourhood(method):
    known = vd.Knowledge(required=[("asia", "xray")], forbidden=[("bronc", "smoke"), ("smoke", "bronc")])
    assert "xray" in vd.neighbours(ASIA, "asia", method(), knowledge=known)
    assert "bronc" in vd.neighbours(ASIA, "smoke", method())
    assert "bronc" not in vd.neighbours(ASIA, "smoke", method(), knowledge=known)


def test_defaults_are_named_learners():
    assert vd.neighbours(ASIA, "lung") == vd.neighbours(ASIA, "lung", vd.MMPC())
    assert vd.markov_blanket(ASIA, "lung") == vd.markov_blanket(ASIA, "lung", vd.InterIAMB())


def test_mmpc_finds_something_where_there_is_something():
    """A user of another program got nothing from its own example; on samples of reference networks that cannot be."""
    for name in ("asia", "sachs", "alarm", "ecoli70"):
        network = vd.networks.load(name)
        found = pairs(vd.MMPC().learn(network.sample(2000, seed=1)).graph)
        true = pairs(network.dag)
        assert len(found & true) > 0.5 * len(true)


@pytest.mark.parametrize("method", [vd.GrowShrink, vd.InterIAMB])
def test_a_blanket_shrinks_by_a_test_that_is_not_reliable_but_does_not_grow_by_it(method):
    data = any_data("abcdef")
    assert set(vd.markov_blanket(data, "a", method(Table(())))) == set("bcdef")
    assert set(vd.markov_blanket(data, "a", method(Table((), most=0)))) <= {"b"}
    # b and c enter, which is the most that tests can show; then c, given b, separates b from a or not.
    weak = (("a", "c", ("b",), 0.9), ("a", "b", ("c",), 0.9))
    for v in "abc":
        assert not set(vd.markov_blanket(any_data("abc"), v, method(Table(weak, most=0)))) >= {"b", "c"}


def test_inter_iamb_ends_where_tests_contradict_each_other_and_says_so():
    # b enters the blanket of a, and given b alone c does; given c, b goes; then c goes; and so on for ever.
    loop = (
        ("a", "b", (), 0.001),
        ("a", "c", (), 0.5),
        ("a", "c", ("b",), 0.001),
        ("a", "b", ("c",), 0.5),
    )
    result = vd.InterIAMB(Table(loop, default=0.9)).learn(any_data("abc"))
    assert len(result.notes) == 1
    assert "contradict each other around a" in result.notes[0]
    assert vd.markov_blanket(any_data("abc"), "a", vd.InterIAMB(Table(loop, default=0.9))) == ()


@pytest.mark.parametrize("function", [vd.neighbours, vd.markov_blanket])
def test_arguments_are_checked(function):
    with pytest.raises(vd.InputError, match="no column 'lunk': did you mean 'lung'"):
        function(ASIA, "lunk")
    with pytest.raises(
        vd.InputError, match=r"method=PCStable.*must be an algorithm that searches one variable at a time"
    ):
        function(ASIA, "lung", vd.PCStable())
