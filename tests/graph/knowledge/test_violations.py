from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.knowledge import broken, dags, dags_with_knowledge, knowledge_of
from veridag import DAG, PDAG, InputError
from veridag.graph.knowledge import Knowledge


def test_each_violation_is_a_sentence():
    knowledge = Knowledge(
        required=[("A", "B"), ("A", "E")], forbidden=[("C", "D")], tiers=[["B"], ["C", "E"]], max_indegree={"D": 2}
    )
    dag = DAG.from_arcs([("B", "A"), ("C", "D"), ("C", "B"), ("B", "D"), ("A", "D")], names="DCBAE")
    assert knowledge.violations(dag) == [
        "the required arc A -> B is missing: the graph has B -> A",
        "the required arc A -> E is missing",
        "the arc C -> B goes back from tier 2 to tier 1",
        "the arc C -> D is forbidden",
        "D has 3 parents (A, B, C), more than 2",
    ]
    assert not knowledge.allows(dag)


def test_a_later_tier_never_causes_an_earlier_one_not_even_two_tiers_back():
    knowledge = Knowledge(tiers=[["A"], ["B"], ["C"]])
    for u, v in combinations("ABC", 2):
        assert knowledge.allows(DAG.from_arcs([(u, v)], "ABC"))
        assert not knowledge.allows(DAG.from_arcs([(v, u)], "ABC"))


def test_tiers_leave_arcs_inside_a_tier_and_of_other_variables_free():
    knowledge = Knowledge(tiers=[["A", "B"], ["C"]])
    for arcs in (
        [("A", "B")],
        [("B", "A")],
        [("X", "A"), ("C", "Y")],
        [("A", "X"), ("X", "C")],
        [("C", "X"), ("X", "A")],
    ):
        assert knowledge.allows(DAG.from_arcs(arcs, "ABCXY"))


def test_an_arc_that_is_forbidden_twice_is_told_once():
    knowledge = Knowledge(forbidden=[("B", "A")], tiers=[["A"], ["B"]])
    assert knowledge.violations(DAG.from_arcs([("B", "A")])) == ["the arc B -> A is forbidden"]


@pytest.mark.parametrize("graph", [PDAG.from_arcs([], [("A", "B")]), [("A", "B")], None])
def test_violations_are_told_of_dags_only(graph):
    with pytest.raises(InputError, match=r"^graph: violations are checked for a DAG"):
        Knowledge().violations(graph)


@pytest.mark.medium
@given(st.data())
def test_knowledge_taken_from_a_dag_is_obeyed_by_it(data):
    dag = data.draw(dags())
    knowledge = data.draw(knowledge_of(dag))
    assert knowledge.violations(dag) == []
    assert knowledge.allows(dag)


@given(dags_with_knowledge())
def test_violations_are_found_exactly_where_the_definition_is_broken(drawn):
    dag, knowledge = drawn
    missing, barred, crowded = broken(knowledge, dag)
    found = knowledge.violations(dag)
    starts = [
        *[f"the required arc {u} -> {v} is missing" for u, v in missing],
        *[f"the arc {u} -> {v} " for u, v in barred],
        *[f"{v} has {len(dag.parents(v))} parents " for v in crowded],
    ]
    assert len(found) == len(starts)
    assert all(sentence.startswith(start) for sentence, start in zip(found, starts, strict=True))
    assert knowledge.allows(dag) == (not starts)


@given(dags_with_knowledge())
def test_the_column_order_does_not_change_the_violations(drawn):
    dag, knowledge = drawn
    assert knowledge.violations(dag) == knowledge.violations(dag.reorder(sorted(dag.names)))


@given(dags_with_knowledge())
def test_a_graph_that_obeys_has_matrices_that_say_so(drawn):
    dag, knowledge = drawn
    bound = knowledge.bind(dag.names)
    a = dag.adjacency
    obeys = not ((bound.required & ~a).any() or (bound.forbidden & a).any() or (a.sum(0) > bound.max_indegree).any())
    assert knowledge.allows(dag) == obeys
