from __future__ import annotations

import numpy as np
import pytest

from veridag.counts import family_moments, mean_vector, scatter_matrix
from veridag.data import Column, Data


def data_of(seed: int, weighted: bool) -> Data:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 30))
    columns = {"A": a, "B": a + b, "C": a - 2 * b + rng.normal(size=30)}
    weights = rng.integers(0, 4, 30) if weighted else None
    return Data([Column.continuous(v, x + 100) for v, x in columns.items()], weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_means_and_scatter_are_those_of_the_rows_repeated_by_their_weight(weighted):
    data = data_of(1, weighted)
    x = np.column_stack([data.column(v) for v in data.names])
    x = x if data.weights is None else np.repeat(x, data.weights, axis=0)
    np.testing.assert_allclose(mean_vector(data), x.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(scatter_matrix(data), np.cov(x.T) * (len(x) - 1), rtol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_residual_variance_is_that_of_least_squares(weighted):
    data = data_of(2, weighted)
    w = np.sqrt(np.ones(data.nrows) if data.weights is None else data.weights)
    x = np.column_stack([np.ones(data.nrows), data.column("A"), data.column("C")]) * w[:, None]
    y = data.column("B") * w
    residual = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    assert family_moments(data, "B", ["C", "A"]).residual_variance == pytest.approx(residual @ residual / data.n)


def test_a_linear_function_of_the_parents_has_no_variance_and_adds_none_as_a_parent():
    data = data_of(3, False)
    more = Data([*data.columns, Column.continuous("D", 3 - 2 * data.column("A"))])
    family = family_moments(more, "D", ["A"])
    assert family.residual_variance == 0
    assert family.log_likelihood == np.inf
    with_twin = family_moments(more, "B", ["A", "D"]).residual_variance
    assert with_twin == pytest.approx(family_moments(more, "B", ["A"]).residual_variance, rel=1e-9)


def test_a_constant_has_no_scatter_at_all():
    data = Data([Column.continuous("A", np.full(7, 0.1)), Column.continuous("B", np.arange(7.0))])
    assert (scatter_matrix(data)[0] == 0).all()
