"""Gaussian networks, whose rows with gaps are solved all at once, against the joint normal distribution of each row."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive.incomplete import completions, expected_statistics, log_likelihood, most_probable, row_of
from naive.missing import with_gaps
from naive.mixed_networks import random_parameters
from veridag.data import Column, Data
from veridag.network.incomplete import gaussian
from veridag.network.incomplete.gaussian import GaussianGaps, inverse_root
from veridag.network.incomplete.gaussian_expectation import GaussianExpectation
from veridag.network.matching import Rows


def case(seed: int, rows: int = 25) -> tuple[vd.Network, Data]:
    network = random_parameters(np.random.default_rng(seed), {}, [f"x{i}" for i in range(7)], 0.4, 0.0)
    data = with_gaps(network.sample(rows, seed=seed), (0.15, 0.4, 0.7)[seed % 3], seed)
    return network, Data(data.columns, np.random.default_rng(seed).integers(0, 3, rows) if seed % 2 else None)


@pytest.fixture(params=[2**22, 1])
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All sets of a size at once, or one by one."""
    monkeypatch.setattr(gaussian, "MAX_PIECE", request.param)


@pytest.mark.parametrize("seed", range(6))
def test_expected_moments_and_likelihood_are_those_of_each_row(seed: int, piece: None) -> None:
    network, data = case(seed)
    _, moments = expected_statistics(network, data)
    found, total = GaussianExpectation(Rows(network, data))(network)
    w = np.ones(data.nrows) if data.weights is None else data.weights
    assert total == pytest.approx(w @ log_likelihood(network, data))
    for x, m in moments.items():
        assert found.moments[x][0] == pytest.approx(m, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_draws_have_the_conditional_mean_and_covariance(seed: int, piece: None) -> None:
    network, data = case(seed)
    completed = GaussianGaps(Rows(network, data)).complete(network)
    assert completed.solved
    for which, variables, root in completed.solved:
        for i, columns, own in zip(which, variables, root, strict=True):
            (only,) = completions(network, row_of(data, int(i)))
            at = [only.names.index(network.names[k]) for k in columns]
            assert completed.values[i, columns] == pytest.approx(only.mean[at], rel=1e-8, abs=1e-8)
            assert own @ own.T == pytest.approx(only.covariance[np.ix_(at, at)], rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_imputation_takes_conditional_means(seed: int) -> None:
    network, data = case(seed)
    filled = vd.impute(network, data)
    for i in range(data.nrows):
        assert row_of(filled, i) == pytest.approx(most_probable(network, row_of(data, i)), rel=1e-8, abs=1e-8)
    drawn = vd.impute(network, data, draws=2, seed=1)
    assert drawn[0] != drawn[1]
    assert vd.impute(network, data, draws=1, seed=1, jobs=2) == drawn[:1]
    first = vd.impute(network, data.rows(slice(0, 10)), draws=1, seed=1)[0]
    for c in first.columns:
        assert c.values == pytest.approx(drawn[0].column(c.name)[:10], rel=1e-9, abs=1e-9)


def test_large_values_lose_no_digits() -> None:
    """The same data a million standard deviations away has the same likelihood and the same draws, shifted."""
    network, data = case(1)
    far = vd.Network(
        {
            v: vd.LinearGaussian(c.parents, c.intercept + 1e6 * (1 - c.coefficients.sum()), c.coefficients, c.sd)
            for v, c in ((v, network.gaussian(v)) for v in network.names)
        }
    )
    moved = Data([Column.continuous(c.name, c.values + 1e6, observed=c.observed) for c in data.columns], data.weights)
    assert far.log_likelihood(moved) == pytest.approx(network.log_likelihood(data), rel=1e-6)
    fitted, away = (vd.fit(network.dag, own, tolerance=1e-3) for own in (data, moved))
    assert away.log_likelihood(moved) == pytest.approx(fitted.log_likelihood(data), rel=1e-6)
    assert vd.impute(far, moved).column("x3") == pytest.approx(vd.impute(network, data).column("x3") + 1e6, abs=1e-6)


def test_numbers_of_very_different_size_are_refused() -> None:
    """Rounding can make a precision matrix indefinite, as this one is."""
    with pytest.raises(vd.InputError, match="orders of magnitude"):
        inverse_root(np.array([[[1.0, 2.0], [2.0, 1.0]]]))
