from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from naive import hierarchy as naive_hierarchy
from veridag.counts.hierarchy import shared_prior

CASES = [
    pytest.param(family, setting, id=f"{family['node']}{family['dim']}-{setting['s']:.2g}-{setting['alpha0']}")
    for family in oracle.load("related")
    for setting in family["settings"]
]
each_weight = st.sampled_from([0.2, 1.0, 10.0])


def by_cell(family: dict) -> np.ndarray:
    return np.array(family["counts"]).reshape(family["dim"][-1], -1).T


@pytest.mark.parametrize(("family", "setting"), CASES)
def test_kappa_tau_and_bound_have_their_expected_values(family, setting):
    found = shared_prior(by_cell(family), setting["s"], setting["alpha0"])
    np.testing.assert_allclose(found.kappa, setting["kappa"], rtol=0, atol=2e-10)
    assert found.tau == pytest.approx(setting["tau"], rel=1e-8)
    assert found.bound == pytest.approx(setting["bound"], abs=1e-8)


@given(st.integers(0, 2**32), each_weight, st.sampled_from([0.5, 1.0, 20.0]))
def test_the_bound_is_that_of_the_derivation_and_nothing_near_is_higher(seed, ess, alpha0):
    rng = np.random.default_rng(seed)
    rates = rng.choice([0.3, 5, 500], (int(rng.integers(2, 9)), 1))
    n_kf = rng.poisson(np.repeat(rates, int(rng.integers(1, 5)), axis=1))
    found = shared_prior(n_kf, ess, alpha0)
    best = naive_hierarchy.bound(n_kf, ess, alpha0, found.kappa, found.tau)
    assert found.bound == pytest.approx(best, rel=1e-10, abs=1e-8)
    assert found.kappa.sum() == pytest.approx(1, abs=1e-12)
    for _ in range(20):
        kappa = found.kappa * np.exp(1e-2 * rng.normal(size=len(n_kf)))
        near = naive_hierarchy.bound(n_kf, ess, alpha0, kappa / kappa.sum(), found.tau * np.exp(1e-2 * rng.normal()))
        assert near < best + 1e-9 * abs(best)


def test_cells_with_the_same_counts_may_be_given_as_one_row():
    n_kf = np.array([[3, 0, 1], [0, 0, 0], [7, 2, 9], [1, 3, 0]])
    apart = np.vstack([n_kf, np.zeros((40, 3), int), n_kf[2:]])
    one, many = shared_prior(n_kf, 1.0, 1.0, np.array([1.0, 41, 2, 2])), shared_prior(apart, 1.0, 1.0)
    np.testing.assert_allclose(one.kappa, many.kappa[:4], rtol=1e-12)
    assert one.kappa[0] == one.kappa[3]  # the same counts in other data sets
    assert one.bound == pytest.approx(many.bound, rel=1e-12)


@pytest.mark.parametrize(
    ("cells", "groups"), [(1, 1), (1, 5), (2, 100), (10_000, 2), pytest.param(10_000, 100, marks=pytest.mark.medium)]
)
@pytest.mark.parametrize("rows", [0, 1, 300])
def test_many_groups_and_cells_and_groups_of_no_or_one_row_are_no_obstacle(cells, groups, rows):
    rng = np.random.default_rng(cells + groups + rows)
    sizes = np.append(rng.integers(0, rows + 1, groups - 1), max(rows, 1))
    n_kf = np.array([rng.multinomial(n, rng.dirichlet(np.full(cells, 0.3))) for n in sizes]).T
    found = shared_prior(n_kf, 1.0, 1.0)
    assert (found.kappa > 0).all()
    assert found.kappa.sum() == pytest.approx(1, abs=1e-9)
    assert np.isfinite(found.bound)


@pytest.mark.parametrize("ess", [1e-3, 1e3])
@pytest.mark.parametrize("alpha0", [1e-2, 1e3])
def test_extreme_settings_have_an_optimum_too(ess, alpha0):
    rng = np.random.default_rng(4)
    n_kf = rng.multinomial(10**6, rng.dirichlet(np.full(6, 0.2)), size=3).T
    found = shared_prior(n_kf, ess, alpha0)
    for kappa, tau in (
        (found.kappa, 1.01 * found.tau),
        (found.kappa, 0.99 * found.tau),
        (np.full(6, 1 / 6), found.tau),
    ):
        assert naive_hierarchy.bound(n_kf, ess, alpha0, kappa, tau) <= found.bound + 1e-6
