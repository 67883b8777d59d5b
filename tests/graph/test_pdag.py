from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from naive import graphs as naive
from strategies.graphs import dags
from veridag import DAG, PDAG, InvalidGraph

ORACLE = oracle.load("graphs")
CASES = [(case["names"], graph) for case in ORACLE for graph in case["graphs"]]


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


@pytest.mark.medium
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
