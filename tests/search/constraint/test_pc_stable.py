from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import veridag as vd
from naive.constraint import Oracle, Table, any_data, pairs, pc_repeats, pc_skeleton, random_dag, separates
from veridag.data import Column, Data

ASIA = vd.networks.load("asia").sample(1000, seed=3)


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 25))])
def test_with_an_oracle_the_true_class_is_found(seed):
    dag = random_dag(4 + seed % 9, 1.5 + seed % 3, seed)
    result = vd.PCStable(Oracle(dag)).learn(any_data(dag.names))
    assert result.graph == dag.cpdag()
    assert result.valid
    assert result.overruled == result.conflicts == result.notes == ()
    assert {(z, frozenset((x, y))) for x, z, y in result.colliders} == {
        (z, frozenset((x, y))) for x, z, y in dag.v_structures()
    }


def test_every_test_is_made_once_and_counted():
    dag = random_dag(9, 3, 1)
    oracle = Oracle(dag)
    result = vd.PCStable(oracle).learn(any_data(dag.names))
    assert result.calls == result.distinct_calls == len(oracle.asked) == len(set(oracle.asked))
    assert result.score is None


def test_published_calls_count_a_set_among_the_neighbours_of_both_ends_twice():
    dependent = vd.PCStable(Table(())).learn(any_data("abcdef"))
    assert dependent.calls == 15 * 2**4  # every pair, given every set of the others
    assert dependent.calls_published == 15 * (1 + 2 * (2**4 - 1))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_repeats_are_those_of_a_plain_count(seed):
    data = vd.networks.load("child").sample(400, seed=seed)
    data = data.select(data.names[seed : seed + 8]).in_data_order()
    evidence = lambda x, y: -vd.test(x, y, [], data, vd.G2()).p_value  # noqa: E731
    decide = lambda x, y, given: vd.test(x, y, given, data, vd.G2()).independent  # noqa: E731
    result = vd.PCStable(vd.G2()).learn(data, jobs=2)
    assert result.calls_published - result.calls == pc_repeats(data.names, evidence, decide) > 0


@pytest.mark.medium
@pytest.mark.parametrize("test", [vd.G2(), vd.G2(df="adjusted"), vd.X2(alpha=0.01), vd.ScoreTest(vd.BDeu(), vd.Fair())])
def test_the_skeleton_is_that_of_the_definition(test):
    decide = lambda x, y, given: vd.test(x, y, given, ASIA, test).independent  # noqa: E731
    assert pairs(vd.PCStable(test).learn(ASIA).graph) == pc_skeleton(ASIA.names, decide)


@pytest.mark.parametrize("test", [vd.G2(df="observed"), vd.X2(df="observed")], ids=repr)
@pytest.mark.parametrize("rows", [3, 20, 60])
def test_the_skeleton_of_few_rows_is_that_of_the_definition(test, rows):
    data = ASIA.rows(slice(rows))
    decide = lambda x, y, given: separates(vd.test(x, y, given, data, test), given)  # noqa: E731
    assert pairs(vd.PCStable(test).learn(data).graph) == pc_skeleton(data.names, decide)


@pytest.mark.parametrize("method", [vd.PCStable, vd.MMPC, vd.SIHitonPC])
def test_three_variables_separate_a_pair_only_by_a_reliable_test_and_larger_sets_are_not_tried(method):
    data, all_pairs = any_data("abcdefg"), 21
    three, two = (("a", "b", ("c", "d", "e"), 0.9),), (("a", "b", ("c", "d"), 0.9),)
    assert frozenset("ab") not in pairs(method(Table(three)).learn(data).graph)
    assert len(pairs(method(Table(three, most=2)).learn(data).graph)) == all_pairs
    assert frozenset("ab") not in pairs(method(Table(two, most=1)).learn(data).graph)
    bounded = method(Table(three, most=1)).learn(data)
    assert bounded.distinct_calls == all_pairs * (1 + 5 + 10)  # the sets of none, one and two of the others


@pytest.mark.parametrize("test", [vd.G2(), vd.StudentT(), vd.FisherZ(alpha=0.01), vd.ScoreTest(vd.BGe())])
def test_the_skeleton_of_gaussian_data_is_that_of_the_definition(test):
    data = vd.networks.load("ecoli70").sample(150, seed=1)
    data = data.select(data.names[:14])
    decide = lambda x, y, given: vd.test(x, y, given, data, test).independent  # noqa: E731
    assert pairs(vd.PCStable(test).learn(data).graph) == pc_skeleton(data.names, decide)


def test_the_order_of_columns_changes_nothing():
    data = vd.networks.load("alarm").sample(800, seed=1)
    first = vd.PCStable().learn(data)
    for seed in range(4):
        names = np.random.default_rng(seed).permutation(data.names).tolist()
        again = vd.PCStable().learn(data.select(names), jobs=1 + seed % 2)
        assert again.graph == first.graph
        assert (again.calls, again.overruled) == (first.calls, first.overruled)


def test_no_set_larger_than_max_conditioning_is_tried():
    dag = random_dag(10, 4, 2)
    oracle = Oracle(dag)
    vd.PCStable(oracle, max_conditioning=1).learn(any_data(dag.names))
    assert max(len(given) for _, _, given in oracle.asked) == 1
    marginal = vd.PCStable(vd.G2(), max_conditioning=0).learn(ASIA)
    assert marginal.calls >= 28
    assert pairs(marginal.graph) == {
        frozenset((x, y)) for x in ASIA.names for y in ASIA.names if x < y and not vd.test(x, y, [], ASIA).independent
    }


# a - b - c - d is what is left; a, c and b, d are separated by nothing, so that b and c are both asked to be colliders
CONTRADICTION = (("a", "c", (), 0.9), ("b", "d", (), 0.9), ("a", "d", (), 0.9))


@pytest.mark.parametrize(
    ("stronger", "weaker"), [(("a", "b", "c"), ("b", "c", "d")), (("b", "c", "d"), ("a", "b", "c"))]
)
def test_of_v_structures_in_conflict_the_one_with_more_evidence_stays(stronger, weaker):
    x, z, y = stronger
    u, w, v = weaker
    test = Table((*CONTRADICTION, (x, y, (z,), 1e-8), (u, v, (w,), 1e-4)))
    result = vd.PCStable(test).learn(any_data("abcd"))
    assert result.overruled == (weaker,)
    assert result.colliders == (stronger,)
    assert (x, z) in result.graph.arcs
    assert (y, z) in result.graph.arcs
    assert result.calls == 6 + 4 + 2  # all pairs; b - c given a or d, the others given one; the two in conflict


def test_a_graph_that_no_dag_extends_is_returned_as_it_is():
    # A square without chords in which every pair across is separated by both others: no DAG has that.
    across = [("a", "c", ("b", "d"), 0.9), ("b", "d", ("a", "c"), 0.9)]
    result = vd.PCStable(Table(tuple(across))).learn(any_data("abcd"))
    assert pairs(result.graph) == {frozenset(pair) for pair in ("ab", "bc", "cd", "ad")}
    assert not result.valid
    assert {frozenset(pair) for pair in result.conflicts} == pairs(result.graph)
    with pytest.raises(vd.InvalidGraph, match="no DAG extends the graph"):
        result.dag  # noqa: B018


def test_a_forbidden_arc_makes_no_false_v_structure():
    # With both directions between a and c out of the question there is no edge, and no set that separates the two; b
    # must not be taken for a collider because of that.
    dag = vd.DAG.from_arcs([("a", "b"), ("b", "c"), ("a", "c")])
    apart = vd.Knowledge(forbidden=[("a", "c"), ("c", "a")])
    result = vd.PCStable(Oracle(dag)).learn(any_data("abc"), knowledge=apart)
    assert set(result.graph.edges) == {("a", "b"), ("b", "c")}
    one_way = vd.Knowledge(forbidden=[("b", "c")])
    chain = vd.DAG.from_arcs([("c", "b"), ("b", "a")])
    result = vd.PCStable(Oracle(chain)).learn(any_data("abc"), knowledge=one_way)
    assert set(result.graph.arcs) == {("c", "b"), ("b", "a")}


def test_knowledge_wins_over_a_v_structure_and_the_result_says_so():
    collider = vd.DAG.from_arcs([("a", "b"), ("c", "b")])
    known = vd.Knowledge(required=[("b", "a")])
    result = vd.PCStable(Oracle(collider)).learn(any_data("abc"), knowledge=known)
    assert result.overruled == (("a", "b", "c"),)
    assert ("b", "a") in result.dag.arcs
    assert known.violations(result.dag) == []


def test_tiers_and_required_arcs_are_obeyed():
    known = vd.Knowledge(tiers=[["asia", "smoke"], ["tub", "lung", "bronc"], ["either", "xray", "dysp"]])
    required = vd.Knowledge(required=[("asia", "dysp")]) | known
    result = vd.PCStable().learn(ASIA, knowledge=required)
    assert ("asia", "dysp") in result.graph.arcs
    assert result.valid
    assert required.violations(result.dag) == []


def test_a_limit_on_parents_gives_up_the_weakest_v_structures():
    dag = vd.DAG.from_arcs([("a", "z"), ("b", "z"), ("c", "z")])
    result = vd.PCStable(Oracle(dag)).learn(any_data("abcz"), knowledge=vd.Knowledge(max_indegree=2))
    assert len(result.graph.parents("z")) == 2 or not result.valid
    assert result.overruled
    tree = vd.DAG.from_arcs([("z", "a"), ("z", "b"), ("z", "c")])
    result = vd.PCStable(Oracle(tree)).learn(any_data("abcz"), knowledge=vd.Knowledge(max_indegree={"z": 0}))
    assert result.dag == tree  # of the four DAGs in the class, the one that obeys


def test_constant_and_collinear_columns_are_no_problem():
    rng = np.random.default_rng(1)
    x = rng.normal(size=50)
    columns = [("a", x), ("b", 2 * x), ("c", np.zeros(50)), ("d", rng.normal(size=50))]
    data = Data([Column.continuous(name, values) for name, values in columns])
    result = vd.PCStable(vd.FisherZ()).learn(data)
    assert pairs(result.graph) == {frozenset("ab")}


@pytest.mark.medium
def test_an_interrupt_stops_the_tests_and_carries_what_is_left(ctrl_c):
    data = vd.networks.load("pigs").sample(20_000, seed=1)
    with pytest.raises(KeyboardInterrupt) as stop:
        vd.PCStable(vd.G2(alpha=0.5)).learn(data, jobs=2, progress=ctrl_c(1))
    result = stop.value.result
    assert result.interrupted
    assert result.graph.arcs == ()
    assert result.calls > 0


def test_an_interrupt_in_a_python_test_is_an_interrupt_all_the_same():
    calls = 0

    class Slow(Oracle):
        def evaluate(self, data, x, y, given):
            nonlocal calls
            calls += 1
            if calls == 10:
                raise KeyboardInterrupt
            return super().evaluate(data, x, y, given)

    dag = random_dag(8, 2, 1)
    with pytest.raises(KeyboardInterrupt) as stop:
        vd.PCStable(Slow(dag)).learn(any_data(dag.names))
    assert stop.value.result.interrupted


def test_errors_of_a_test_and_of_progress_reach_the_caller():
    class Broken(Oracle):
        def evaluate(self, data, x, y, given):
            raise ZeroDivisionError("broken")

    with pytest.raises(ZeroDivisionError, match="broken"):
        vd.PCStable(Broken(random_dag(5, 2, 1))).learn(any_data([f"v{i}" for i in range(5)]), jobs=2)


@pytest.mark.medium
def test_progress_is_told_how_many_tests_were_made():
    told = []
    data = vd.networks.load("hepar2").sample(20_000, seed=1)
    vd.PCStable(vd.X2(alpha=0.2)).learn(data, progress=lambda *report: told.append(report))
    assert told
    assert all(a[1] <= b[1] for a, b in pairwise(told))
    assert {(what, total, len(extra)) for what, _, total, extra in told} == {("tests", None, 0)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"test": vd.BIC()}, r"test=BIC\(.*must be a test"), ({"max_conditioning": -1}, "max_conditioning=-1 must be")],
)
def test_settings_are_checked(arguments, message):
    with pytest.raises(vd.InputError, match=message):
        vd.PCStable(**arguments)
