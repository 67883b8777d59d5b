from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive import graphs as naive

NAMES = ["A", "B", "C", "D"]
TRUTH = vd.DAG.from_arcs([("A", "B"), ("B", "C"), ("C", "D")], NAMES)


def counts(found):
    return found.tp, found.fp, found.fn


def test_dags_are_compared_arc_by_arc():
    estimate = vd.DAG.from_arcs([("A", "B"), ("C", "B"), ("A", "D")], NAMES)
    found = vd.confusion(TRUTH, estimate)
    assert counts(found.arcs) == (1, 2, 2)  # A -> B is right; C -> B is reversed, A -> D spurious, C -> D missing
    assert counts(found.adjacencies) == (2, 1, 1)
    assert (found.arcs.precision, found.arcs.recall, found.arcs.f1) == (1 / 3, 1 / 3, 1 / 3)
    assert (found.adjacencies.precision, found.adjacencies.recall, found.adjacencies.f1) == (2 / 3, 2 / 3, 2 / 3)


def test_with_a_pdag_both_are_taken_for_their_classes():
    reversed_chain = vd.DAG.from_arcs([("D", "C"), ("C", "B"), ("B", "A")], NAMES)
    assert counts(vd.confusion(TRUTH, reversed_chain).arcs) == (0, 3, 3)
    assert counts(vd.confusion(TRUTH, reversed_chain.cpdag()).arcs) == (3, 0, 0)
    assert counts(vd.confusion(TRUTH.cpdag(), reversed_chain).arcs) == (3, 0, 0)


def test_an_undirected_edge_is_neither_of_the_two_arcs():
    collider = vd.DAG.from_arcs([("A", "C"), ("B", "C")])
    fork = vd.DAG.from_arcs([("C", "A"), ("C", "B")], collider.names)
    found = vd.confusion(collider, fork.cpdag())
    assert counts(found.arcs) == (0, 2, 2)
    assert counts(found.adjacencies) == (2, 0, 0)


def test_nothing_found_is_precise_and_nothing_to_find_is_recalled():
    empty = vd.DAG.empty(NAMES)
    nothing_found, nothing_there, nothing = (
        vd.confusion(a, b).arcs for a, b in ((TRUTH, empty), (empty, TRUTH), (empty, empty))
    )
    assert (nothing_found.precision, nothing_found.recall, nothing_found.f1) == (1, 0, 0)
    assert (nothing_there.precision, nothing_there.recall, nothing_there.f1) == (0, 1, 0)
    assert (nothing.precision, nothing.recall, nothing.f1) == (1, 1, 1)


def test_counts_are_those_of_sets():
    rng = np.random.default_rng(5)
    dags = naive.all_dags(4)
    for a, b in rng.choice(543, (200, 2)):
        true, estimated = dags[a], dags[b]
        found = vd.confusion(*(vd.DAG.from_adjacency(naive.matrix(4, arcs)) for arcs in (true, estimated)))
        for part, x, y in (
            (found.arcs, true, estimated),
            (found.adjacencies, naive.skeleton(true), naive.skeleton(estimated)),
        ):
            assert counts(part) == (len(x & y), len(y - x), len(x - y))
            mean = 2 * part.precision * part.recall / ((part.precision + part.recall) or 1)
            assert np.isclose(part.f1, mean)


@pytest.mark.medium
def test_a_misoriented_pair_is_a_false_positive_and_a_false_negative():
    rng = np.random.default_rng(6)
    dags = naive.all_dags(4)
    for a, b in rng.choice(543, (200, 2)):
        truth, estimate = (vd.DAG.from_adjacency(naive.matrix(4, dags[k])).cpdag() for k in (a, b))
        found, parts = vd.confusion(truth, estimate), vd.shd_parts(truth, estimate)
        assert found.arcs.fp == parts.spurious + parts.misoriented
        assert found.arcs.fn == parts.missing + parts.misoriented
        assert (found.adjacencies.fp, found.adjacencies.fn) == (parts.spurious, parts.missing)
