from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import graphs as naive
from strategies.knowledge import dags, dags_with_knowledge, is_barred, knowledge_of, subset
from veridag import DAG, PDAG, InputError, InvalidGraph
from veridag.graph.knowledge import Knowledge, parse_arc


def test_an_edge_is_directed_if_one_way_is_required_or_the_other_forbidden():
    edge = PDAG.from_arcs([], [("A", "B")])
    arc = PDAG.from_arcs([("A", "B")])
    assert Knowledge(required=[("A", "B")]).orient(edge) == arc
    assert Knowledge(forbidden=[("B", "A")]).orient(edge) == arc
    assert Knowledge(tiers=[["A"], ["B"]]).orient(edge) == arc
    assert Knowledge(tiers=[["A", "B"]]).orient(edge) == edge
    assert Knowledge().orient(edge) == edge
    assert Knowledge(required=[("A", "B")]).orient(arc) == arc


def test_what_follows_by_meeks_rules_is_directed_too():
    chain = PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("C", "D")])
    assert Knowledge(required=[("A", "B")]).orient(chain) == PDAG.from_arcs([("A", "B"), ("B", "C"), ("C", "D")])


def test_meeks_fourth_rule_is_needed_and_used():
    # C -> D -> B from knowledge, A joined to all: B -> A would need a cycle or a new v-structure.
    pdag = PDAG.from_arcs([], [("A", "B"), ("A", "C"), ("A", "D"), ("C", "D"), ("D", "B")])
    oriented = Knowledge(required=[("C", "D"), ("D", "B")]).orient(pdag)
    assert set(oriented.arcs) == {("C", "D"), ("D", "B"), ("A", "B")}


def test_a_forbidden_arc_makes_no_false_v_structure():
    # A -> B is compelled by tiers; directing C -> B as well would be a v-structure that the class does not have.
    chain = PDAG.from_arcs([], [("A", "B"), ("B", "C")])
    with pytest.raises(InvalidGraph, match="with A -> B the arc B -> C is compelled, but it is forbidden") as caught:
        Knowledge(tiers=[["A"], ["B"]], forbidden=[("B", "C")]).orient(chain)
    assert caught.value.witness == ("B", "C")


def test_forbidden_arcs_that_leave_only_a_cycle_are_a_conflict():
    triangle = PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("A", "C")])
    with pytest.raises(InvalidGraph, match="with A -> B, B -> C the arc A -> C is compelled, but it is forbidden"):
        Knowledge(forbidden=[("B", "A"), ("C", "B"), ("A", "C")]).orient(triangle)


def test_only_the_arcs_to_blame_are_named():
    pdag = PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("C", "D"), ("P", "Q")])
    with pytest.raises(
        InvalidGraph, match="with B -> C the arc C -> D is compelled, but it is the reverse of a required"
    ):
        Knowledge(required=[("B", "C"), ("D", "C"), ("A", "B"), ("P", "Q")]).orient(pdag)


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        (Knowledge(forbidden=[("A", "C")]), "the arc A -> C is compelled, but it is forbidden"),
        (Knowledge(tiers=[["C"], ["A"]]), "the arc A -> C is compelled, but it goes back from tier 2 to tier 1"),
        (Knowledge(required=[("C", "A")]), "the arc A -> C is compelled, but it is the reverse of a required one"),
        (Knowledge(forbidden=[("C", "D")]), "the arc C -> D is compelled, but it is forbidden"),
        (Knowledge(required=[("A", "B")]), "A -> B is required, but the graph does not join them"),
        (
            Knowledge(forbidden=[("E", "F")], tiers=[["E"], ["F"]]),
            "the graph joins E and F, but E -> F is forbidden, and F -> E goes back from tier 2 to tier 1",
        ),
        (Knowledge(max_indegree={"C": 1}), r"C has 2 compelled parents \(A, B\), more than its max_indegree of 1"),
    ],
)
def test_a_graph_against_the_knowledge_is_refused_with_the_arc(knowledge, message):
    # C - D is compelled once the rules are applied: it need not be directed on the way in.
    pdag = PDAG.from_arcs([("A", "C"), ("B", "C")], [("C", "D"), ("E", "F")])
    with pytest.raises(InvalidGraph, match=f"^knowledge: {message}"):
        knowledge.orient(pdag)


def test_a_graph_that_no_dag_extends_is_directed_as_far_as_it_goes():
    square = PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A"), ("X", "Y")])
    assert square.why_invalid() is not None
    assert Knowledge(required=[("X", "Y")]).orient(square).arcs == (("X", "Y"),)
    with pytest.raises(InvalidGraph, match="E -> F is compelled, but it is forbidden"):
        Knowledge(forbidden=[("E", "F")]).orient(PDAG.from_arcs([("E", "F"), ("F", "G"), ("G", "E")]))


def test_only_a_pdag_can_be_directed_and_it_has_the_variables():
    with pytest.raises(InputError, match=r"^pdag: only the edges of a PDAG"):
        Knowledge().orient(DAG.from_arcs([("A", "B")]))
    with pytest.raises(InputError, match="there is no variable 'Z'"):
        Knowledge(required=[("A", "Z")]).orient(PDAG.from_arcs([("A", "B")]))


def members(pdag: PDAG) -> list[DAG]:
    """Every DAG with the skeleton, v-structures and arcs of the graph."""
    key = naive.equivalence_class_key(naive.arcs_of(pdag.adjacency))
    found = []
    for flips in product((False, True), repeat=len(pdag.edges)):
        arcs = [*pdag.arcs, *((b, a) if flip else (a, b) for (a, b), flip in zip(pdag.edges, flips, strict=True))]
        at = frozenset((pdag.index(a), pdag.index(b)) for a, b in arcs)
        if naive.is_acyclic(len(pdag), at) and naive.equivalence_class_key(at) == key:
            found.append(DAG.from_arcs(arcs, pdag.names))
    return found


@given(st.data())
def test_what_is_directed_is_what_all_members_that_obey_agree_on(data):
    dag, said = data.draw(dags_with_knowledge())
    required = [(u, v) for u, v in said.required if v in dag.neighbours(u)]  # or few would have a member that obeys
    knowledge = Knowledge(required, said.forbidden, said.tiers)
    pdag = dag.cpdag()
    obedient = [member for member in members(pdag) if knowledge.allows(member)]
    if obedient:
        union = np.logical_or.reduce([member.adjacency for member in obedient])
        assert knowledge.orient(pdag) == PDAG(pdag.names, union)
        return
    with pytest.raises(InvalidGraph, match=" -> ") as caught:
        knowledge.orient(pdag)
    u, v = caught.value.witness
    assert is_barred(knowledge, u, v) or (v, u) in knowledge.required


@given(st.data())
def test_truths_about_a_dag_direct_edges_of_its_class_as_in_the_dag(data):
    dag = data.draw(dags())
    knowledge = data.draw(knowledge_of(dag))
    pdag = dag.cpdag()
    once = knowledge.orient(pdag)
    assert set(pdag.arcs) <= set(once.arcs) <= set(dag.arcs)
    assert knowledge.orient(once) == once
    assert once.skeleton() == dag.skeleton()


@given(st.data())
def test_the_conflict_that_is_told_is_real(data):
    """Leaving out the knowledge that speaks of the named pair, the arc follows from the rest."""
    dag = data.draw(dags(min_nodes=3))
    pdag = dag.cpdag()
    arcs = [data.draw(st.permutations(edge)) for edge in subset(data.draw, list(pdag.edges))]
    knowledge = Knowledge(forbidden=[(b, a) for a, b in arcs])
    try:
        oriented = knowledge.orient(pdag)
        assert knowledge.allows(oriented.extension())
    except InvalidGraph as error:
        u, v = error.witness
        assert (u, v) in knowledge.forbidden
        blamed = str(error).split(" with ")[1].split(" the arc ")[0].split(", ")
        rest = [parse_arc(arc) for arc in blamed]
        assert {(b, a) for a, b in rest} <= set(knowledge.forbidden)
        follows = [m for m in members(pdag) if set(rest) <= set(m.arcs)]
        assert follows
        assert all((u, v) in m.arcs for m in follows)
        for arc in rest:  # and none of them could be left out
            fewer = set(rest) - {arc}
            assert any((v, u) in m.arcs for m in members(pdag) if fewer <= set(m.arcs))
