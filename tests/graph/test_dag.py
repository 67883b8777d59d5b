from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import graphs as naive
from naive.interventions import interventional_class
from strategies.graphs import dag_of, dags
from veridag import DAG, InputError


@pytest.mark.medium
def test_there_are_543_and_29281_dags():
    assert len(naive.all_dags(4)) == 543
    assert len(naive.all_dags(5)) == 29281


@pytest.mark.parametrize("n", [3, 4, pytest.param(5, marks=pytest.mark.medium)])
def test_cpdag_is_the_union_of_the_equivalence_class(n):
    for members in naive.equivalence_classes(n).values():
        expected = naive.cpdag(members)
        for dag in members:
            assert naive.arcs_of(dag_of(n, dag).cpdag().adjacency) == expected


@pytest.mark.slow
def test_there_are_185_and_8782_equivalence_classes():
    assert len({dag_of(4, dag).cpdag() for dag in naive.all_dags(4)}) == 185
    assert len({dag_of(5, dag).cpdag() for dag in naive.all_dags(5)}) == 8782


def check_d_separation(n: int, arcs: naive.Arcs) -> None:
    dag = dag_of(n, arcs)
    for x, y in combinations(range(n), 2):
        rest = [v for v in range(n) if v not in (x, y)]
        for size in range(len(rest) + 1):
            for z in combinations(rest, size):
                found = dag.d_separated(dag.names[x], dag.names[y], [dag.names[v] for v in z])
                assert found == naive.d_separated(n, arcs, x, y, frozenset(z))


@pytest.mark.medium
def test_d_separation_agrees_with_the_definition_on_4_nodes():
    for arcs in naive.all_dags(4):
        check_d_separation(4, arcs)


@pytest.mark.slow
def test_d_separation_agrees_with_the_definition_on_5_nodes():
    for arcs in naive.all_dags(5)[::7]:
        check_d_separation(5, arcs)


@given(dags(7), st.data())
def test_d_separation_of_sets_means_of_all_their_pairs(dag, data):
    where = {name: data.draw(st.sampled_from("xyz-")) for name in dag.names}
    x, y, z = ([name for name in dag.names if where[name] == part] for part in "xyz")
    assert dag.d_separated(x, y, z) == all(dag.d_separated(a, b, z) for a in x for b in y)


@given(dags())
def test_topological_order_puts_parents_first(dag):
    order = dag.topological_order()
    assert sorted(order) == sorted(dag.names)
    assert all(order.index(a) < order.index(b) for a, b in dag.arcs)


def test_of_the_variables_that_are_free_the_first_column_comes_first():
    assert DAG.from_arcs([("c", "a")], ["a", "b", "c", "d"]).topological_order() == ("b", "c", "a", "d")


@given(dags())
def test_ancestors_descendants_and_markov_blanket_agree_with_networkx(dag):
    graph = dag.to_networkx()
    for name in dag.names:
        assert set(dag.ancestors(name)) == nx.ancestors(graph, name)
        assert set(dag.descendants(name)) == nx.descendants(graph, name)
        spouses = {parent for child in dag.children(name) for parent in dag.parents(child)}
        blanket = {*dag.parents(name), *dag.children(name), *spouses} - {name}
        assert set(dag.markov_blanket(name)) == blanket


@given(dags())
def test_the_markov_blanket_separates_from_the_rest(dag):
    for name in dag.names:
        blanket = dag.markov_blanket(name)
        rest = [other for other in dag.names if other != name and other not in blanket]
        assert dag.d_separated(name, rest, blanket)


@given(dags())
def test_moral_graph_joins_parents_of_a_common_child(dag):
    moral = dag.moral()
    assert moral.arcs == ()
    married = {pair for name in dag.names for pair in combinations(dag.parents(name), 2)}
    joined = {frozenset(pair) for pair in (*dag.arcs, *married)}
    assert {frozenset(pair) for pair in moral.edges} == joined


def test_number_of_parameters_counts_free_ones():
    dag = DAG.from_arcs([("A", "C"), ("B", "C")])
    assert dag.nparams({"A": 2, "B": 3, "C": 4}) == 1 + 2 + 3 * 6


def test_number_of_parameters_does_not_overflow():
    names = [f"P{i}" for i in range(80)]
    dag = DAG.from_arcs([(name, "child") for name in names])
    assert dag.nparams(dict.fromkeys([*names, "child"], 10)) == 80 * 9 + 9 * 10**80


@pytest.mark.parametrize("targets", [[], [{0}], [{1}, {2}], [{0, 1}], [{0, 1}, {1, 2, 3}], [{0}, {1}, {2}, {3}]])
def test_the_interventional_class_has_the_arcs_that_all_its_members_share(targets):
    names = "ABCD"
    for arcs in naive.all_dags(4)[::7]:
        members = interventional_class(4, arcs, [frozenset(own) for own in targets])
        found = DAG(tuple(names), naive.matrix(4, arcs)).interventional_cpdag(
            [tuple(names[v] for v in own) for own in targets]
        )
        assert naive.arcs_of(found.adjacency) == naive.cpdag(members)


def test_one_variable_may_be_named_without_a_tuple():
    chain = DAG.from_arcs([("A", "B"), ("B", "C")])
    assert chain.interventional_cpdag(["B"]) == chain.interventional_cpdag([("B",)])
    assert chain.interventional_cpdag(["B"]).edges == ()
    assert chain.interventional_cpdag([]) == chain.cpdag()
    assert chain.interventional_cpdag([("A", "B", "C")]) == chain.cpdag()
    with pytest.raises(InputError, match="'D'"):
        chain.interventional_cpdag(["D"])
