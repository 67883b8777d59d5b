from __future__ import annotations

import pickle
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from naive import graphs as naive
from veridag import DAG, PDAG, InputError, InvalidGraph
from veridag.graph.knowledge import BoundKnowledge, Knowledge, parse_arc

NAMES = "ABCDE"


@st.composite
def dags(draw: st.DrawFn, min_nodes: int = 0, max_nodes: int = 5) -> DAG:
    """Variables are A, B, ... in any column order, whatever the order of the arcs."""
    n = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations(NAMES[:n]))
    pairs = list(combinations(order, 2))
    there = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    arcs = [pair for pair, is_there in zip(pairs, there, strict=True) if is_there]
    return DAG.from_arcs(arcs, draw(st.permutations(NAMES[:n])))


def subset(draw: st.DrawFn, items: list) -> list:
    kept = draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
    return [item for item, is_kept in zip(items, kept, strict=True) if is_kept]


@st.composite
def knowledge_of(draw: st.DrawFn, dag: DAG) -> Knowledge:
    """Some of what is true of the DAG."""
    arcs = set(dag.arcs)
    others = [pair for pair in product(sorted(dag.names), repeat=2) if pair not in arcs and pair[0] != pair[1]]
    ranks = {name: draw(st.integers(0, 2)) for name in dag.topological_order()}
    rank, tiers = 0, {}
    for name in dag.topological_order():  # ranks that only rise along the order
        rank = max(rank, ranks[name])
        tiers.setdefault(rank, []).append(name)
    tiers = [kept for tier in tiers.values() if (kept := subset(draw, tier))]
    limits = {name: len(dag.parents(name)) + draw(st.integers(0, 1)) for name in dag.names}
    by_name = {name: limits[name] for name in subset(draw, sorted(dag.names))}
    limit = draw(st.sampled_from([None, max(limits.values(), default=0), by_name]))
    return Knowledge(subset(draw, sorted(arcs)), subset(draw, others), tiers, limit)


@st.composite
def dags_with_knowledge(draw: st.DrawFn) -> tuple[DAG, Knowledge]:
    """A DAG, and knowledge that is true of another DAG on the same variables."""
    dag = draw(dags(min_nodes=1))
    return dag, draw(knowledge_of(draw(dags(len(dag), len(dag)))))


def limit_of(knowledge: Knowledge, name: str) -> float:
    if knowledge.max_indegree is None:
        return np.inf
    if isinstance(knowledge.max_indegree, int):
        return knowledge.max_indegree
    limits = dict(knowledge.max_indegree)
    return limits.get(name, limits.get(None, np.inf))


def is_barred(knowledge: Knowledge, u: str, v: str) -> bool:
    """By the definition: forbidden, or v in a tier before that of u."""
    before = any(v in early and u in late for early, late in combinations(knowledge.tiers, 2))
    return before or (u, v) in knowledge.forbidden


def broken(knowledge: Knowledge, dag: DAG) -> tuple[list, list, list]:
    """Required arcs that are missing, arcs that are barred, variables with too many parents."""
    arcs = sorted(dag.arcs)
    return (
        [arc for arc in knowledge.required if arc not in arcs],
        [(u, v) for u, v in arcs if is_barred(knowledge, u, v)],
        [v for v in sorted(dag.names) if sum(b == v for _, b in arcs) > limit_of(knowledge, v)],
    )


# ---- a value


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


# ---- contradictions


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
    with pytest.raises(InputError, match=r"max_indegree: 'C' has 2 required parents \(A, B\) but may have 1"):
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


# ---- binding to variables


def test_binding_gives_matrices_from_row_to_column():
    knowledge = Knowledge([("A", "B")], [("C", "B")], [["B"], ["D"]], {"B": 1})
    bound = knowledge.bind(["D", "C", "B", "A"])
    assert isinstance(bound, BoundKnowledge)
    assert bound.names == ("D", "C", "B", "A")
    assert naive.arcs_of(bound.required) == {(3, 2)}
    assert naive.arcs_of(bound.forbidden) == {(0, 0), (1, 1), (2, 2), (3, 3), (1, 2), (0, 2)}
    assert bound.max_indegree.tolist() == [3, 3, 1, 3]
    assert (bound.required.dtype, bound.forbidden.dtype, bound.max_indegree.dtype) == (bool, bool, np.int64)


def test_no_knowledge_forbids_nothing_but_the_diagonal():
    bound = Knowledge().bind(["A", "B", "C"])
    assert not bound.required.any()
    assert (bound.forbidden == np.eye(3, dtype=bool)).all()
    assert bound.max_indegree.tolist() == [2, 2, 2]


def test_a_limit_beyond_the_other_variables_is_no_limit():
    assert Knowledge(max_indegree=9).bind(["A", "B"]).max_indegree.tolist() == [1, 1]
    assert Knowledge(max_indegree={None: 1, "B": 0}).bind(["A", "B", "C"]).max_indegree.tolist() == [1, 0, 1]


def test_tables_of_one_variable_or_none_can_be_bound():
    assert Knowledge(max_indegree=2).bind(["A"]).max_indegree.tolist() == [0]
    assert Knowledge().bind([]).required.shape == (0, 0)


@pytest.mark.parametrize("array", ["required", "forbidden", "max_indegree"])
def test_what_is_bound_cannot_be_written_to(array):
    with pytest.raises(ValueError, match="read-only"):
        getattr(Knowledge().bind(["A", "B"]), array)[0] = 0


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("required", [("smoke", "cancer")]),
        ("forbidden", [("cancer", "smoke")]),
        ("tiers", [["smoke"]]),
        ("max_indegree", {"smoke": 1}),
    ],
)
def test_a_name_that_the_data_lacks_is_refused_with_the_nearest(argument, value):
    knowledge = Knowledge(**{argument: value})
    message = f"^{argument}: there is no variable 'smoke': did you mean 'smoker'"
    with pytest.raises(InputError, match=message):
        knowledge.bind(["smoker", "cancer"])
    with pytest.raises(InputError, match=message):
        knowledge.violations(DAG.empty(["smoker", "cancer"]))


def test_names_given_twice_are_refused():
    with pytest.raises(InputError, match="'A' is there 2 times"):
        Knowledge().bind(["A", "A"])


@given(dags_with_knowledge())
def test_what_is_bound_is_what_was_said(drawn):
    dag, knowledge = drawn
    bound = knowledge.bind(dag.names)
    for (i, u), (j, v) in product(enumerate(dag.names), repeat=2):
        assert bound.required[i, j] == ((u, v) in knowledge.required)
        assert bound.forbidden[i, j] == (u == v or is_barred(knowledge, u, v))
    assert bound.max_indegree.tolist() == [min(limit_of(knowledge, v), len(dag) - 1) for v in dag.names]


# ---- violations


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
    with pytest.raises(InputError, match=r"^graph: violations are those of a DAG"):
        Knowledge().violations(graph)


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


# ---- merging


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


# ---- text


@pytest.mark.parametrize(
    ("text", "arc"),
    [
        ("A:B", ("A", "B")),
        (" age : blood pressure ", ("age", "blood pressure")),
        ("A->B", ("A", "B")),
        ("A -> B", ("A", "B")),
        ("ns:a->ns:b", ("ns:a", "ns:b")),
        ("x-1:y>2", ("x-1", "y>2")),
    ],
)
def test_an_arc_is_read_in_both_forms(text, arc):
    assert parse_arc(text) == arc


@pytest.mark.parametrize("text", ["", "A", "A:", ":B", "A:B:C", "A->B->C", "->", "A-> ", "A B", "A,B", "A<-B"])
def test_text_that_is_no_arc_is_refused_with_the_form(text):
    with pytest.raises(InputError, match="FROM:TO, or as FROM->TO"):
        parse_arc(text)


def test_a_file_of_tiers_is_read_a_tier_a_line(tmp_path):
    path = tmp_path / "tiers.txt"
    path.write_bytes(
        "\ufeff# what happens when\r\n"
        "age, sex , blood group\r\n"
        "\r\n"
        "  # later\n"
        'smoker,item#1 # a comment, with a comma and a "quote\n'
        '"income, yearly", "the #1 ""hit""" # comment\n'
        "  Größe".encode()
    )
    assert Knowledge.read_tiers(path) == Knowledge(
        tiers=[["age", "sex", "blood group"], ["smoker", "item#1"], ["income, yearly", 'the #1 "hit"'], ["Größe"]]
    )
    assert Knowledge.read_tiers(str(path)) == Knowledge.read_tiers(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("A\n\nB,,C\n", "line 3: a name is missing before or after a comma"),
        ("A\nB,\n", "line 2: a name is missing"),
        (",A\n", "line 1: a name is missing"),
        ("A,B\n# no\nC, A\n", "line 3: 'A' is in line 1 already"),
        ("A\nB,B\n", "line 2: 'B' is in line 2 already"),
        ('A\n"B, C\n', "line 2: the quotes do not match"),
        ('"A" b, C\n', "line 1: the quotes do not match"),
        ("# nothing\n\n", "there is no tier in it"),
        ("", "there is no tier in it"),
    ],
)
def test_a_mistake_in_a_file_of_tiers_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "tiers.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        Knowledge.read_tiers(path)
    assert "tiers.txt" in str(caught.value)


def test_a_file_of_tiers_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "tiers.txt"
    path.write_bytes("A\nGröße\n".encode("latin-1"))
    with pytest.raises(InputError, match="line 2: the text is not in UTF-8"):
        Knowledge.read_tiers(path)


def test_a_file_of_tiers_that_cannot_be_read_is_an_input_error(tmp_path):
    (tmp_path / "tiers.txt").write_text("A")
    with pytest.raises(InputError, match=r"no such file; did you mean 'tiers.txt'"):
        Knowledge.read_tiers(tmp_path / "tier.txt")
    with pytest.raises(InputError, match="no such file"):
        Knowledge.read_tiers(tmp_path / "absent" / "tiers.txt")
    with pytest.raises(InputError, match="cannot be read"):
        Knowledge.read_tiers(tmp_path)


# ---- directing the edges of a PDAG


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
