from __future__ import annotations

import numpy as np
import pytest

import oracle
import veridag as vd
from naive import graphs as naive
from naive import metrics as naive_metrics
from veridag import _core

ORACLE = oracle.load("graphs")
CASES = [(case["names"], graph) for case in ORACLE for graph in case["graphs"]]


def dag(n, arcs):
    return vd.DAG.from_adjacency(naive.matrix(n, arcs))


def random_arcs(rng, n, arcs):
    order = rng.permutation(n)
    upper = [(i, j) for i in range(n) for j in range(i + 1, n)]
    chosen = rng.choice(len(upper), min(arcs, len(upper)), replace=False)
    return frozenset((int(order[upper[k][0]]), int(order[upper[k][1]])) for k in chosen)


@pytest.mark.parametrize(("names", "graph"), CASES)
def test_distances_agree_with_the_independent_implementation(names, graph):
    a, b = (vd.DAG.from_arcs([(names[i], names[j]) for i, j in graph[which]], names) for which in "ab")
    assert vd.sid(a, b) == graph["sid_a_true_b_est"]


@pytest.mark.medium
def test_every_pair_of_dags_on_three_variables_agrees_with_the_definition_and_with_numbers():
    dags = naive.all_dags(3)
    for seed, (truth, estimate) in enumerate((t, e) for t in dags for e in dags):
        found = _core.wrong_effects(naive.matrix(3, truth), naive.matrix(3, estimate))
        assert (found == naive_metrics.wrong_effects(3, truth, estimate)).all()
        assert (found == naive_metrics.wrong_gaussian_effects(3, truth, estimate, seed)).all()


@pytest.mark.medium
@pytest.mark.parametrize(("n", "pairs"), [(4, 300), (5, 200), (6, 40)])
def test_larger_dags_agree_with_the_definition_and_with_numbers(n, pairs):
    rng = np.random.default_rng(n)
    for seed in range(pairs):
        truth, estimate = (random_arcs(rng, n, int(rng.integers(1, n * (n - 1) // 2 + 1))) for _ in range(2))
        found = _core.wrong_effects(naive.matrix(n, truth), naive.matrix(n, estimate))
        assert (found == naive_metrics.wrong_effects(n, truth, estimate)).all()
        assert (found == naive_metrics.wrong_gaussian_effects(n, truth, estimate, seed)).all()


@pytest.mark.medium
def test_bounds_are_the_extremes_over_all_dags_of_the_class():
    rng = np.random.default_rng(0)
    truths = [dag(4, naive.all_dags(4)[k]) for k in rng.choice(543, 4, replace=False)]
    for members in naive.equivalence_classes(4).values():
        estimate = vd.PDAG.from_adjacency(naive.matrix(4, naive.cpdag(members)))
        for truth in truths:
            each = [vd.sid(truth, dag(4, member)) for member in members]
            assert vd.sid(truth, estimate) == (min(each), max(each))


@pytest.mark.medium
def test_bounds_of_large_components_are_the_extremes_too():
    """Chordal graphs on five variables with many orientations: trees, cliques, and cliques that share variables."""
    rng = np.random.default_rng(1)
    classes = [c for c in naive.equivalence_classes(5).values() if len(c) >= 8]
    assert max(map(len, classes)) == 120
    for k in rng.choice(len(classes), 60, replace=False):
        estimate = vd.PDAG.from_adjacency(naive.matrix(5, naive.cpdag(classes[k])))
        truth = dag(5, random_arcs(rng, 5, int(rng.integers(2, 9))))
        each = [vd.sid(truth, dag(5, member)) for member in classes[k]]
        assert vd.sid(truth, estimate) == (min(each), max(each))


def test_bounds_depend_on_the_orientations_and_not_on_one_extension():
    chain = vd.DAG.from_arcs([("A", "B"), ("B", "C")])
    assert vd.sid(chain, chain.cpdag()) == vd.SidBounds(lower=0, upper=6)
    assert vd.sid(chain, vd.DAG.from_arcs([("C", "B"), ("B", "A")], ["A", "B", "C"])) == 6
    assert vd.sid(chain, vd.DAG.from_arcs([("B", "A"), ("B", "C")], ["A", "B", "C"])) == 3


def test_a_dag_gives_a_number_and_a_cpdag_without_edges_the_same_twice():
    collider = vd.DAG.from_arcs([("A", "C"), ("B", "C")])
    truth = vd.DAG.from_arcs([("C", "A"), ("B", "A")], ["A", "B", "C"])
    distance = vd.sid(truth, collider)
    assert type(distance) is int
    assert distance > 0
    assert vd.sid(truth, collider.cpdag()) == (distance, distance)


def test_the_distance_has_a_direction():
    chain = vd.DAG.from_arcs([("A", "B")])
    empty = vd.DAG.empty(["A", "B"])
    assert vd.sid(chain, empty) == 1  # B is said to act on A; that A acts on B is right without adjusting for anything
    assert vd.sid(empty, chain) == 0


def test_the_order_of_variables_does_not_matter():
    alarm = vd.networks.load("alarm").dag
    other = vd.Tabu(max_indegree=3).learn(vd.networks.load("alarm").sample(200, seed=1)).dag
    distance, bounds = vd.sid(alarm, other), vd.sid(alarm, other.cpdag())
    backwards = other.reorder(alarm.names[::-1])
    assert vd.sid(alarm, backwards) == distance
    assert vd.sid(alarm.reorder(sorted(alarm.names)), backwards.cpdag()) == bounds
    assert bounds.lower <= distance <= bounds.upper


@pytest.mark.medium
def test_a_network_of_a_thousand_variables_is_no_trouble():
    rng = np.random.default_rng(2)
    truth, estimate = (dag(1000, random_arcs(rng, 1000, 1500)) for _ in range(2))
    assert vd.sid(truth, truth) == 0
    bounds = vd.sid(truth, estimate.cpdag())
    assert bounds.lower <= vd.sid(truth, estimate) <= bounds.upper


@pytest.mark.medium
def test_a_class_with_too_many_orientations_is_refused():
    def clique(n):
        return vd.DAG.from_adjacency(np.triu(np.ones((n, n), bool), 1))

    assert vd.sid(clique(10), clique(10).cpdag()).lower == 0
    with pytest.raises(vd.InputError, match=r"'X1', between 30 variables, .*estimate.extension\(\)"):
        vd.sid(clique(30), clique(30).cpdag())


def test_a_graph_that_is_not_a_class_is_refused_with_the_remedy():
    truth = vd.DAG.empty(["A", "B", "C"])
    directed = vd.PDAG.from_arcs([("A", "B")], names=["A", "B", "C"])
    with pytest.raises(vd.InputError, match=r"not a CPDAG.*estimate.cpdag\(\)"):
        vd.sid(truth, directed)
    assert vd.sid(truth, directed.cpdag()) == (0, 0)
    square = vd.PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")])
    with pytest.raises(vd.InputError, match="no DAG extends the graph"):
        vd.sid(vd.DAG.empty(square.names), square)
    with pytest.raises(vd.InputError, match="truth: a DAG is needed, not a PDAG"):
        vd.sid(directed, truth)
