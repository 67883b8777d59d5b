"""Gaussian moments and scores of columns far from zero, and of columns whose moments a double cannot hold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import veridag as vd
from naive.missing import with_gaps
from veridag.counts import mean_vector, scatter_matrix
from veridag.data import Column, Data

GAUSSIAN = [vd.LogLik(), vd.AIC(), vd.BIC(), vd.BGe(), vd.BGe(T="scaled"), vd.BCG(), vd.PNAL(), vd.DegenerateGaussian()]
MIXED = [vd.LogLik(), vd.BIC(), vd.BCG(), vd.PNAL(), vd.DegenerateGaussian()]
TESTS = [vd.FisherZ(), vd.StudentT(), vd.G2()]


def table(offset: float = 0.0, factor: float = 1.0, mixed: bool = False) -> Data:
    """Two dependent columns in steps of 2^-6, which stay exact beside an offset of 1e10 times their deviation."""
    rng = np.random.default_rng(7)
    x = np.round(rng.normal(size=60) * 64) / 64
    y = np.round((x + rng.normal(size=60)) * 64) / 64
    columns = [Column.continuous("x", (x + offset) * factor), Column.continuous("y", (y - 3 * offset) * factor)]
    if mixed:
        columns.append(Column.discrete("d", (rng.random(60) < 0.5).astype(np.uint8), ["a", "b"]))
    return Data(columns)


def exact_scatter(data: Data) -> np.ndarray:
    x = [[Fraction(v) for v in data.column(name).tolist()] for name in data.names]
    centred = [[v - sum(column) / len(column) for v in column] for column in x]
    return np.array([[float(sum(map(Fraction.__mul__, a, b))) for b in centred] for a in centred])


@pytest.mark.parametrize("offset", [0.0, 1e4, 2.0**33, 1e10])
def test_moments_keep_their_digits_far_from_zero(offset):
    data = table(offset)
    np.testing.assert_allclose(scatter_matrix(data), exact_scatter(data), rtol=1e-14)
    means = [float(sum(map(Fraction, data.column(v).tolist())) / data.n) for v in data.names]
    np.testing.assert_allclose(mean_vector(data), means, rtol=1e-15)
    weighted = Data(data.columns, np.full(data.nrows, 3))
    np.testing.assert_allclose(scatter_matrix(weighted), 3 * exact_scatter(data), rtol=1e-14)


@pytest.mark.parametrize("score", GAUSSIAN, ids=repr)
def test_a_gaussian_score_is_the_same_far_from_zero(score):
    near, far = (vd.local_score("y", ["x"], table(offset), score) for offset in (0.0, 1e10))
    assert far == pytest.approx(near, rel=1e-12)


@pytest.mark.parametrize("score", MIXED, ids=repr)
def test_a_mixed_score_is_the_same_far_from_zero(score):
    near, far = (vd.local_score("y", ["x", "d"], table(offset, mixed=True), score) for offset in (0.0, 1e10))
    # BCG takes the means of strata less that of all rows, which have an absolute error of 1e-6 there.
    assert far == pytest.approx(near, rel=1e-7 if isinstance(score, vd.BCG) else 1e-12)


@pytest.mark.parametrize("test", TESTS, ids=repr)
def test_a_test_is_the_same_far_from_zero(test):
    near, far = (vd.test("y", "x", [], table(offset), test) for offset in (0.0, 1e10))
    assert far.p_value == pytest.approx(near.p_value, rel=1e-9)


@pytest.mark.parametrize("factor", [1e200, 1e75, 1e-75, 1e-300, 1e307])
@pytest.mark.parametrize("score", GAUSSIAN, ids=repr)
def test_columns_whose_moments_a_double_cannot_hold_are_refused(score, factor):
    said = r"column '[xy]' has values .*, outside the range of 1e-70 to 1e\+70 .*: divide it by 1e.*, or leave it out"
    for data in (table(factor=factor), table(factor=factor, mixed=True)):
        if not score.handles(data.kind):
            continue
        with pytest.raises(vd.InputError, match=said):
            vd.local_score("y", ["x"], data, score)
        with pytest.raises(vd.InputError, match=said):
            vd.HillClimbing(score=score).learn(data)
        with pytest.raises(vd.InputError, match=said):
            score.local("y", ["x"], data)


@pytest.mark.parametrize("factor", [1e200, 1e-300])
def test_incomplete_columns_whose_moments_a_double_cannot_hold_are_refused(factor):
    with pytest.raises(vd.InputError, match="outside the range of 1e-70"):
        vd.HillClimbing(score=vd.PNAL()).learn(with_gaps(table(factor=factor), 0.1, 1))


@pytest.mark.parametrize("factor", [1e200, 1e-300])
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_fit_refuses_columns_whose_moments_a_double_cannot_hold(factor, mixed, gaps):
    """They were said to be linear functions of no parents, or to have values that are not finite."""
    data = table(factor=factor, mixed=mixed)
    dag = vd.DAG.from_arcs([("x", "y")], data.names)
    with pytest.raises(vd.InputError, match=r"column 'x' has values .*, outside the range of 1e-70 to 1e\+70"):
        vd.fit(dag, with_gaps(data, gaps, 1) if gaps else data)


@pytest.mark.parametrize("factor", [2.0**200, 2.0**-200, 1e66, 1e-66])
def test_other_scales_change_a_score_by_a_constant_alone(factor):
    """The likelihood of a density: each observation of the child costs the logarithm of the factor."""
    for mixed in (False, True):
        parents = ["x", "d"] if mixed else ["x"]
        plain, scaled = (vd.local_score("y", parents, table(0.0, f, mixed), vd.BIC()) for f in (1.0, factor))
        assert scaled == pytest.approx(plain - 60 * np.log(factor), rel=1e-12)
    for test in TESTS:
        plain, scaled = (vd.test("y", "x", [], table(0.0, f), test).p_value for f in (1.0, factor))
        assert scaled == pytest.approx(plain, rel=1e-9)
    learned, expected = (vd.PCStable(test=vd.FisherZ()).learn(table(0.0, f)).graph for f in (factor, 1.0))
    assert learned == expected


def test_a_constant_column_of_any_size_is_no_matter_of_scale():
    data = Data([Column.continuous("x", np.full(9, 1e-300)), Column.continuous("y", np.arange(9.0))])
    assert np.isfinite(vd.local_score("y", ["x"], data, vd.BIC()))
    assert scatter_matrix(data)[0, 0] == 0.0
