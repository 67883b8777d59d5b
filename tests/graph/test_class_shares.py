"""Shares of equivalence classes, and the class that sums them up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from veridag.graph.class_shares import ClassShares


def shares_of(*graphs: vd.DAG) -> ClassShares:
    names = graphs[0].names
    return ClassShares.of(names, [graph.cpdag().reorder(names).adjacency for graph in graphs])


def dag(*arcs: tuple[str, str]) -> vd.DAG:
    return vd.DAG.from_arcs(arcs, names=["a", "b", "c", "d"])


COLLIDER, CHAIN = dag(("a", "c"), ("b", "c")), dag(("a", "c"), ("c", "b"))


def test_directions_and_edges_without_direction_are_counted_apart():
    found = shares_of(COLLIDER, COLLIDER, CHAIN, dag())
    assert found.directed[0, 2] == 0.5
    assert found.directed[2, 0] == 0.0
    assert found.undirected[0, 2] == found.undirected[2, 0] == 0.25
    assert found.joined[0, 2] == found.joined[2, 0] == 0.75
    assert found.joined[0, 1] == 0.0


def test_the_mean_gives_each_part_the_same_weight():
    found = ClassShares.mean([shares_of(COLLIDER), shares_of(CHAIN, CHAIN, CHAIN)])
    assert found.directed[0, 2] == found.undirected[0, 2] == 0.5


def test_the_likeliest_class_of_equal_classes_is_that_class():
    for graph in (COLLIDER, CHAIN, dag(("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"))):
        assert shares_of(graph, graph).likeliest_class() == graph.cpdag()


def test_pairs_at_the_threshold_are_left_apart():
    half = shares_of(CHAIN, dag())
    assert not half.likeliest_class().edges
    assert len(half.likeliest_class(0.4).edges) == 2


def test_an_edge_without_direction_makes_no_collider():
    # c <- b is directed in most, a - c is not: the class must not join a and b in a collider at c.
    found = ClassShares(
        ("a", "b", "c"),
        np.array([[0.0, 0.0, 0.1], [0.0, 0.0, 0.6], [0.1, 0.0, 0.0]]),
        np.array([[0.0, 0.0, 0.8], [0.0, 0.0, 0.3], [0.8, 0.3, 0.0]]),
    )
    graph = found.likeliest_class()
    assert graph.why_invalid() is None
    assert not graph.v_structures()


def test_a_cycle_of_common_directions_loses_the_least_common_one():
    directed = np.zeros((3, 3))
    directed[0, 1], directed[1, 2], directed[2, 0] = 0.9, 0.8, 0.7
    graph = ClassShares(("a", "b", "c"), directed, np.zeros((3, 3))).likeliest_class()
    assert graph.why_invalid() is None
    assert {frozenset(pair) for pair in (*graph.arcs, *graph.edges)} == {
        frozenset(pair) for pair in (("a", "b"), ("b", "c"), ("a", "c"))
    }


def test_a_square_that_no_class_has_without_a_collider_is_directed_all_the_same():
    undirected = np.zeros((4, 4))
    for i, j in ((0, 1), (1, 2), (2, 3), (3, 0)):
        undirected[i, j] = undirected[j, i] = 0.9
    graph = ClassShares(("a", "b", "c", "d"), np.zeros((4, 4)), undirected).likeliest_class()
    assert graph.why_invalid() is None
    assert len(graph.arcs) + len(graph.edges) == 4


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(3, 7))
def test_the_likeliest_class_is_a_class_with_the_common_pairs(seed: int, number: int, size: int):
    graphs = [vd.random_dag(size, arcs_per_node=0.9, max_indegree=3, seed=seed + k) for k in range(number)]
    found = ClassShares.of(graphs[0].names, [graph.cpdag().adjacency for graph in graphs])
    graph = found.likeliest_class()
    assert graph.why_invalid() is None
    assert graph == graph.cpdag()
    joined = graph.adjacency | graph.adjacency.T
    expected = found.joined > 0.5
    assert (joined == expected).all()


@pytest.mark.parametrize("number", [1, 2])
def test_names_and_their_order_do_not_matter(number: int):
    graphs = (COLLIDER, CHAIN)[:number]
    turned = ["c", "a", "d", "b"]
    again = ClassShares.of(turned, [graph.cpdag().reorder(turned).adjacency for graph in graphs])
    assert again.likeliest_class() == shares_of(*graphs).likeliest_class().reorder(turned)
