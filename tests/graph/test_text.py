from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.graphs import dags, partial_graphs
from veridag import DAG, PDAG, InputError, PartialGraph
from veridag.graph import graph_from_json


@given(dags())
def test_a_dag_survives_every_notation(dag):
    assert DAG.from_adjacency(dag.adjacency.astype(int), dag.names) == dag
    for again in (
        DAG.from_networkx(dag.to_networkx()),
        DAG.from_modelstring(dag.to_modelstring()),
        DAG.from_dot(dag.to_dot()),
        DAG.from_arcs(dag.arcs, dag.names),
        graph_from_json(dag.to_json()),
    ):
        assert again == dag
        assert again.names == dag.names


@given(partial_graphs())
def test_partial_graphs_survive_every_notation(partial):
    assert PartialGraph.from_dot(partial.to_dot()) == partial
    assert PartialGraph.from_networkx(partial.to_networkx()) == partial
    assert PartialGraph.from_arcs(partial.arcs, partial.edges, partial.undetermined, partial.names) == partial
    assert graph_from_json(partial.to_json()) == partial
    plain = PDAG(partial.names, partial.adjacency)
    assert graph_from_json(plain.to_json()) == plain
    assert PDAG.from_dot(plain.to_dot()) == plain
    assert PDAG.from_networkx(plain.to_networkx()) == plain


def test_an_undirected_networkx_graph_becomes_undirected_edges():
    assert PDAG.from_networkx(nx.Graph([("A", "B")])).edges == (("A", "B"),)


@given(st.lists(st.text(min_size=1), min_size=2, max_size=4, unique=True))
def test_dot_holds_any_name(names):
    dag = DAG.from_arcs([(names[0], names[1])], names)
    assert DAG.from_dot(dag.to_dot()).names == dag.names
    assert DAG.from_dot(dag.to_dot()) == dag


def test_dot_of_other_programs_is_read():
    text = """
    strict digraph "my net" { // a comment
      rankdir=LR; node [shape=box];
      a-b -> 3.5 -> "c d" [label="x->y", color=red]
      e -> f [dir=back] /* backwards */; "c d" -> e [dir=none]; g
    }"""
    pdag = PDAG.from_dot(text)
    assert pdag.names == ("a-b", "3.5", "c d", "e", "f", "g")
    assert pdag.arcs == (("a-b", "3.5"), ("3.5", "c d"), ("f", "e"))
    assert pdag.edges == (("c d", "e"),)
    assert PDAG.from_dot("graph { a -- b }").edges == (("a", "b"),)
    assert DAG.from_dot('digraph { "+" -> c++ [label="x" + "y"] }').arcs == (("+", "c++"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("digraph { a -> }", "where a node was expected"),
        ("digraph { a -> b", "ends before"),
        ("flow { a -> b }", "starts with"),
        ('digraph { a -> "b', "cannot be read at line 1"),
        ("digraph { subgraph x { a } }", "subgraphs"),
        ('digraph { a -> "b" + "c" }', "joins 'b' to another text by '\\+'.*write one string"),
        ('digraph { "b"+"c" -> a }', "joins 'b' to another text"),
        ("digraph { a -> b [dir=none] }", "read it as a PDAG"),
    ],
)
def test_broken_dot_is_named(text, message):
    with pytest.raises(InputError, match=message):
        DAG.from_dot(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[A][B|A", "from character 4"),
        ("[A][A]", "two factors"),
        ("[B|A]", r"add \[A\]"),
        ("[A][B|A:]", "empty parent"),
        ("[A][B|A:A]", "parent 'A' of 'B' twice"),
        ("[A|B][B|A]", "cycle"),
        ("A", "from character 1"),
    ],
)
def test_broken_modelstrings_are_named(text, message):
    with pytest.raises(InputError, match=message):
        DAG.from_modelstring(text)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"kind": "DAG", "variables": ["A"], "arcs": [["A"]]}', '{"kind": "tree", "variables": []}'],
)
def test_broken_json_is_named(text):
    with pytest.raises(InputError, match="JSON"):
        graph_from_json(text)


def test_a_modelstring_refuses_names_it_cannot_hold():
    with pytest.raises(InputError, match="cannot be written as a modelstring"):
        DAG.empty(["a|b"]).to_modelstring()


def test_spaces_between_the_factors_of_a_modelstring_do_not_matter():
    assert DAG.from_modelstring(" [A] [B | A : C] [C]\n").to_modelstring() == "[A][B|A:C][C]"
