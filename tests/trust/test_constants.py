from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag.data import Column


@pytest.fixture
def data() -> vd.Data:
    """A pair that is joined, a rare event, and two constants of which several states are declared."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 200)
    columns = [
        Column.discrete("A", a, "ab"),
        Column.discrete("B", (a ^ (rng.random(200) < 0.15)).astype(int), "ab"),
        Column.discrete("C", (rng.random(200) < 0.03).astype(int), "ab"),
        Column.discrete("K", np.zeros(200, int), "xyz"),
        Column.discrete("L", np.zeros(200, int), "wxyz"),
    ]
    return vd.Data(columns)


@pytest.fixture
def gaussian() -> vd.Data:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    values = {"X": x, "Y": x + rng.normal(size=200), "K": np.full(200, 5.0), "L": np.zeros(200)}
    return vd.Data([Column.continuous(name, column) for name, column in values.items()])


def joined(graph) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in (*graph.arcs, *graph.edges)}


@pytest.mark.parametrize("table", ["data", "gaussian"])
def test_learn_joins_no_constant_though_the_score_would(table, request):
    data = request.getfixturevalue(table)
    score = vd.BDeu() if table == "data" else vd.BGe()
    plain = vd.Tabu(score=score).learn(data)
    assert any({"K", "L"} & pair for pair in joined(plain.graph))  # as the score has it
    found = vd.learn(data)
    assert joined(found.graph) == {frozenset(data.names[:2])}
    assert found.notes == ("constant, so without arcs: 'K', 'L'",)


def test_a_network_with_parameters_joins_none_either(data):
    assert vd.learn_network(data, vd.Tabu(score=vd.BDeu(ess=10))).dag.neighbours("K") == ()


def test_a_required_arc_of_a_constant_stays(data):
    found = vd.learn(data, vd.Knowledge(required=[("K", "A")]))
    assert ("K", "A") in found.dag.arcs
    assert found.notes == ("constant, so without arcs: 'L'",)


def test_strengths_and_validations_join_no_constant(data):
    strengths = vd.bootstrap(data, vd.Tabu(score=vd.BDeu(ess=10)), repeats=3)
    assert not any({"K", "L"} & {arc.source, arc.target} for arc in strengths.arcs)
    learners = [vd.Tabu(score=vd.BDeu(ess=10)), vd.GES(score=vd.BDs())]
    found = vd.intersection_validation(data, learners, sizes=[100], repeats=1)
    assert all(learner.cpdag.neighbours("K") == () for learner in found.learners)
    assert found.knowledge is None  # nobody said anything


def test_rows_of_weight_zero_are_no_observations():
    values = Column.discrete("A", np.array([0, 0, 1]), "ab")
    other = Column.discrete("B", np.array([0, 1, 1]), "ab")
    assert vd.Data([values, other]).constants == ()
    assert vd.Data([values, other], weights=np.array([2, 1, 0])).constants == ("A",)


def test_what_is_known_must_be_knowledge(data):
    with pytest.raises(vd.InputError, match=r"^knowledge=\[\] must be a Knowledge"):
        vd.bootstrap(data, vd.Tabu(), 1, knowledge=[])
