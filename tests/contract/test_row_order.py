"""Sums over rows: the order of the rows changes no bit of a score, a moment, a test or a graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive.missing import with_gaps
from strategies import few
from strategies.mixed import mixed_data
from veridag.counts import embedded_scatter, mean_vector, scatter_matrix
from veridag.criteria.scorer import Scorer
from veridag.data import Column, Data
from veridag.data.row_order import row_order

DISCRETE = [vd.LogLik(), vd.BIC(), vd.BDeu(ess=3), vd.BDs(), vd.K2(), vd.FNML(), vd.QNML(), vd.PNAL()]
GAUSSIAN = [vd.LogLik(), vd.BIC(), vd.BGe(), vd.BGe(T="scaled"), vd.PNAL(), vd.DegenerateGaussian()]
MIXED = [vd.LogLik(), vd.BIC(), vd.BCG(), vd.PNAL(), vd.DegenerateGaussian()]


def discrete(rng: np.random.Generator) -> Data:
    """Columns with so many states that families are counted by the keys of their rows."""
    arities = [2, 3, 40, 60, 200]
    columns = [
        Column.discrete(f"v{i}", rng.integers(0, r, 300).astype(np.uint8), [str(k) for k in range(r)])
        for i, r in enumerate(arities)
    ]
    return Data(columns)


def continuous(rng: np.random.Generator) -> Data:
    x = rng.normal(size=(300, 5)) @ rng.normal(size=(5, 5)) * 10.0 ** rng.integers(-3, 4, 5) + 100 * rng.normal(size=5)
    return Data([Column.continuous(f"v{i}", x[:, i]) for i in range(5)])


def mixed(rng: np.random.Generator) -> Data:
    return mixed_data(int(rng.integers(2**31)), 300, kinds="cddcc")


TABLES = {"discrete": (discrete, DISCRETE), "continuous": (continuous, GAUSSIAN), "mixed": (mixed, MIXED)}
FAMILIES = [
    (v, parents) for v in range(5) for parents in ((), (0,), (1, 2), (0, 2, 3), (0, 1, 3, 4)) if v not in parents
]


def tables(kind: str, seed: int, weighted: bool) -> tuple[Data, Data]:
    """A table, and the same with its rows in another order."""
    rng = np.random.default_rng(seed)
    data = TABLES[kind][0](rng)
    if weighted:
        data = Data(data.columns, rng.integers(0, 4, data.nrows))
    return data, data.rows(rng.permutation(data.nrows))


@pytest.mark.medium
@pytest.mark.parametrize("kind", TABLES)
@few
@given(seed=st.integers(0, 2**32), weighted=st.booleans())
def test_permuting_rows_changes_no_bit_of_a_score(kind, seed, weighted):
    data, other = tables(kind, seed, weighted)
    for score in TABLES[kind][1]:
        same, again = (Scorer(d, score).unbounded_many(FAMILIES) for d in (data, other))
        np.testing.assert_array_equal(same, again, err_msg=repr(score))
        readable, shuffled = (score.local(data.names[4], data.names[:2], d) for d in (data, other))
        assert readable == shuffled


@few
@given(seed=st.integers(0, 2**32), weighted=st.booleans())
def test_permuting_rows_changes_no_bit_of_a_moment(seed, weighted):
    data, other = tables("continuous", seed, weighted)
    np.testing.assert_array_equal(mean_vector(data), mean_vector(other))
    np.testing.assert_array_equal(scatter_matrix(data), scatter_matrix(other))
    data, other = tables("mixed", seed, weighted)
    np.testing.assert_array_equal(
        embedded_scatter(data, data.names, 1.0)[0], embedded_scatter(other, data.names, 1.0)[0]
    )


@few
@given(seed=st.integers(0, 2**32))
def test_permuting_rows_changes_no_bit_of_an_incomplete_score(seed):
    rng = np.random.default_rng(seed)
    for make in (discrete, continuous, mixed):
        data = with_gaps(make(rng), 0.2, seed)
        other = data.rows(rng.permutation(data.nrows))
        same, again = (Scorer(d, vd.PNAL()).unbounded_many(FAMILIES) for d in (data, other))
        np.testing.assert_array_equal(same, again)


@pytest.mark.parametrize("kind", TABLES)
def test_permuting_rows_changes_neither_graph_nor_score(kind):
    for seed in range(5):
        data, other = tables(kind, seed, weighted=False)
        results = [vd.Tabu(score=TABLES[kind][1][1]).learn(d) for d in (data, other)]
        assert results[0].dag == results[1].dag
        assert results[0].score == results[1].score


@pytest.mark.medium
@pytest.mark.parametrize("kind", TABLES)
def test_permuting_incomplete_rows_changes_no_bit_of_what_em_finds(kind):
    data, _ = tables(kind, 3, weighted=False)
    data = with_gaps(data.select(data.names[:2] if kind == "discrete" else data.names), 0.1, 1)
    other = data.rows(np.random.default_rng(1).permutation(data.nrows))
    learner = vd.StructuralEM(vd.HillClimbing(), max_iterations=2)
    results = [learner.learn(d, seed=1) for d in (data, other)]
    assert results[0].dag == results[1].dag
    assert results[0].score == results[1].score
    networks = [vd.fit(results[0].dag, d) for d in (data, other)]
    assert networks[0].fitted == networks[1].fitted


def test_columns_with_the_same_values_in_another_order_are_told_apart():
    """Rows in which two such columns are exchanged had the same place, and sums their digits from the file."""
    rng = np.random.default_rng(2)
    codes = np.repeat(np.arange(3), 20).astype(np.uint8)
    x = rng.normal(size=60)
    columns = [Column.discrete(v, rng.permutation(codes), "abc") for v in "XYZ"]
    for data in (Data(columns), Data([Column.continuous(v, rng.permutation(x)) for v in "XYZ"])):
        moved = data.rows(rng.permutation(60))
        turned = data.select(data.names[::-1]).rows(rng.permutation(60))
        for name in data.names:
            expected = data.column(name)[data.row_order]
            np.testing.assert_array_equal(moved.column(name)[moved.row_order], expected)
            np.testing.assert_array_equal(turned.column(name)[turned.row_order], expected)


def test_the_order_of_rows_comes_from_their_values():
    rng = np.random.default_rng(1)
    codes, x = rng.integers(0, 3, 50).astype(np.uint8), np.round(rng.normal(size=50), 1)
    weights, shuffle = rng.integers(0, 3, 50), rng.permutation(50)
    first = row_order([codes, x], weights)
    second = shuffle[row_order([codes[shuffle], x[shuffle]], weights[shuffle])]
    for values in (codes, x, weights):
        np.testing.assert_array_equal(values[first], values[second])
    np.testing.assert_array_equal(first, row_order([x, codes], weights))  # whatever the order of the columns
    assert sorted(first.tolist()) == list(range(50))
