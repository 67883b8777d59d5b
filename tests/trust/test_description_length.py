from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from naive.missing import pnal, with_gaps
from strategies import few
from veridag import DAG, PNAL
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


@pytest.mark.parametrize("share", [0.0, 0.1])
@few
@given(cases(), st.integers(0, 1000))
def test_the_best_edges_are_those_of_all_choices(share, case, seed):
    columns, weights, dag, most = case
    x, y, z = with_gaps(Data(columns, weights), share, seed).columns
    candidates = Candidates(x, np.unique(x.present().values)[:-1])

    def length(edges):
        return description_length(dag, Data([cut_at(x, weights, edges), y, z], weights), {"X": candidates})

    current = candidates.edges[:1]
    assume(np.isfinite(length(current)))  # no family is hardly ever observed
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


def test_where_values_are_missing_it_goes_by_averages_of_what_is_observed():
    rng = np.random.default_rng(4)
    values = rng.integers(0, 6, 200).astype(float)
    y = Column.discrete("Y", (values > 2).astype(int) ^ (rng.uniform(size=200) < 0.1), ("a", "b"))
    x, y = with_gaps(Data([Column.continuous("X", values), y]), 0.15, 1).columns
    candidates = Candidates(x, np.arange(5.0))
    data = Data([cut_at(x, None, [2.0]), y])
    k = PNAL().penalty(data)
    network = pnal(data, "X", [], k) + pnal(data, "Y", ["X"], k)
    shares = np.bincount(data.columns[0].present().values) / data.where_observed(["X"]).n
    entropy = -200 * float(shares @ np.log(shares))
    expected = -network + np.log(5) + np.log(6) - entropy
    assert description_length(DAG.from_modelstring("[X][Y|X]"), data, {"X": candidates}) == pytest.approx(expected)


def test_edges_stay_as_they_are_if_none_are_better():
    x = Column.continuous("X", np.array([1.0, 2, 3, 4] * 10))
    y = Column.discrete("Y", np.array([0, 0, 1, 1] * 10), ("a", "b"))
    dag = DAG.from_modelstring("[X][Y|X]")
    candidates, current = Candidates(x, np.array([1.0, 2, 3])), np.array([2.0])
    found, spared = best_edges(candidates, current, dag, Data([cut_at(x, None, current), y]), 4)
    assert (found.tolist(), spared) == ([2.0], 0.0)
