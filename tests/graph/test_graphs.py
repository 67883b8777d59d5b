from __future__ import annotations

import pickle
from itertools import combinations, pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from naive import graphs as naive
from veridag import DAG, PDAG, InputError, InvalidGraph, PartialGraph
from veridag.graph import read_graph

ORACLE = oracle.load("graphs")
CASES = [(case["names"], graph) for case in ORACLE for graph in case["graphs"]]


def dag_of(n: int, arcs: naive.Arcs) -> DAG:
    return DAG.from_adjacency(naive.matrix(n, arcs))


@st.composite
def dags(draw: st.DrawFn, max_nodes: int = 9) -> DAG:
    n = draw(st.integers(0, max_nodes))
    order = draw(st.permutations(range(n)))
    chosen = draw(st.lists(st.booleans(), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    a = np.zeros((n, n), bool)
    for (i, j), there in zip(combinations(range(n), 2), chosen, strict=True):
        a[order[i], order[j]] = there
    return DAG.from_adjacency(a)


@st.composite
def partial_graphs(draw: st.DrawFn, n: int = 5) -> PartialGraph:
    kinds = draw(st.lists(st.integers(0, 4), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    a, s = np.zeros((n, n), bool), np.ones((n, n), bool)
    for (i, j), kind in zip(combinations(range(n), 2), kinds, strict=True):
        a[i, j], a[j, i] = kind in (1, 3), kind in (2, 3)
        s[i, j] = s[j, i] = kind != 4
    return PartialGraph(tuple("ABCDEFGH"[:n]), a, s)


# ---- construction


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
        (lambda: DAG.from_arcs([("A", "B")], ["A", "B", "A"]), "'A' is there 2 times"),
        (lambda: DAG.from_arcs([], ["A", ""]), "non-empty"),
        (lambda: DAG.from_arcs(["AB"]), "an arc is a pair"),
        (lambda: DAG.from_arcs([("A", "B", "C")]), "an arc is a pair"),
        (lambda: DAG.from_arcs([1, 2]), "an arc is a pair .*, not 1"),
        (lambda: DAG.from_arcs([{"A", "B"}]), "an arc is a pair"),
        (lambda: DAG.from_arcs([("A", ["B"])]), "names, which are texts"),
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
        (lambda: DAG.from_arcs([("A", "B")]).reorder(["A"]), "own 2 variables"),
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


# ---- structure, against the definitions


def test_there_are_543_and_29281_dags():
    assert len(naive.all_dags(4)) == 543
    assert len(naive.all_dags(5)) == 29281


@pytest.mark.parametrize("n", [3, 4, 5])
def test_cpdag_is_the_union_of_the_equivalence_class(n):
    for members in naive.equivalence_classes(n).values():
        expected = naive.cpdag(members)
        for dag in members:
            assert naive.arcs_of(dag_of(n, dag).cpdag().adjacency) == expected


def test_there_are_185_and_8782_equivalence_classes():
    assert len({dag_of(4, dag).cpdag() for dag in naive.all_dags(4)}) == 185
    assert len({dag_of(5, dag).cpdag() for dag in naive.all_dags(5)}) == 8782


def all_pdags(n: int):
    pairs = list(combinations(range(n), 2))
    for kinds in product((0, 1, 2, 3), repeat=len(pairs)):
        arcs = {(i, j) for (i, j), kind in zip(pairs, kinds, strict=True) if kind & 1}
        yield frozenset(arcs | {(j, i) for (i, j), kind in zip(pairs, kinds, strict=True) if kind & 2})


def check_pdag(n: int, arcs: naive.Arcs) -> None:
    pdag = PDAG.from_adjacency(naive.matrix(n, arcs))
    possible = naive.extensions(n, arcs)
    problem = pdag.why_invalid()
    assert (problem is None) == bool(possible)
    assert pdag.is_cpdag() == (
        bool(possible) and naive.cpdag(naive.equivalence_classes(n)[naive.equivalence_class_key(arcs)]) == arcs
    )
    if problem is None:
        assert naive.arcs_of(pdag.extension().adjacency) in possible
        # Meek's rules leave undirected exactly what differs between extensions.
        assert naive.arcs_of(pdag.meek().adjacency) == naive.cpdag(tuple(possible))
    else:
        assert_shows_invalid(pdag, problem)
        with pytest.raises(InvalidGraph):
            pdag.extension()


def assert_shows_invalid(pdag: PDAG, problem: InvalidGraph) -> None:
    """The variables of the witness alone have no extension either."""
    inside = [pdag.index(name) for name in dict.fromkeys(problem.witness)]
    part = naive.arcs_of(pdag.adjacency[np.ix_(inside, inside)])
    assert not naive.extensions(len(inside), part)


def test_extension_validity_and_meek_closure_for_every_pdag_on_4_nodes():
    for arcs in all_pdags(4):
        check_pdag(4, arcs)


@pytest.mark.slow
def test_extension_validity_and_meek_closure_for_many_pdags_on_5_nodes():
    rng = np.random.default_rng(5)
    pairs = list(combinations(range(5), 2))
    for kinds in rng.integers(0, 4, (40_000, len(pairs))):
        chosen = zip(pairs, kinds, strict=True)
        arcs = frozenset(arc for (i, j), kind in chosen for arc in (((i, j),) * (kind & 1) + ((j, i),) * (kind >> 1)))
        check_pdag(5, arcs)


def check_d_separation(n: int, arcs: naive.Arcs) -> None:
    dag = dag_of(n, arcs)
    for x, y in combinations(range(n), 2):
        rest = [v for v in range(n) if v not in (x, y)]
        for size in range(len(rest) + 1):
            for z in combinations(rest, size):
                found = dag.d_separated(dag.names[x], dag.names[y], [dag.names[v] for v in z])
                assert found == naive.d_separated(n, arcs, x, y, frozenset(z))


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


@given(dags(), st.randoms(use_true_random=False))
def test_cpdag_and_extension_do_not_depend_on_the_column_order(dag, random):
    names = list(dag.names)
    random.shuffle(names)
    other = dag.reorder(names)
    assert other == dag
    assert other.cpdag() == dag.cpdag()
    assert other.cpdag().extension() == dag.cpdag().extension()


@given(dags())
def test_the_extension_of_a_cpdag_is_equivalent(dag):
    completed = dag.cpdag()
    assert completed.is_cpdag()
    assert completed.cpdag() == completed
    assert completed.extension().is_equivalent(dag)
    assert completed.v_structures() == dag.v_structures()
    assert completed.skeleton() == dag.skeleton()


def test_an_invalid_pdag_names_its_witness():
    square = PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A"), ("D", "X")])
    problem = square.why_invalid()
    assert problem is not None
    assert set(problem.witness) == {"A", "B", "C", "D"}
    assert not square.is_cpdag()


def test_a_directed_cycle_is_the_witness_where_there_is_one():
    cyclic = PDAG.from_arcs([("A", "B"), ("B", "C"), ("C", "A")], [("C", "D")])
    problem = cyclic.why_invalid()
    assert problem is not None
    assert problem.witness[0] == problem.witness[-1]
    assert "cycle" in str(problem)


@pytest.mark.parametrize(("names", "graph"), CASES)
def test_cpdags_and_v_structures_agree_with_the_independent_implementation(names, graph):
    for which in "ab":
        dag = DAG.from_arcs([(names[i], names[j]) for i, j in graph[which]], names)
        expected = PDAG.from_arcs([(names[i], names[j]) for i, j in graph[f"cpdag_{which}"]], names=names)
        assert dag.cpdag() == expected
        if which == "a":
            assert len(dag.v_structures()) == graph["vstructs_a"]


def test_number_of_parameters_counts_free_ones():
    dag = DAG.from_arcs([("A", "C"), ("B", "C")])
    assert dag.nparams({"A": 2, "B": 3, "C": 4}) == 1 + 2 + 3 * 6


def test_number_of_parameters_does_not_overflow():
    names = [f"P{i}" for i in range(80)]
    dag = DAG.from_arcs([(name, "child") for name in names])
    assert dag.nparams(dict.fromkeys([*names, "child"], 10)) == 80 * 9 + 9 * 10**80


# ---- partial graphs


def test_strict_intersection_keeps_only_pairs_of_the_same_type():
    a = PDAG.from_arcs([("A", "B"), ("A", "C"), ("A", "D")], [("B", "C")], names=list("ABCDE"))
    b = PDAG.from_arcs([("A", "B"), ("C", "A")], [("B", "C"), ("A", "D")], names=list("EDCBA"))
    both = PartialGraph.from_graph(a) & b
    assert both.arcs == (("A", "B"),)
    assert both.edges == (("B", "C"),)
    assert both.undetermined == (("A", "C"), ("A", "D"))
    assert both.pair("A", "B") == "forward"
    assert both.pair("B", "A") == "backward"
    assert both.pair("C", "B") == "undirected"
    assert both.pair("D", "A") == "undetermined"
    assert both.pair("E", "A") == "none"
    assert both.size == pytest.approx(8 / 10)


@given(partial_graphs(), partial_graphs(), partial_graphs())
def test_strict_intersection_is_commutative_associative_and_idempotent(a, b, c):
    assert a & b == b & a
    assert (a & b) & c == a & (b & c)
    assert a & a == a


@given(partial_graphs(), partial_graphs())
def test_strict_intersection_follows_its_definition_pair_by_pair(a, b):
    both = a & b
    for x, y in combinations(a.names, 2):
        agreed = a.pair(x, y) == b.pair(x, y) != "undetermined"
        assert both.pair(x, y) == (a.pair(x, y) if agreed else "undetermined")


@given(partial_graphs(), dags(5))
def test_projection_shows_the_truth_on_determined_pairs_only(partial, dag):
    truth = PDAG(partial.names, np.zeros((5, 5), bool)) if len(dag) != 5 else PDAG(partial.names, dag.cpdag().adjacency)
    projected = partial.project(truth)
    whole = PartialGraph.from_graph(truth)
    for x, y in combinations(partial.names, 2):
        known = partial.pair(x, y) != "undetermined"
        assert projected.pair(x, y) == (whole.pair(x, y) if known else "undetermined")


def test_partial_graphs_refuse_what_does_not_fit_together():
    with pytest.raises(InputError, match="cannot be undetermined"):
        PartialGraph.from_arcs([("A", "B")], undetermined=[("A", "B")])
    with pytest.raises(InputError, match="symmetric"):
        PartialGraph(("A", "B"), np.zeros((2, 2), bool), np.triu(np.ones((2, 2), bool)))
    with pytest.raises(InputError, match="'B' is in only one"):
        PartialGraph.empty(["A", "B"]) & DAG.empty(["A", "C"])


# ---- in and out


@given(dags())
def test_a_dag_survives_every_notation(dag):
    assert DAG.from_adjacency(dag.adjacency.astype(int), dag.names) == dag
    for again in (
        DAG.from_networkx(dag.to_networkx()),
        DAG.from_modelstring(dag.to_modelstring()),
        DAG.from_dot(dag.to_dot()),
        DAG.from_arcs(dag.arcs, dag.names),
        read_graph(dag.to_json()),
    ):
        assert again == dag
        assert again.names == dag.names


@given(partial_graphs())
def test_partial_graphs_survive_every_notation(partial):
    assert PartialGraph.from_dot(partial.to_dot()) == partial
    assert PartialGraph.from_networkx(partial.to_networkx()) == partial
    assert PartialGraph.from_arcs(partial.arcs, partial.edges, partial.undetermined, partial.names) == partial
    assert read_graph(partial.to_json()) == partial
    plain = PDAG(partial.names, partial.adjacency)
    assert read_graph(plain.to_json()) == plain
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
        ('digraph { a -> "b" + "c" }', "joins 'b' to another text by '\\+'.*write one text"),
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
        read_graph(text)


def test_a_modelstring_refuses_names_it_cannot_hold():
    with pytest.raises(InputError, match="cannot be written as a modelstring"):
        DAG.empty(["a|b"]).to_modelstring()


def test_spaces_between_the_factors_of_a_modelstring_do_not_matter():
    assert DAG.from_modelstring(" [A] [B | A : C] [C]\n").to_modelstring() == "[A][B|A:C][C]"


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
