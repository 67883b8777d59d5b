"""Diagnostics of Markov chains, held against what is known of simple processes."""

from __future__ import annotations

import numpy as np
import pytest

from veridag.posteriors.diagnostics import ess, rank_ess, rank_rhat, split_rhat, standard_error


def autoregression(chains: int, draws: int, rho: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = np.empty((chains, draws))
    x[:, 0] = rng.normal(size=chains)
    for t in range(1, draws):
        x[:, t] = rho * x[:, t - 1] + np.sqrt(1 - rho**2) * rng.normal(size=chains)
    return x


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_effective_sample_size_of_an_autoregression(rho: float) -> None:
    x = autoregression(4, 5000, rho, 1)
    expected = x.size * (1 - rho) / (1 + rho)
    assert ess(x) == pytest.approx(expected, rel=0.15)
    assert rank_ess(x) == pytest.approx(expected, rel=0.15)
    assert standard_error(x) == pytest.approx(1 / np.sqrt(expected), rel=0.1)


def test_many_series_at_once_are_the_same_as_one_by_one() -> None:
    x = autoregression(2, 201, 0.5, 2)
    both = np.stack([x, np.abs(x)], axis=-1)
    for statistic in (ess, split_rhat, standard_error):
        np.testing.assert_allclose(statistic(both), [statistic(x), statistic(np.abs(x))])


def test_rhat_by_hand() -> None:
    x = np.array([[1.0, 2.0, 3.0, 5.0], [2.0, 2.5, 7.0, 9.0]])
    halves = np.array([[1.0, 2.0], [2.0, 2.5], [3.0, 5.0], [7.0, 9.0]])
    within = np.mean([0.5, 0.125, 2.0, 2.0])
    between = np.var(halves.mean(axis=1), ddof=1)
    assert split_rhat(x) == pytest.approx(np.sqrt((within / 2 + between) / within))


def test_rhat_sees_chains_that_differ_in_place_width_or_time() -> None:
    x = autoregression(4, 1000, 0.3, 3)
    assert rank_rhat(x) < 1.01
    assert rank_rhat(x + np.array([0, 0, 0, 1])[:, np.newaxis]) > 1.05
    assert rank_rhat(x * np.array([1, 1, 1, 4])[:, np.newaxis]) > 1.05
    assert rank_rhat(x + np.linspace(0, 2, 1000)) > 1.05


def test_a_series_of_zeros_and_ones_has_the_same_rhat_after_rank_normalisation() -> None:
    x = (autoregression(4, 500, 0.6, 4) > 0.7).astype(float)
    assert rank_rhat(x) == pytest.approx(float(split_rhat(x)))


def test_constant_series_tell_nothing() -> None:
    x = np.ones((2, 10))
    assert np.isnan(ess(x))
    assert np.isnan(split_rhat(x))
    assert standard_error(x) == 0
    assert np.isnan(split_rhat(np.ones((2, 3))))
    assert split_rhat(np.array([[0.0] * 4, [1.0] * 4])) == np.inf
