"""Weights that stand for far more observations than memory could list."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag.data import Column, Data, resampling
from veridag.trust.subsampling import subsample


def table(weights: np.ndarray, groups: bool = False) -> Data:
    codes = np.arange(len(weights)).astype(np.uint8)
    group = codes % 2 if groups else None
    return Data([Column.discrete("X", codes, map(str, codes))], weights, group, ["a", "b"] if groups else ())


def counts_of(part: Data, rows: int) -> np.ndarray:
    counts = np.zeros(rows, np.int64)
    np.add.at(counts, part.column("X"), part.weights)
    return counts


@pytest.mark.medium
@pytest.mark.parametrize("total", [1_100_000_000, 10**12, 9 * 10**15])
def test_sampling_takes_memory_for_the_rows_alone(total):
    shares = np.array([0.1, 0.0, 0.2, 0.3, 0.4])
    weights = np.array([int(s * 10) * (total // 10) for s in shares])
    data = table(weights)
    for size in (1, 1000, 2 * 10**7, total // 3, total - 5, data.n):
        counts = counts_of(data.subsample(size, 1), 5)
        assert counts.sum() == size
        assert (counts <= weights).all()
        assert np.all(abs(counts - size * shares) <= 6 * np.sqrt(size * shares) + 1)
        np.testing.assert_array_equal(counts, counts_of(data.subsample(size, 1), 5))
        assert subsample(data, size, 0, 1).n == size
    again = counts_of(data.resample(3), 5)
    assert again.sum() == data.n
    assert np.all(abs(again - weights) <= 6 * np.sqrt(weights))
    assert (again != weights).any()
    pairs = data.folds(3, 2)
    assert sum(counts_of(test, 5) for _, test in pairs).tolist() == weights.tolist()
    assert all(train.n + test.n == data.n for train, test in pairs)
    assert max(test.n for _, test in pairs) - min(test.n for _, test in pairs) <= 1


def test_a_large_bootstrap_sample_keeps_the_sizes_of_groups():
    data = table(np.array([3, 5, 0, 7, 9]) * 10**9, groups=True)
    again = data.resample(5)
    for code in (0, 1):
        assert again.weights[again.group == code].sum() == data.weights[data.group == code].sum()


def test_drawing_by_rows_has_the_distribution_of_drawing_one_by_one(monkeypatch):
    """The number of observations of a row is hypergeometric: its mean, variance and correlation are known."""
    monkeypatch.setattr(resampling, "FEW", 3)
    weights, size, repeats = np.array([5, 10, 25]), 16, 4000
    drawn = np.array([resampling.drawn_counts(weights, size, seed) for seed in range(repeats)])
    assert (drawn.sum(axis=1) == size).all()
    share = weights / 40
    spread = size * (40 - size) / 39
    covariance = spread * (np.diag(share) - np.outer(share, share))
    np.testing.assert_allclose(drawn.mean(axis=0), size * share, atol=5 * np.sqrt(covariance.max() / repeats))
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.25)


@pytest.mark.parametrize("weight", [2**53 - 1, 2**62, 1e18, 1e300])
def test_weights_that_sum_to_more_than_can_be_counted_are_refused(weight):
    """2000 times 2^53 - 1 is beyond 2^63 as well, where sums of integers would go wrong unnoticed."""
    codes = np.zeros(2000, np.uint8)
    total = 2000 * int(weight)
    with pytest.raises(vd.InputError, match=rf"weights= sum to {total} observations, more than 2\^53 - 1"):
        Data([Column.discrete("X", codes, ["a", "b"])], np.full(2000, weight))
    assert Data([Column.discrete("X", codes[:1], ["a", "b"])], [2**53 - 1]).n == 2**53 - 1


@pytest.mark.medium
def test_a_billion_observations_can_be_validated_and_resampled():
    asia = vd.networks.load("asia").sample(300, seed=1).select(["smoke", "lung", "bronc", "dysp"])
    data = Data(asia.columns, np.random.default_rng(1).integers(3_000_000, 4_500_000, 300))
    assert data.n > 1_100_000_000
    learners = [vd.HillClimbing(), vd.Tabu(score=vd.BDeu())]
    validation = vd.intersection_validation(data, learners, sizes=[1000, 600_000_000], repeats=2)
    assert len(validation.ranking) == 2
    assert vd.bootstrap(data, learners[0], repeats=2).strength is not None
    (_, test), *_ = data.folds(2, 1)
    assert test.n == data.n // 2 + data.n % 2


@pytest.mark.slow
@pytest.mark.parametrize("total", [1_100_000_000, 2**53 - 300])
def test_any_number_of_observations_can_be_assessed(total):
    """Halving them down to 100 would take 24 and 46 sizes, and qNML refuses the larger number."""
    cancer = vd.networks.load("cancer").sample(300, seed=1)
    data = Data(cancer.columns, np.full(300, total // 300))
    found = vd.assess(data)
    assert len(found.validation.sizes) == 12
    assert not found.validation.failures
    assert np.isfinite(found.chances.directed + found.chances.undirected).all()
    assert found.evidence.shares[1] is not None
