"""What distances are made of: errors by type, and the distances of skeletons and partial graphs."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import oracle
import veridag as vd
from naive import graphs as naive
from naive import metrics as naive_metrics

ORACLE = oracle.load("graphs")
CASES = [(case["names"], graph) for case in ORACLE for graph in case["graphs"]]


def pair_of_graphs(names, graph):
    return (vd.DAG.from_arcs([(names[i], names[j]) for i, j in graph[which]], names) for which in "ab")


@pytest.mark.parametrize(("names", "graph"), CASES)
def test_parts_and_skeletons_agree_with_the_independent_implementation(names, graph):
    a, b = pair_of_graphs(names, graph)
    parts = vd.shd_parts(a, b)
    assert parts.total == graph["shd"]
    assert vd.hamming(a, b) == parts.missing + parts.spurious == graph["hamming"]
    assert vd.scaled_shd(a, b) == graph["shd"] / len(graph["a"])


def test_every_pair_of_classes_on_three_variables_agrees_with_the_definitions():
    members = naive.equivalence_classes(3).values()
    for a in members:
        for b in members:
            first, second = (vd.PDAG.from_adjacency(naive.matrix(3, naive.cpdag(m))) for m in (a, b))
            distance = naive_metrics.hamming(3, naive.cpdag(a), naive.cpdag(b))
            assert vd.shd(first, second) == vd.phd(first, second) == distance
            left, right = naive.skeleton(a[0]), naive.skeleton(b[0])
            parts = vd.shd_parts(vd.DAG.from_adjacency(naive.matrix(3, a[0])), second)
            assert (parts.missing, parts.spurious) == (len(left - right), len(right - left))
            assert parts.misoriented == distance - len(left ^ right)
            assert parts.arcs == len(left)


def test_each_kind_of_error_is_told_apart():
    truth = vd.DAG.from_arcs([("A", "C"), ("B", "C"), ("C", "D")], ["A", "B", "C", "D", "E"])
    estimate = vd.DAG.from_arcs([("A", "C"), ("C", "D"), ("D", "E")], ["A", "B", "C", "D", "E"])
    # A - C - D - E: B -> C is missing, D - E spurious, A -> C and C -> D have lost their direction
    assert vd.shd_parts(truth, estimate) == vd.StructuralErrors(missing=1, spurious=1, misoriented=2, arcs=3)
    assert vd.shd_parts(estimate, truth) == vd.StructuralErrors(missing=1, spurious=1, misoriented=2, arcs=3)
    assert vd.shd_parts(truth, vd.DAG.empty(truth.names)).missing == 3
    assert vd.shd_parts(vd.DAG.empty(truth.names), truth).spurious == 3


def test_a_reversal_is_one_error_and_not_two():
    truth = vd.DAG.from_arcs([("A", "C"), ("B", "C"), ("C", "D"), ("E", "D")])
    estimate = vd.DAG.from_arcs([("A", "C"), ("B", "C"), ("D", "C"), ("E", "D")], truth.names)
    parts = vd.shd_parts(truth, estimate)
    assert (parts.missing, parts.spurious) == (0, 0)
    assert parts.misoriented == parts.total == vd.shd(truth, estimate) == 2  # C - D turned round, E - D undirected


def test_errors_are_scaled_by_the_arcs_of_the_truth():
    truth = vd.DAG.from_arcs([("A", "B"), ("B", "C")], ["A", "B", "C", "D"])
    estimate = vd.DAG.from_arcs([("A", "B"), ("C", "D")], ["A", "B", "C", "D"])
    scaled = vd.shd_parts(truth, estimate).scaled
    assert (scaled.missing, scaled.spurious, scaled.misoriented, scaled.total) == (0.5, 0.5, 0, 1)
    assert vd.scaled_shd(truth, vd.DAG.empty(truth.names)) == 1
    empty = vd.DAG.empty(truth.names)
    assert vd.scaled_shd(empty, empty) == 0
    assert vd.scaled_shd(empty, truth) == math.inf
    assert vd.shd_parts(empty, truth).scaled.missing == 0


def test_the_partial_distance_counts_only_what_both_determine():
    learned = vd.DAG.from_arcs([("A", "C"), ("B", "C")], ["A", "B", "C", "D"])
    partial = vd.PartialGraph.from_arcs([("C", "A")], [("C", "D")], [("A", "B")], ["D", "C", "B", "A"])
    # A -> C against C -> A, B -> C against nothing, C - D against nothing; A, B is undetermined
    assert vd.phd(learned, partial) == vd.phd(partial, learned) == 3
    assert vd.skeleton_phd(learned, partial) == 2
    assert vd.phd_parts(partial, learned) == vd.StructuralErrors(missing=1, spurious=1, misoriented=1, arcs=2)
    joined = vd.DAG.from_arcs([("A", "C"), ("B", "C"), ("A", "B")], learned.names)
    hidden = vd.PartialGraph.from_arcs([], [("A", "C"), ("B", "C")], [("A", "B")], learned.names)
    assert vd.phd(hidden, joined) == 0


def test_the_partial_distance_is_summed_over_ordered_pairs_and_halved():
    rng = np.random.default_rng(3)
    for _ in range(50):
        n, graphs = 6, []
        for _ in range(2):
            known = np.triu(rng.random((n, n)) < 0.6, 1)
            known |= known.T
            graphs.append(vd.PartialGraph(tuple("ABCDEF"), (rng.random((n, n)) < 0.3) & known, known))
        a, b = graphs
        pairs = [(u, v) for u in a.names for v in a.names if u != v]
        types = [(a.pair(u, v), b.pair(u, v)) for u, v in pairs]
        assert 2 * vd.phd(a, b) == sum(s != t for s, t in types if "undetermined" not in (s, t))
        assert vd.phd_parts(a, b).total == vd.phd(a, b)
        assert vd.skeleton_phd(a, b) == vd.phd_parts(a, b).missing + vd.phd_parts(a, b).spurious


def test_an_agreement_graph_holds_what_all_classes_have_in_common():
    names = ["A", "B", "C", "D"]
    chain, fork, collider = (
        vd.DAG.from_arcs(arcs, names)
        for arcs in ([("A", "B"), ("B", "C")], [("B", "A"), ("B", "C")], [("A", "B"), ("C", "B")])
    )
    assert vd.PartialGraph.agreement([chain, fork]) == vd.PartialGraph.from_graph(chain.cpdag())  # equivalent
    agreed = vd.PartialGraph.agreement(g for g in (chain, fork, collider.reorder(names[::-1])))
    assert agreed.undetermined == (("A", "B"), ("B", "C"))
    assert agreed.pair("A", "C") == agreed.pair("C", "D") == "none"
    assert [vd.phd(g, agreed) for g in (chain, fork, collider)] == [0, 0, 0]
    alone = vd.PartialGraph.agreement([collider])
    assert vd.phd(alone, chain) == vd.shd(collider, chain) == 2


def test_the_agreement_of_skeletons_keeps_adjacencies_whose_direction_is_contested():
    graphs = [
        vd.DAG.from_arcs([("A", "B"), ("C", "B")], ["A", "B", "C"]),
        vd.DAG.from_arcs([("A", "B"), ("B", "C")], ["A", "B", "C"]),
    ]
    agreed = vd.PartialGraph.agreement(g.skeleton() for g in graphs)
    assert agreed.edges == (("A", "B"), ("B", "C"))
    assert agreed.size == 1
    assert vd.skeleton_phd(agreed, vd.DAG.empty(["A", "B", "C"])) == 2


def test_an_agreement_needs_graphs_about_the_same_variables():
    with pytest.raises(vd.InputError, match="at least one graph"):
        vd.PartialGraph.agreement([])
    with pytest.raises(vd.InputError, match="'B' is in only one"):
        vd.PartialGraph.agreement([vd.DAG.empty(["A"]), vd.DAG.empty(["A", "B"])])
    with pytest.raises(vd.InputError, match="not a str"):
        vd.PartialGraph.agreement(["AB"])


def test_the_agreement_of_many_is_the_strict_intersection_pair_by_pair():
    rng = np.random.default_rng(4)
    dags = naive.all_dags(4)
    for _ in range(50):
        chosen = [vd.DAG.from_adjacency(naive.matrix(4, dags[k])).cpdag() for k in rng.choice(543, 3)]
        agreed = vd.PartialGraph.agreement(chosen)
        for u, v in combinations(agreed.names, 2):
            kinds = {vd.PartialGraph.from_graph(g).pair(u, v) for g in chosen}
            assert agreed.pair(u, v) == (kinds.pop() if len(kinds) == 1 else "undetermined")
