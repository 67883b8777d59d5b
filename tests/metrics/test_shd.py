from __future__ import annotations

import pytest

import oracle
import veridag as vd

ORACLE = oracle.load("graphs")
CASES = [(case["names"], graph) for case in ORACLE for graph in case["graphs"]]


@pytest.mark.parametrize(("names", "graph"), CASES)
def test_distances_agree_with_the_independent_implementation(names, graph):
    a, b = (vd.DAG.from_arcs([(names[i], names[j]) for i, j in graph[which]], names) for which in "ab")
    assert vd.shd(a, b) == graph["shd"]
    assert vd.shd(b.cpdag(), a) == graph["shd"]


def test_every_difference_of_a_pair_counts_one():
    collider = vd.DAG.from_arcs([("A", "C"), ("B", "C")])
    assert vd.shd(collider, vd.DAG.from_arcs([("C", "A"), ("C", "B")], ["A", "C", "B"])) == 2  # arcs become edges
    assert vd.shd(collider, vd.DAG.from_arcs([("A", "C")], ["A", "B", "C"])) == 2  # one missing, one without direction
    assert vd.shd(vd.DAG.from_arcs([("A", "B")]), vd.DAG.from_arcs([("B", "A")])) == 0
    assert vd.shd(vd.DAG.empty(["A", "B"]), vd.DAG.from_arcs([("B", "A")])) == 1


def test_isolated_variables_and_the_order_of_variables_do_not_matter():
    a = vd.DAG.from_arcs([("A", "B")], ["A", "B", "C", "D"])
    assert vd.shd(a, vd.DAG.from_arcs([("A", "B")], ["D", "C", "B", "A"])) == 0


def test_an_invalid_pdag_is_compared_as_it_is():
    square = vd.PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")])
    assert vd.shd(square, square) == 0
    assert vd.shd(square, vd.DAG.empty(["A", "B", "C", "D"])) == 4


def test_graphs_that_cannot_be_compared_are_named():
    with pytest.raises(vd.InputError, match="'C' is in only one"):
        vd.shd(vd.DAG.empty(["A"]), vd.DAG.empty(["A", "C"]))
    with pytest.raises(vd.InputError, match="DAG or PDAG is needed"):
        vd.shd(vd.DAG.empty(["A"]), "A")
