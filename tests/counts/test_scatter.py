"""Sums of products of columns, by the core."""

from __future__ import annotations

import math

import numpy as np
import pytest

from veridag import _core


@pytest.mark.parametrize("columns", [0, 1, 3, 4, 5, 9])
@pytest.mark.parametrize("rows", [0, 1, 255, 256, 257, 700])
def test_scatter_is_the_sum_of_products_over_all_rows(columns, rows):
    rng = np.random.default_rng(columns * 1000 + rows)
    x, w = rng.normal(size=(columns, rows)), rng.integers(0, 4, rows).astype(float)
    for weights in (None, w):
        found = _core.scatter(x, weights)
        weighted = x if weights is None else x * weights
        expected = [[math.fsum(a * b) for b in x] for a in weighted]
        assert found.shape == (columns, columns)
        np.testing.assert_allclose(found, np.reshape(expected, (columns, columns)), rtol=0, atol=1e-12)
        np.testing.assert_array_equal(found, found.T)


def test_weights_of_another_number_of_rows_are_refused():
    with pytest.raises(ValueError, match="as many as the rows"):
        _core.scatter(np.ones((2, 3)), np.ones(2))
