"""Counting the DAGs of a class, against listing them."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest

from naive import classes, graphs
from veridag import DAG, PDAG, InputError, InvalidGraph, class_size
from veridag.graph.members import counting
from veridag.graph.members.counting import count_members
from veridag.graph.members.orienting import orientations_at


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_size_of_every_class_of_few_variables_is_the_number_of_its_dags(n: int) -> None:
    for members in graphs.equivalence_classes(n).values():
        pdag = PDAG.from_adjacency(graphs.matrix(n, graphs.cpdag(members)))
        assert class_size(pdag) == len(members)


@pytest.mark.medium
def test_the_sizes_of_the_classes_of_five_variables() -> None:
    for members in graphs.equivalence_classes(5).values():
        assert class_size(PDAG.from_adjacency(graphs.matrix(5, graphs.cpdag(members)))) == len(members)


def chordal(n: int, more: int, seed: int) -> PDAG:
    """A connected chordal graph: each variable is joined with a clique of earlier ones."""
    rng = np.random.default_rng(seed)
    u = np.zeros((n, n), bool)
    for v in range(1, n):
        w = int(rng.integers(v))
        clique = [w]
        for other in rng.permutation(v)[:more].tolist():
            if other != w and all(u[other, c] for c in clique):
                clique.append(other)
        u[v, clique] = u[clique, v] = True
    return PDAG.from_adjacency(u)


@pytest.mark.parametrize("seed", range(12))
def test_the_size_of_a_chordal_graph_is_the_number_of_its_orientations(seed: int) -> None:
    pdag = chordal(6, 1 + seed % 3, seed)
    assert class_size(pdag) == len(classes.members(pdag.adjacency))


@pytest.mark.parametrize("seed", range(12))
def test_known_directions_leave_the_dags_that_have_them(seed: int) -> None:
    pdag = chordal(6, 4, seed)
    known = np.random.default_rng(seed).permutation(len(pdag.edges))[: 1 + seed % 3]
    directed = pdag.extension()
    a = pdag.adjacency.copy()
    for k in known:
        i, j = (pdag.index(name) for name in pdag.edges[k])
        a[(j, i) if directed.adjacency[i, j] else (i, j)] = False
    v_structures = len(pdag.v_structures())
    closed = PDAG.from_adjacency(a).meek()
    if len(closed.v_structures()) == v_structures:  # arcs far apart may be one, which the members would all have
        assert class_size(closed) == len(classes.members(closed.adjacency))


def test_complete_graphs_trees_and_large_classes() -> None:
    n = 12
    complete = PDAG.from_adjacency(~np.eye(n, dtype=bool))
    assert class_size(complete) == factorial(n)
    chain = PDAG.from_arcs([], [(f"X{i}", f"X{i + 1}") for i in range(40)])
    assert class_size(chain) == 41
    # Two cliques of 10 that share 5: orders of both, without those counted twice.
    u = np.zeros((15, 15), bool)
    u[:10, :10] = u[5:, 5:] = True
    np.fill_diagonal(u, False)
    shared, own = factorial(5), factorial(10)
    expected = 2 * own * shared - shared * shared * shared
    assert class_size(PDAG.from_adjacency(u)) == expected


def test_a_dag_stands_for_its_class() -> None:
    assert class_size(DAG.from_modelstring("[A][B|A][C|B]")) == 3
    assert class_size(DAG.from_modelstring("[A][C][B|A:C]")) == 1


@pytest.mark.medium
def test_the_parent_sets_of_any_variable_divide_a_large_class() -> None:
    pdag = chordal(40, 6, 1)
    for v in (0, 7, 39):
        parts = [count_members(one.graph) for one in orientations_at(pdag.adjacency, v)]
        assert len(parts) > 1
        assert sum(parts) == class_size(pdag) > 10_000


def test_what_has_no_dags_cannot_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    square = PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")])
    with pytest.raises(InputError, match="graph: no DAG extends"):
        class_size(square)
    with pytest.raises(InputError, match="a DAG or a PDAG is needed, not a str"):
        class_size("A")  # type: ignore[arg-type]
    assert issubclass(InvalidGraph, InputError)
    monkeypatch.setattr(counting, "MAX_BRANCHES", 0)
    inside = PDAG.from_arcs([("A", "B")], [("A", "C"), ("B", "C"), ("B", "D"), ("C", "D"), ("A", "D")])
    with pytest.raises(InputError, match=r"too large to count.*graph\.cpdag\(\)"):
        class_size(inside)
