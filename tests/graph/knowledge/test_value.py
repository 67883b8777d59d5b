from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies.knowledge import dags, dags_with_knowledge, knowledge_of
from veridag import DAG, InputError
from veridag.graph.knowledge import Knowledge


def test_the_same_knowledge_is_equal_however_it_was_written():
    a = Knowledge([("C", "D"), ["A", "B"], ("A", "B")], {("B", "A")}, [{"B", "A"}, ["D"]], {"D": 2, "B": 1})
    b = Knowledge(
        required=iter([("A", "B"), ("C", "D")]),
        forbidden=[("B", "A")],
        tiers=(("A", "B"), ("D",)),
        max_indegree=[("B", np.int64(1)), ("D", 2)],
    )
    assert a == b
    assert hash(a) == hash(b)
    assert a.required == (("A", "B"), ("C", "D"))
    assert a.tiers == (("A", "B"), ("D",))
    assert a.max_indegree == (("B", 1), ("D", 2))
    assert a != Knowledge(a.required)


def test_the_order_of_tiers_matters():
    assert Knowledge(tiers=[["A"], ["B"]]) != Knowledge(tiers=[["B"], ["A"]])


@pytest.mark.parametrize(
    "knowledge",
    [
        Knowledge(),
        Knowledge(max_indegree=3),
        Knowledge([("A", "B")], [("B", "C")], [["A"], ["B", "it's"]], {"B": 1, None: 4}),
        Knowledge([(np.str_("A"), np.str_("B"))], tiers=[np.array(["A", "B"])], max_indegree=np.int32(2)),
    ],
)
def test_the_repr_can_be_typed_back_in_and_pickling_changes_nothing(knowledge):
    assert eval(repr(knowledge)) == knowledge
    knowledge.bind(["A", "B", "C", "it's"])  # whatever is remembered along the way
    assert pickle.loads(pickle.dumps(knowledge)) == knowledge


def test_knowledge_cannot_be_changed():
    with pytest.raises(AttributeError):
        Knowledge().required = (("A", "B"),)


def test_limits_that_say_the_same_are_kept_in_one_form():
    assert Knowledge(max_indegree={None: 3}) == Knowledge(max_indegree=3)
    assert Knowledge(max_indegree={}) == Knowledge()
    assert Knowledge(max_indegree={"B": 1, None: 2, "A": 0}).max_indegree == ((None, 2), ("A", 0), ("B", 1))


def test_an_arc_both_required_and_forbidden_is_named():
    with pytest.raises(InputError, match=r"^required, forbidden: the arc A -> B is in both"):
        Knowledge(required=[("C", "B"), ("A", "B")], forbidden=[("A", "B")])


def test_required_arcs_in_a_cycle_show_it():
    with pytest.raises(
        InputError, match=r"^required: .* cycle.*: (A -> B -> C -> A|B -> C -> A -> B|C -> A -> B -> C)"
    ):
        Knowledge(required=[("A", "B"), ("B", "C"), ("C", "A"), ("C", "D"), ("Z", "A")])


def test_an_arc_required_in_both_directions_is_a_cycle():
    with pytest.raises(InputError, match=r"A -> B -> A|B -> A -> B"):
        Knowledge(required=[("A", "B"), ("B", "A")])


def test_a_required_arc_against_the_tiers_is_named_with_both_tiers():
    with pytest.raises(InputError, match=r"^required, tiers: .* C -> A goes back from tier 3 to tier 1"):
        Knowledge(required=[("C", "A")], tiers=[["A"], ["B"], ["C"]])


def test_required_arcs_inside_a_tier_along_the_tiers_and_outside_are_fine():
    Knowledge(required=[("A", "B"), ("A", "C"), ("X", "A"), ("C", "Y")], tiers=[["A", "B"], ["C"]])


def test_a_variable_in_two_tiers_is_named_with_both():
    with pytest.raises(InputError, match=r"^tiers: 'B' is in tier 1 and in tier 3"):
        Knowledge(tiers=[["A", "B"], ["C"], ["B"]])
    with pytest.raises(InputError, match=r"^tiers: 'A' is in tier 1 twice"):
        Knowledge(tiers=[["A", "A"]])


@pytest.mark.parametrize("limit", [1, {"C": 1}, {None: 1}, {None: 1, "A": 5}])
def test_more_required_parents_than_allowed_are_named(limit):
    with pytest.raises(InputError, match=r"max_indegree: 'C' has 2 required parents \(A, B\) but can have at most 1"):
        Knowledge(required=[("A", "C"), ("B", "C")], max_indegree=limit)


def test_the_limit_of_a_variable_counts_before_that_of_the_others():
    Knowledge(required=[("A", "C"), ("B", "C")], max_indegree={None: 1, "C": 2})


@pytest.mark.parametrize("argument", ["required", "forbidden"])
def test_an_arc_from_a_variable_to_itself_is_refused(argument):
    with pytest.raises(InputError, match=rf"^{argument}: \('A', 'A'\) leads from 'A' to itself"):
        Knowledge(**{argument: [("A", "A")]})


@pytest.mark.parametrize("argument", ["required", "forbidden"])
@pytest.mark.parametrize(
    "arcs",
    [
        ("A", "B"),
        "A:B",
        3,
        None,
        {("A", "B"): 0.5},
        [("A",)],
        [("A", "B", "C")],
        [{"A", "B"}],
        [("A", 1)],
        [("A", "")],
        [("A", None)],
    ],
)
def test_malformed_arcs_are_refused_by_the_name_of_the_argument(argument, arcs):
    with pytest.raises(InputError, match=f"^{argument}"):
        Knowledge(**{argument: arcs})


@pytest.mark.parametrize(
    "tiers", ["AB", ["A", "B"], 3, None, [["A"], 3], [["A"], []], [["A", 1]], [[""]], {("A",), ("B",)}, {"A": ["B"]}]
)
def test_malformed_tiers_are_refused(tiers):
    with pytest.raises(InputError, match=r"^tiers"):
        Knowledge(tiers=tiers)


@pytest.mark.parametrize(
    "limit",
    [-1, 2.0, True, "3", {"A": -1}, {"A": None}, {"A": 1.5}, {1: 1}, [3, 4], [("A", 1, 2)], [("A", 1), ("A", 2)]],
)
def test_malformed_limits_are_refused(limit):
    with pytest.raises(InputError, match=r"^max_indegree"):
        Knowledge(max_indegree=limit)


@given(dags_with_knowledge())
def test_the_required_arcs_alone_always_obey(drawn):
    dag, knowledge = drawn
    assert knowledge.violations(DAG.from_arcs(knowledge.required, dag.names)) == []


def test_merging_joins_arcs_and_takes_the_smaller_limit():
    a = Knowledge([("A", "B")], [("C", "A")], [["A"], ["B"]], 3)
    b = Knowledge([("B", "C")], max_indegree=2)
    both = Knowledge([("A", "B"), ("B", "C")], [("C", "A")], [["A"], ["B"]], 2)
    assert a | b == both
    assert b.merge(a) == both
    assert a | Knowledge() == a
    assert a | a == a


@pytest.mark.parametrize(
    ("one", "other", "merged"),
    [
        (None, {"A": 1}, {"A": 1}),
        ({"A": 1, "B": 3}, {"B": 2, "C": 0}, {"A": 1, "B": 2, "C": 0}),
        (3, {"A": 1, "B": 5}, {None: 3, "A": 1, "B": 3}),
        ({None: 2, "A": 4}, {None: 3, "B": 5}, {None: 2, "A": 3, "B": 2}),
    ],
)
def test_merging_takes_the_smaller_limit_of_every_variable(one, other, merged):
    for a, b in ((one, other), (other, one)):
        assert Knowledge(max_indegree=a) | Knowledge(max_indegree=b) == Knowledge(max_indegree=merged)


def test_different_tiers_merge_into_the_arcs_that_they_forbid():
    merged = Knowledge(tiers=[["A"], ["B"]]) | Knowledge(tiers=[["B"], ["C"]])
    assert merged == Knowledge(forbidden=[("B", "A"), ("C", "B")])


def test_contradictions_between_two_are_named_when_they_merge():
    with pytest.raises(InputError, match="the arc A -> B is in both"):
        Knowledge([("A", "B")]) | Knowledge(forbidden=[("A", "B")])
    with pytest.raises(InputError, match="cycle"):
        Knowledge([("A", "B")]) | Knowledge([("B", "A")])
    with pytest.raises(InputError, match="tiers: 'A' comes before 'B' in one and after it in the other"):
        Knowledge(tiers=[["A"], ["B"]]) | Knowledge(tiers=[["B"], ["X"], ["A"]])
    # Tiers that are different, and so become forbidden arcs, still contradict a required one.
    with pytest.raises(InputError, match="the arc B -> A is in both"):
        Knowledge([("B", "A")], tiers=[["C"], ["D"]]) | Knowledge(tiers=[["A"], ["B"]])


def test_only_knowledge_merges_with_knowledge():
    with pytest.raises(TypeError):
        Knowledge() | {"A"}


@given(st.data())
def test_a_dag_obeys_merged_knowledge_exactly_if_it_obeys_both(data):
    dag, one = data.draw(dags_with_knowledge())
    other = data.draw(knowledge_of(data.draw(dags(len(dag), len(dag)))))
    try:
        both = one | other
    except InputError:
        assume(False)
    assert both.allows(dag) == (one.allows(dag) and other.allows(dag))
    assert both == other | one


@given(st.data())
def test_truths_about_one_dag_merge_unless_their_tiers_disagree(data):
    dag = data.draw(dags())
    one, other, third = (data.draw(knowledge_of(dag)) for _ in range(3))
    try:
        merged = one | other | third
    except InputError as error:  # nothing but two orders in time of variables that are not joined
        assert str(error).startswith("tiers")  # noqa: PT017
        return
    assert merged.allows(dag)


def test_what_is_known_is_described_in_words():
    known = Knowledge([("A", "B")], [("C", "A"), ("B", "C")], [["A"], ["B", "C"]], {"B": 1, None: 3})
    assert known.describe() == (
        "required A -> B; forbidden B -> C, C -> A; tiers A before B, C; at most 3 parents of a variable; "
        "at most 1 parents of B"
    )
    assert Knowledge().describe() == "nothing"
