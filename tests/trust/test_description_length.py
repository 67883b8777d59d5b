from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import few
from veridag import DAG
from veridag.data import Column, Data
from veridag.data.discretization import Quantile, cut
from veridag.trust.description_length import Candidates, best_edges, description_length

GRAPHS = ["[X][Y|X][Z]", "[Y][X|Y][Z|X:Y]", "[Z][Y|Z][X|Y:Z]", "[X][Z][Y|X:Z]", "[X][Y][Z]"]


def cut_at(column: Column, weights, edges) -> Column:
    return cut(column, weights, np.array(edges, dtype=float), Quantile())[0]


@st.composite
def cases(draw):
    """A column X with few candidate edges, two discrete columns that depend on it, weights, a network and most bins."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(8, 60))
    x = np.round(rng.uniform(0, 6, n)) + 0.0
    x[:2] = 0, 6
    y = ((x > 2) ^ (rng.uniform(size=n) < 0.2)).astype(int) + (x > 4)
    z = ((y > 0) ^ (rng.uniform(size=n) < 0.3)).astype(int)
    weights = rng.integers(1, 5, n) if draw(st.booleans()) else None
    columns = (
        Column.continuous("X", x),
        Column.discrete("Y", y, ("a", "b", "c")),
        Column.discrete("Z", z, ("u", "v", "never")),
    )
    dag = DAG.from_modelstring(draw(st.sampled_from(GRAPHS)))
    return columns, weights, dag, draw(st.integers(2, 4))


@few
@given(cases())
def test_the_best_edges_are_those_of_all_choices(case):
    (x, y, z), weights, dag, most = case
    candidates = Candidates(x, np.unique(x.values)[:-1])

    def length(edges):
        return description_length(dag, Data([cut_at(x, weights, edges), y, z], weights), {"X": candidates})

    current = candidates.edges[:1]
    data = Data([cut_at(x, weights, current), y, z], weights)
    found, spared = best_edges(candidates, current, dag, data, most)
    choices = [c for k in range(1, most) for c in combinations(candidates.edges, k)]
    assert length(found) == pytest.approx(min(map(length, choices)))
    assert spared == pytest.approx(length(current) - length(found), abs=1e-6)


def test_the_description_length_is_that_of_the_formula():
    x = Column.continuous("X", np.array([1.0, 2, 3, 4]))
    candidates = Candidates(x, np.array([1.0, 2, 3]))
    data = Data([cut_at(x, None, [2.0])])
    bic = 4 * np.log(1 / 2) - np.log(4) / 2
    entropy = 4 * np.log(2)
    expected = -bic + np.log(3) + np.log(4) - entropy  # one of three edges, and one of four numbers of bins
    assert description_length(DAG.empty(["X"]), data, {"X": candidates}) == pytest.approx(expected)


def test_edges_stay_as_they_are_if_none_are_better():
    x = Column.continuous("X", np.array([1.0, 2, 3, 4] * 10))
    y = Column.discrete("Y", np.array([0, 0, 1, 1] * 10), ("a", "b"))
    dag = DAG.from_modelstring("[X][Y|X]")
    candidates, current = Candidates(x, np.array([1.0, 2, 3])), np.array([2.0])
    found, spared = best_edges(candidates, current, dag, Data([cut_at(x, None, current), y]), 4)
    assert (found.tolist(), spared) == ([2.0], 0.0)
