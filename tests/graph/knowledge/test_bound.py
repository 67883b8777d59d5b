from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from naive import graphs as naive
from strategies.knowledge import dags_with_knowledge, is_barred, limit_of
from veridag import DAG, InputError
from veridag.graph.knowledge import BoundKnowledge, Knowledge


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
    with pytest.raises(InputError, match="'A' occurs 2 times"):
        Knowledge().bind(["A", "A"])


@given(dags_with_knowledge())
def test_what_is_bound_is_what_was_said(drawn):
    dag, knowledge = drawn
    bound = knowledge.bind(dag.names)
    for (i, u), (j, v) in product(enumerate(dag.names), repeat=2):
        assert bound.required[i, j] == ((u, v) in knowledge.required)
        assert bound.forbidden[i, j] == (u == v or is_barred(knowledge, u, v))
    assert bound.max_indegree.tolist() == [min(limit_of(knowledge, v), len(dag) - 1) for v in dag.names]


def test_an_isolated_variable_has_no_arc_in_either_direction():
    bound = Knowledge(isolated=["B"]).bind(["A", "B", "C"])
    assert bound.forbidden.tolist() == [[True, True, False], [True, True, True], [False, True, True]]
