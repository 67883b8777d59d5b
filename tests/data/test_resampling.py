from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.data import data_sets, discrete, expanded
from veridag.data import Column, Data
from veridag.errors import InputError


@given(data_sets(), st.integers(0, 100), st.data())
def test_a_subsample_has_the_size_asked_for_and_depends_on_the_seed_alone(data, seed, draw):
    n = draw.draw(st.integers(1, data.n))
    part = data.subsample(n, seed)
    assert part.n == n
    assert part == data.subsample(n, seed)
    assert part.states == data.states
    assert part.notes[-1] == f"subsample of {n} of {data.n} observations (seed {seed})"


@given(data_sets(weighted=True), st.integers(0, 100), st.data())
def test_a_weighted_row_is_sampled_like_repeated_rows(data, seed, draw):
    n = draw.draw(st.integers(1, data.n))
    assert expanded(data.subsample(n, seed)) == expanded(data).subsample(n, seed)


@given(data_sets())
def test_a_subsample_of_all_keeps_every_observation_in_order(data):
    whole = data.subsample(data.n, seed=1)
    assert whole == (data if data.weights is None else data.rows(data.weights > 0))


def test_subsamples_are_without_replacement_and_spread_evenly():
    data = Data([Column.discrete("X", np.arange(10), map(str, range(10)))])
    counts = sum(np.bincount(data.subsample(3, seed).column("X"), minlength=10) for seed in range(1000))
    assert counts.sum() == 3000
    assert np.all(abs(counts - 300) < 75)  # five standard deviations
    assert len(set(data.subsample(9, 1).column("X").tolist())) == 9


@given(data_sets(), st.integers(0, 100), st.data())
def test_folds_partition_the_observations(data, seed, draw):
    k = draw.draw(st.integers(2, min(5, data.n))) if data.n > 1 else None
    if k is None:
        return
    pairs = data.folds(k, seed)
    assert len(pairs) == k
    assert sum(test.n for _, test in pairs) == data.n
    assert max(test.n for _, test in pairs) - min(test.n for _, test in pairs) <= 1
    assert all(train.n + test.n == data.n for train, test in pairs)


def test_every_observation_is_tested_once_and_not_trained_on_then():
    data = Data([Column.discrete("X", np.arange(11), map(str, range(11)))])
    tested = []
    for train, test in data.folds(3, seed=4):
        assert not set(train.column("X")) & set(test.column("X"))
        tested += test.column("X").tolist()
    assert sorted(tested) == list(range(11))


@given(data_sets(weighted=True), st.integers(0, 100))
def test_weighted_folds_are_those_of_repeated_rows(data, seed):
    for (train, test), (slow_train, slow_test) in zip(data.folds(2, seed), expanded(data).folds(2, seed), strict=True):
        assert (expanded(train), expanded(test)) == (slow_train, slow_test)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: d.subsample(5, 0), r"n=5\): n must be between 1 and the number of observations, 4"),
        (lambda d: d.subsample(0, 0), "n=0"),
        (lambda d: d.subsample(1.5, 0), r"n=1\.5"),
        (lambda d: d.subsample(1, -1), "seed=-1 must be an integer of at least 0"),
        (lambda d: d.subsample(1, "a"), "seed='a'"),
        (lambda d: d.folds(5, 0), "k must be between 2 and the number of observations, 4"),
        (lambda d: d.folds(1, 0), "k=1"),
    ],
)
def test_sampling_explains_mistakes(call, message):
    with pytest.raises(InputError, match=message):
        call(Data([discrete()]))
