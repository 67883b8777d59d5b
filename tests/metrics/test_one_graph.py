"""Measures of one graph: v-structures, arcs, parameters."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import oracle
import veridag as vd
from naive import graphs as naive
from veridag.data import Column, Data

ORACLE = oracle.load("graphs")
CASES = [(case["names"], graph) for case in ORACLE for graph in case["graphs"]]


@pytest.mark.parametrize(("names", "graph"), CASES)
def test_v_structures_agree_with_the_independent_implementation(names, graph):
    dag = vd.DAG.from_arcs([(names[i], names[j]) for i, j in graph["a"]], names)
    adjacent = sum(bool(set(a) & set(b)) for a, b in combinations(graph["a"], 2))
    assert vd.unshielded_v_structures(dag) == pytest.approx(graph["vstructs_a"] / adjacent)
    assert vd.arc_count(dag) == vd.arc_count(dag.cpdag()) == len(graph["a"])


def test_only_unshielded_v_structures_count_and_all_adjacent_pairs_do():
    shielded = vd.DAG.from_arcs([("A", "C"), ("B", "C"), ("A", "B")])
    assert vd.unshielded_v_structures(shielded) == 0
    assert vd.unshielded_v_structures(vd.DAG.from_arcs([("A", "C"), ("B", "C")])) == 1
    assert vd.unshielded_v_structures(vd.DAG.from_arcs([("A", "C"), ("B", "C"), ("C", "D")])) == pytest.approx(1 / 3)
    assert vd.unshielded_v_structures(vd.DAG.from_arcs([("A", "B"), ("C", "D")])) == 0  # no two arcs meet
    assert vd.unshielded_v_structures(vd.DAG.empty(["A"])) == 0


def test_a_third_of_adjacent_pairs_are_v_structures_in_sparse_graphs_of_random_order():
    """The variable that two arcs share comes last of three in a third of all orders, and few pairs are shielded."""
    rng = np.random.default_rng(7)
    found = []
    for _ in range(200):
        order, a = rng.permutation(60), np.triu(rng.random((60, 60)) < 0.02, 1)
        found.append(vd.unshielded_v_structures(vd.DAG.from_adjacency(a[np.ix_(order, order)])))
    assert np.mean(found) == pytest.approx(1 / 3, abs=0.03)


def test_a_class_has_the_v_structures_and_arcs_of_its_members():
    for members in naive.equivalence_classes(4).values():
        whole = vd.PDAG.from_adjacency(naive.matrix(4, naive.cpdag(members)))
        dag = vd.DAG.from_adjacency(naive.matrix(4, members[0]))
        assert vd.unshielded_v_structures(dag) == vd.unshielded_v_structures(whole)
        assert vd.arc_count(dag) == vd.arc_count(whole)


@pytest.mark.parametrize(("name", "expected"), [("asia", 18), ("alarm", 509), ("ecoli70", 162), ("arth150", 364)])
def test_parameters_are_those_of_the_network_that_made_the_data(name, expected):
    network = vd.networks.load(name)
    data = network.sample(20, seed=1)
    assert network.nparams == expected
    assert vd.nparams(network.dag, data) == expected  # states that were not observed count too
    assert vd.nparams(network.dag.cpdag(), data) == expected


def test_data_may_have_more_columns_than_the_graph_but_not_fewer():
    data = Data([Column.continuous(v, [0.5, 1.5]) for v in "AB"] + [Column.discrete("C", [0, 1], ["x", "y"])])
    assert vd.nparams(vd.DAG.from_arcs([("A", "B")]), data) == 5
    assert vd.nparams(vd.DAG.empty(["C"]), data) == 1
    with pytest.raises(vd.InputError, match="continuous parent"):
        vd.nparams(vd.DAG.from_arcs([("A", "C")]), data)
    with pytest.raises(vd.InputError, match="no column 'Z'"):
        vd.nparams(vd.DAG.empty(["Z"]), data)
    with pytest.raises(vd.InputError, match="Data is needed, not a dict"):
        vd.nparams(vd.DAG.empty(["Z"]), {"Z": 2})
