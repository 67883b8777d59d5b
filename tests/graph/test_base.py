from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from strategies.graphs import dags
from veridag import DAG, PDAG, InputError, InvalidGraph, PartialGraph


def test_names_keep_their_order_and_isolated_variables_survive():
    dag = DAG.from_arcs([("C", "A")], names=["B", "A", "C"])
    assert dag.names == ("B", "A", "C")
    assert dag.arcs == (("C", "A"),)
    assert dag.neighbours("B") == ()


def test_names_default_to_order_of_appearance():
    assert DAG.from_arcs([("z", "a"), ("m", "a")]).names == ("z", "a", "m")


def test_adjacency_means_row_to_column():
    dag = DAG.from_adjacency([[0, 1], [0, 0]], ["A", "B"])
    assert dag.arcs == (("A", "B"),)
    assert dag.parents("B") == ("A",)
    assert dag.children("A") == ("B",)


def test_a_graph_cannot_be_changed():
    dag = DAG.from_arcs([("A", "B")])
    with pytest.raises(ValueError, match="read-only"):
        dag.adjacency[1, 0] = True
    with pytest.raises(AttributeError):
        dag.names = ("X", "Y")


def test_changing_the_callers_matrix_does_not_change_the_graph():
    a = np.array([[0, 1], [0, 0]], bool)
    dag = DAG(("A", "B"), a)
    a[0, 1] = False
    assert dag.arcs == (("A", "B"),)


def test_a_cycle_is_an_error_that_shows_it():
    with pytest.raises(InvalidGraph, match=r"cycle: ") as error:
        DAG.from_arcs([("X", "A"), ("A", "B"), ("B", "C"), ("C", "A"), ("C", "Y")])
    witness = error.value.witness
    assert witness[0] == witness[-1]
    assert set(witness) == {"A", "B", "C"}
    assert all(arc in {("A", "B"), ("B", "C"), ("C", "A")} for arc in pairwise(witness))


def test_opposite_arcs_are_a_cycle_in_a_dag():
    with pytest.raises(InvalidGraph, match="cycle"):
        DAG.from_arcs([("A", "B"), ("B", "A")])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DAG.from_arcs([("A", "A")]), "arc to itself"),
        (lambda: DAG.from_arcs([("A", "B")], ["A", "C"]), "'B', which is not in names"),
        (lambda: DAG.from_arcs([("A", "B")], ["A", "B", "A"]), "'A' occurs 2 times"),
        (lambda: DAG.from_arcs([], ["A", ""]), "non-empty"),
        (lambda: DAG.from_arcs(["AB"]), "an arc is a pair"),
        (lambda: DAG.from_arcs([("A", "B", "C")]), "an arc is a pair"),
        (lambda: DAG.from_arcs([1, 2]), "an arc is a pair .*, not 1"),
        (lambda: DAG.from_arcs([{"A", "B"}]), "an arc is a pair"),
        (lambda: DAG.from_arcs([("A", ["B"])]), "names, which are strings"),
        (lambda: DAG.from_arcs(None), "lists of pairs .*, not None"),
        (lambda: PartialGraph.from_arcs([], [], [1]), "an arc is a pair"),
        (lambda: PDAG.from_arcs([("A", "B")], [("B", "A")]), r"\('B', 'A'\) is given as an arc and as an edge"),
        (lambda: PDAG.from_dot("digraph { a -> b; a -> b [dir=none] }"), "as an arc and as an edge"),
        (lambda: DAG(("A", "B"), [[0, 7], [0, 0]]), "adjacency: .*only 0 and 1"),
        (lambda: DAG(("A", "B"), [[0, np.nan], [0, 0]]), "adjacency: .*only 0 and 1"),
        (lambda: PartialGraph(("A", "B"), np.zeros((2, 2)), [[1, 2], [2, 1]]), "determined: .*only 0 and 1"),
        (lambda: DAG.from_adjacency([[0, 0.5], [0, 0]]), "only 0 and 1"),
        (lambda: DAG.from_adjacency([[0, 1]]), "square"),
        (lambda: DAG(("A",), np.zeros((2, 2), bool)), r"shape \(1, 1\)"),
        (lambda: DAG.from_arcs([("age", "income")]).parents("agee"), "did you mean 'age'"),
        (lambda: DAG.from_arcs([("A", "B")]).d_separated("A", "B", "A"), "'A' is in two"),
        (lambda: DAG.from_arcs([("A", "B")]).nparams({"A": 2}), "'B' is missing"),
        (lambda: DAG.from_arcs([("A", "B")]).nparams({"A": 2, "B": 0}), r"B'\]=0 must be an integer of at least 1"),
        (lambda: DAG.from_arcs([("A", "B")]).nparams({"A": -2, "B": 2}), r"^arities\['A'\]=-2 must be an integer"),
        (lambda: DAG.from_arcs([("A", "B")]).nparams({"A": 2.5, "B": 2}), r"^arities\['A'\]=2.5 must be an integer"),
        (lambda: DAG.from_arcs([("A", "B")]).reorder(["A"]), "all 2 variables"),
        (lambda: DAG.from_arcs([("A", "B")]).draw("x.jpg"), r"must end in \.svg"),
    ],
)
def test_a_mistake_is_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_zeros_and_ones_of_any_type_make_a_graph():
    for zeros_and_ones in ([[0, 1], [0, 0]], np.array([[0.0, 1.0], [0.0, 0.0]]), [[False, True], [False, False]]):
        assert DAG(("A", "B"), zeros_and_ones) == DAG.from_arcs([("A", "B")])


def test_an_edge_given_twice_is_one_edge():
    assert PDAG.from_arcs([], [("A", "B"), ("B", "A")]).edges == (("A", "B"),)


def test_graphs_are_equal_whatever_the_order_of_their_variables():
    a = DAG.from_arcs([("A", "B")], names=["A", "B", "C"])
    b = DAG.from_arcs([("A", "B")], names=["C", "B", "A"])
    assert a == b
    assert hash(a) == hash(b)
    assert a != DAG.from_arcs([("B", "A")], names=["A", "B", "C"])
    assert a != DAG.from_arcs([("A", "B")])
    assert a != PDAG(a.names, a.adjacency)
    assert a != "A -> B"


@given(dags())
def test_a_graph_survives_pickling(dag):
    again = pickle.loads(pickle.dumps(dag))
    assert again == dag
    assert again.names == dag.names


def test_draw_writes_svg_that_tells_the_kinds_of_pairs_apart(tmp_path):
    partial = PartialGraph.from_arcs([("A", "B")], [("B", "C")], [("A", "C")])
    text = partial.draw(tmp_path / "graph.svg").read_text("utf-8")
    assert text.startswith("<svg")
    assert text == partial._repr_svg_()
    for kind in ("arc", "edge", "undetermined"):
        assert f'class="{kind}"' in text


def test_repr_counts():
    partial = PartialGraph.from_arcs([("A", "B")], [("B", "C")], [("A", "C")])
    assert repr(partial) == "<PartialGraph: 3 variables, 1 arcs, 1 edges, 1 undetermined pairs>"
