"""The sets of parents that a variable has in the DAGs of a class, against listing the DAGs."""

from __future__ import annotations

import numpy as np
import pytest

from naive import classes, graphs
from veridag import PDAG, InputError, random_dag
from veridag.graph.members import orienting
from veridag.graph.members.counting import count_members
from veridag.graph.members.orienting import orientations_at


def check(a: np.ndarray) -> None:
    members = classes.members(a)
    for v in range(len(a)):
        found = orientations_at(a, v)
        wanted = {classes.parents(arcs, v) for arcs in members}
        assert [o.parents for o in found].count(frozenset()) <= 1
        assert {o.parents for o in found} == wanted
        assert len(found) == len(wanted)
        for o in found:
            own = [arcs for arcs in members if classes.parents(arcs, v) == o.parents]
            assert frozenset(map(tuple, np.argwhere(o.graph).tolist())) == frozenset().union(*own)
            assert count_members(o.graph) == len(own)


def test_in_every_class_of_four_variables() -> None:
    for members in graphs.equivalence_classes(4).values():
        check(graphs.matrix(4, graphs.cpdag(members)).astype(bool))


@pytest.mark.parametrize("seed", range(10))
def test_in_classes_of_six_variables_some_with_known_directions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dag = random_dag(6, arcs=int(rng.integers(5, 11)), seed=seed)
    a = dag.cpdag().adjacency.copy()
    check(a)
    undirected = np.argwhere(a & a.T & dag.adjacency)
    for i, j in rng.permutation(undirected)[: 1 + seed % 2]:
        a[j, i] = False
        check(PDAG.from_adjacency(a).meek().adjacency)


def test_too_many_sets_of_parents_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orienting, "MAX_PARENT_SETS", 4)
    complete = ~np.eye(5, dtype=bool)
    with pytest.raises(InputError, match=r"variable 'A' has more than 4 possible sets of parents, among 4 neighbours"):
        orientations_at(complete, 0, "A")
