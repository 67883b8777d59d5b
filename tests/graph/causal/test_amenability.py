"""Adjustment in classes of DAGs: what holds for a PDAG holds for every DAG that extends it, and nothing is missed."""

from __future__ import annotations

from itertools import combinations

import pytest

from naive import causal as naive
from naive import graphs
from veridag import DAG, PDAG, InputError, InvalidGraph, NotAmenable


def names(graph, which):
    return tuple(graph.names[v] for v in which)


def check_class(n: int, pdag: PDAG, members: list[graphs.Arcs], x: tuple[int, ...], y: tuple[int, ...]) -> int:
    """1 if the graph is amenable."""
    criteria = [naive.Adjustment(n, arcs, frozenset(x), frozenset(y)) for arcs in members]
    sets = list(naive.subsets(naive.others(n, *x, *y)))
    valid = [z for z in sets if all(criterion.holds(z) for criterion in criteria)]
    for z in sets:
        assert pdag.is_valid_adjustment(names(pdag, x), names(pdag, y), names(pdag, z)) == (z in valid)
    if edges := pdag.obstacles(names(pdag, x), names(pdag, y)):
        assert not valid
        assert all(edge in pdag.edges or edge[::-1] in pdag.edges for edge in edges)
        assert all(edge[0] in names(pdag, x) for edge in edges)
        with pytest.raises(NotAmenable) as raised:
            pdag.adjustment_sets(names(pdag, x), names(pdag, y))
        assert raised.value.edges == edges
        return 0
    expected = [names(pdag, z) for z in naive.in_order(valid)]
    assert pdag.adjustment_sets(names(pdag, x), names(pdag, y), "all") == expected
    optimal = {
        DAG.from_adjacency(graphs.matrix(n, arcs)).optimal_adjustment(names(pdag, x), names(pdag, y))
        for arcs in members
    }
    assert optimal == {pdag.optimal_adjustment(names(pdag, x), names(pdag, y))}
    return 1


def check_cpdags(n: int, step: int, x: tuple[int, ...], y: tuple[int, ...]) -> None:
    amenable = []
    for members in list(graphs.equivalence_classes(n).values())[::step]:
        pdag = PDAG.from_adjacency(graphs.matrix(n, graphs.cpdag(members)))
        amenable.append(check_class(n, pdag, list(members), x, y))
    assert 0 < sum(amenable) < len(amenable)


@pytest.mark.medium
@pytest.mark.parametrize(("x", "y"), [((0,), (1,)), ((0, 1), (2,)), ((0,), (1, 2))])
def test_sets_are_valid_in_all_dags_of_a_class_of_4(x, y):
    check_cpdags(4, 1, x, y)


@pytest.mark.medium
def test_sets_are_valid_in_all_dags_of_some_classes_of_5():
    check_cpdags(5, 43, (0,), (1,))


@pytest.mark.slow
@pytest.mark.parametrize(("x", "y"), [((0,), (1,)), ((0, 1), (2,)), ((0,), (1, 2))])
def test_sets_are_valid_in_all_dags_of_every_class_of_5(x, y):
    check_cpdags(5, 1, x, y)


@pytest.mark.slow
@pytest.mark.parametrize(("x", "y"), [((0,), (1,)), ((0, 1), (2,))])
def test_sets_of_a_class_with_a_known_direction_are_valid_in_all_its_dags(x, y):
    for members in graphs.equivalence_classes(4).values():
        union = graphs.cpdag(members)
        for arc in sorted(arc for arc in union if arc[::-1] in union):
            for other in [None, *sorted(a for a in union if a[::-1] in union and a > arc and a != arc[::-1])]:
                known = union - {arc[::-1]} - ({other[::-1]} if other else set())
                extensions = graphs.extensions(4, known)
                if extensions:
                    check_class(4, PDAG.from_adjacency(graphs.matrix(4, known)), extensions, x, y)


def test_the_obstacle_is_the_edge_that_would_settle_the_effect():
    pdag = PDAG.from_arcs([("A", "Y"), ("B", "Y")], [("X", "A"), ("X", "C")])
    assert pdag.obstacles("X", "Y") == (("X", "A"),)
    assert not pdag.is_valid_adjustment("X", "Y")
    with pytest.raises(NotAmenable, match=r"does not direct X - A, where a causal path from X to Y .* direct it"):
        pdag.optimal_adjustment("X", "Y")
    settled = PDAG.from_arcs([("A", "Y"), ("B", "Y"), ("X", "A")], [("X", "C")])
    assert settled.obstacles("X", "Y") == ()
    assert settled.adjustment_sets("X", "Y") == [()]
    assert settled.optimal_adjustment("X", "Y") == ("B",)


def test_a_dag_is_amenable():
    dag = DAG.from_modelstring("[A][X|A][Y|X:A]")
    pdag = PDAG(dag.names, dag.adjacency)
    for x, y in combinations(dag.names, 2):
        assert pdag.obstacles(x, y) == ()
        assert pdag.adjustment_sets(x, y) == dag.adjustment_sets(x, y)


def test_a_graph_that_no_dag_extends_is_refused():
    square = PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")])
    with pytest.raises(InvalidGraph, match="no DAG extends the graph"):
        square.adjustment_sets("A", "C")


def test_mistakes_name_the_argument():
    pdag = PDAG.from_arcs([], [("X", "Y"), ("Y", "Z")])
    with pytest.raises(InputError, match="given: 'X' is also in x or y"):
        pdag.is_valid_adjustment("X", "Y", ["X"])
    with pytest.raises(InputError, match="kind='backdoor' must be 'minimal' or 'all'"):
        pdag.adjustment_sets("X", "Y", "backdoor")
