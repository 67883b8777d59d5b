from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from strategies.graphs import dags, partial_graphs
from veridag import DAG, PDAG, InputError, PartialGraph


def test_strict_intersection_keeps_only_pairs_of_the_same_type():
    a = PDAG.from_arcs([("A", "B"), ("A", "C"), ("A", "D")], [("B", "C")], names=list("ABCDE"))
    b = PDAG.from_arcs([("A", "B"), ("C", "A")], [("B", "C"), ("A", "D")], names=list("EDCBA"))
    both = PartialGraph.from_graph(a) & b
    assert both.arcs == (("A", "B"),)
    assert both.edges == (("B", "C"),)
    assert both.undetermined == (("A", "C"), ("A", "D"))
    assert both.pair("A", "B") == "forward"
    assert both.pair("B", "A") == "backward"
    assert both.pair("C", "B") == "undirected"
    assert both.pair("D", "A") == "undetermined"
    assert both.pair("E", "A") == "none"
    assert both.size == pytest.approx(8 / 10)


@given(partial_graphs(), partial_graphs(), partial_graphs())
def test_strict_intersection_is_commutative_associative_and_idempotent(a, b, c):
    assert a & b == b & a
    assert (a & b) & c == a & (b & c)
    assert a & a == a


@given(partial_graphs(), partial_graphs())
def test_strict_intersection_follows_its_definition_pair_by_pair(a, b):
    both = a & b
    for x, y in combinations(a.names, 2):
        agreed = a.pair(x, y) == b.pair(x, y) != "undetermined"
        assert both.pair(x, y) == (a.pair(x, y) if agreed else "undetermined")


@given(partial_graphs(), dags(5))
def test_projection_shows_the_truth_on_determined_pairs_only(partial, dag):
    truth = PDAG(partial.names, np.zeros((5, 5), bool)) if len(dag) != 5 else PDAG(partial.names, dag.cpdag().adjacency)
    projected = partial.project(truth)
    whole = PartialGraph.from_graph(truth)
    for x, y in combinations(partial.names, 2):
        known = partial.pair(x, y) != "undetermined"
        assert projected.pair(x, y) == (whole.pair(x, y) if known else "undetermined")


def test_partial_graphs_refuse_what_does_not_fit_together():
    with pytest.raises(InputError, match="cannot be undetermined"):
        PartialGraph.from_arcs([("A", "B")], undetermined=[("A", "B")])
    with pytest.raises(InputError, match="symmetric"):
        PartialGraph(("A", "B"), np.zeros((2, 2), bool), np.triu(np.ones((2, 2), bool)))
    with pytest.raises(InputError, match="'B' is in only one"):
        PartialGraph.empty(["A", "B"]) & DAG.empty(["A", "C"])
