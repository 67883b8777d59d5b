"""Intervals of fitted parameters, against scipy's distributions and by simulation."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import veridag as vd
from veridag import DAG, Data, InputError
from veridag.data import Column

ASIA = vd.networks.load("asia")


def test_discrete_intervals_are_quantiles_of_the_beta_marginals():
    """Beta(n_ijk + alpha_ijk, the rest of n_ij + alpha_ij), from counts made row by row."""
    data, ess = ASIA.sample(200, seed=1), 3.0
    found = vd.fit(ASIA.dag, data, ess).intervals("dysp", 0.9)
    assert found.parents == ("bronc", "either")
    for j, (bronc, either) in enumerate(np.ndindex(2, 2)):
        rows = (data.column("bronc") == bronc) & (data.column("either") == either)
        n = [int((data.column("dysp")[rows] == k).sum()) for k in range(2)]
        alpha = ess / 8
        for k in range(2):
            posterior = stats.beta(n[k] + alpha, n[1 - k] + alpha)
            assert found.lower[bronc, either, k] == pytest.approx(posterior.ppf(0.05), abs=1e-12)
            assert found.upper[bronc, either, k] == pytest.approx(posterior.ppf(0.95), abs=1e-12)
            entry = list(found)[2 * j + k]
            assert entry.given == (data.states["bronc"][bronc], data.states["either"][either])
            assert entry.estimate == pytest.approx(posterior.mean())


def test_three_states_leave_the_others_together():
    data = Data.from_numpy(np.repeat([0, 1, 2], [5, 2, 13])[:, None], ["a"])
    found = vd.fit(DAG.from_arcs([], names=["a"]), data, 3).intervals("a")
    expected = [stats.beta(n + 1, 22 - n).interval(0.95) for n in (5, 2, 13)]
    np.testing.assert_allclose(np.stack([found.lower, found.upper], axis=1), expected, rtol=1e-12)


def test_a_configuration_without_rows_has_the_interval_of_the_prior():
    columns = [Column.discrete("a", np.zeros(9, int), ["x", "y"]), Column.discrete("b", np.arange(9) % 2, ["x", "y"])]
    network = vd.fit(DAG.from_arcs([("a", "b")], names=["a", "b"]), Data(columns), 8)
    np.testing.assert_allclose(network.intervals("b").lower[1], stats.beta(2, 2).ppf(0.025))


def test_the_mode_has_the_intervals_of_the_same_posterior():
    data = ASIA.sample(100, seed=2)
    mean, mode = (vd.fit(ASIA.dag, data, 20, method=method) for method in ("mean", "map"))
    for name in ASIA.names:
        np.testing.assert_allclose(mode.intervals(name).lower, mean.intervals(name).lower, atol=1e-12)
        np.testing.assert_allclose(mode.intervals(name).upper, mean.intervals(name).upper, atol=1e-12)
        np.testing.assert_array_equal(mode.intervals(name).estimates, mode.table(name).probabilities)


def test_a_variable_of_one_state_is_certain():
    data = Data([Column.discrete("a", np.zeros(4, int), ["only"])])
    found = vd.fit(DAG.from_arcs([], names=["a"]), data).intervals("a")
    assert (found.lower, found.upper) == (1, 1)


def gaussian(n: int, seed: int, weighted: bool = False) -> Data:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(5, 2, n), rng.normal(-1, 1, n)
    columns = [Column.continuous(v, z) for v, z in (("x", x), ("y", y), ("z", 3 + 2 * x - y + rng.normal(0, 1.5, n)))]
    return Data(columns, rng.integers(0, 4, n) if weighted else None)


@pytest.mark.parametrize("weighted", [False, True])
def test_regressions_have_the_intervals_of_the_textbook(weighted):
    """b +- t s sqrt((Z'Z)^-1) and s sqrt(df / chi2), computed from the normal equations of the repeated rows."""
    data = gaussian(30, 1, weighted)
    times = np.ones(30, int) if data.weights is None else data.weights.astype(int)
    x, y, z = (np.repeat(data.column(v), times) for v in "xyz")
    found = vd.fit(DAG.from_arcs([("x", "z"), ("y", "z")], names=["x", "y", "z"]), data).intervals("z", 0.8)
    assert found.parameters == ("intercept", "x", "y", "sd")
    design = np.column_stack([np.ones(len(z)), x, y])
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ z
    squares, df = ((z - design @ beta) ** 2).sum(), len(z) - 3
    errors = np.sqrt(np.diag(inverse) * squares / df)
    t = stats.t(df).ppf(0.9)
    lower = [*(beta - t * errors), np.sqrt(squares / stats.chi2(df).ppf(0.9))]
    upper = [*(beta + t * errors), np.sqrt(squares / stats.chi2(df).ppf(0.1))]
    np.testing.assert_allclose(found.lower, lower, rtol=1e-9)
    np.testing.assert_allclose(found.upper, upper, rtol=1e-9)


def mixed(n: int, seed: int) -> tuple[DAG, Data]:
    """z depends on x and on d; of the third state of d there are two rows only."""
    rng = np.random.default_rng(seed)
    d, x = np.concatenate([[2, 2], rng.integers(0, 2, n - 2)]), rng.normal(0, 1, n)
    columns = [
        Column.discrete("d", d, ["p", "q", "r"]),
        Column.continuous("x", x),
        Column.continuous("z", d + (1 + d) * x + rng.normal(0, 1, n)),
    ]
    return DAG.from_arcs([("d", "z"), ("x", "z")], names=["d", "x", "z"]), Data(columns)


def test_each_configuration_has_the_intervals_of_its_own_rows():
    dag, data = mixed(60, 1)
    found = vd.fit(dag, data).intervals("z")
    assert (found.parents, found.parameters, found.lower.shape) == (("d",), ("intercept", "x", "sd"), (3, 3))
    for state in range(2):
        own = data.rows(data.column("d") == state)
        alone = vd.fit(DAG.from_arcs([("x", "z")], names=["x", "z"]), own).intervals("z")
        np.testing.assert_allclose(found.lower[state], alone.lower, rtol=1e-9)
        np.testing.assert_allclose(found.upper[state], alone.upper, rtol=1e-9)
    assert np.isnan([found.lower[2], found.upper[2]]).all()  # it took the regression of all rows
    assert np.isfinite(found.estimates).all()
    assert "–" in repr(found)


def test_coefficients_that_the_rows_do_not_determine_have_infinite_intervals():
    rng = np.random.default_rng(3)
    a, b = rng.normal(2, 1, 50), rng.normal(0, 1, 50)
    values = {"a": a, "twin": 3 * a, "b": b, "z": a + b + rng.normal(0, 1, 50)}
    data = Data([Column.continuous(v, x) for v, x in values.items()])
    dag = DAG.from_arcs([(v, "z") for v in ("a", "twin", "b")], names=list(values))
    found = vd.fit(dag, data).intervals("z")
    infinite = {p for p, low in zip(found.parameters, found.lower, strict=True) if np.isneginf(low)}
    assert infinite == {"a", "twin"}
    without = vd.fit(DAG.from_arcs([("a", "z"), ("b", "z")], names=["a", "b", "z"]), data).intervals("z")
    for parameter in ("intercept", "b", "sd"):  # what is determined is as without the twin
        i, j = found.parameters.index(parameter), without.parameters.index(parameter)
        assert found.lower[i] == pytest.approx(without.lower[j])
        assert found.upper[i] == pytest.approx(without.upper[j])


def test_pickling_keeps_the_intervals_and_equality_ignores_them():
    data = ASIA.sample(50, seed=1)
    network = vd.fit(ASIA.dag, data)
    again = pickle.loads(pickle.dumps(network))
    np.testing.assert_array_equal(again.intervals("lung").lower, network.intervals("lung").lower)
    bare = vd.Network(network.cpds, network.states)
    assert bare == network == again
    assert hash(bare) == hash(network)


def test_what_is_kept_is_smaller_than_the_tables():
    network = vd.fit(ASIA.dag, ASIA.sample(50, seed=1))
    assert all(network.spread[v].totals.size * 2 == network.table(v).probabilities.size for v in ASIA.names)
    assert all(network.spread[v].weights is None for v in ASIA.names)


def test_groups_have_the_intervals_of_their_own_posteriors():
    sample = vd.simulate.related(nodes=3, groups=2, states=2, rows=80, seed=1)
    data, dag = sample.data, DAG.from_arcs([], names=sample.data.names)
    name = dag.names[0]
    separate, pooled, shared = (vd.fit(dag, data, 2, method=m) for m in ("separate", "pooled", "hierarchical"))
    for label, own in data.by_group().items():
        n = np.bincount(own.column(name), minlength=2)
        expected = stats.beta(n + 1, n[::-1] + 1).ppf(0.025)
        np.testing.assert_allclose(separate[label].intervals(name).lower, expected)
        found = shared[label].intervals(name)
        mean = shared[label].table(name).probabilities  # (n + 2 kappa) / (n + 2), so that n + 2 of them are alpha
        np.testing.assert_allclose(found.upper, stats.beta(mean * (n.sum() + 2), mean[::-1] * (n.sum() + 2)).ppf(0.975))
        assert "prior that the groups share" in repr(found)
    n = np.bincount(data.column(name), minlength=2)
    found = pooled[data.groups[0]].intervals(name)
    np.testing.assert_allclose(found.lower, stats.beta(n + 1, n[::-1] + 1).ppf(0.025))


def test_a_group_without_rows_has_the_intervals_of_the_prior():
    column = Column.discrete("a", np.array([0, 1, 1]), ["x", "y"])
    data = Data([column], None, np.zeros(3, int), ("here", "nowhere"))
    dag = DAG.from_arcs([], names=["a"])
    found = vd.fit(dag, data, 4, method="separate")["nowhere"].intervals("a")
    np.testing.assert_allclose(found.lower, stats.beta(2, 2).ppf([0.025, 0.025]))


def test_no_posterior_no_intervals():
    data = ASIA.sample(50, seed=1)
    with pytest.raises(InputError, match=r"'lung' was fitted by maximum likelihood.*ess=1"):
        vd.fit(ASIA.dag, data, 0).intervals("lung")
    with pytest.raises(InputError, match=r"files store only the parameters.*vd.fit\(network.dag, data\)"):
        ASIA.intervals("lung")
    with pytest.raises(InputError, match="no variable 'lungs'"):
        vd.fit(ASIA.dag, data).intervals("lungs")
    for level in (0, 1, 95, "high"):
        with pytest.raises(InputError, match="level"):
            vd.fit(ASIA.dag, data).intervals("lung", level)
    numbers = gaussian(20, 1)
    dag = DAG.from_arcs([], names=numbers.names)
    assert vd.fit(dag, numbers, 0).intervals("x").lower.shape == (2,)  # ess plays no part


def test_em_has_no_intervals():
    column = Column.discrete("a", np.array([0, 1, 1, 0]), ["x", "y"])
    gaps = replace(Column.discrete("b", np.array([0, 1, 0, 0]), ["x", "y"]), observed=np.array([1, 1, 1, 0], bool))
    network = vd.fit(DAG.from_arcs([("a", "b")], names=["a", "b"]), Data([column, gaps]))
    assert network.fitted is not None
    with pytest.raises(InputError, match=r"EM fitted.*too narrow.*impute"):
        network.intervals("b")


def test_the_value_is_frozen_and_shows_itself():
    found = vd.fit(ASIA.dag, ASIA.sample(50, seed=1)).intervals("lung", 0.5)
    with pytest.raises(FrozenInstanceError):
        found.level = 0.9
    with pytest.raises(ValueError, match="read-only"):
        found.lower[0, 0] = 0
    lines = repr(found).splitlines()
    assert lines[0] == "lung by smoke: estimates and 50 % intervals"
    assert lines[1].split() == ["smoke", "yes", "no"]
    assert f"[{found.lower[0, 0]:.4g}, {found.upper[0, 0]:.4g}]" in lines[2]
    assert found._repr_html_().count("<tr>") == 3
    frame = found.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame) == ["smoke", "parameter", "estimate", "lower", "upper"]
    assert frame["upper"].to_numpy() == pytest.approx(found.upper.ravel())


@pytest.mark.medium
def test_intervals_cover_parameters_that_the_prior_drew():
    """Of parameters drawn from the prior, 90 % intervals cover 90 %: 2000 cases, within four standard errors."""
    rng = np.random.default_rng(11)
    ess, inside = 6.0, []
    dag = DAG.from_arcs([], names=["a"])
    for _ in range(2000):
        theta = rng.dirichlet([ess / 3] * 3)
        data = Data([Column.discrete("a", rng.choice(3, 15, p=theta), ["x", "y", "z"])])
        found = vd.fit(dag, data, ess).intervals("a", 0.9)
        inside.append((found.lower <= theta) & (theta <= found.upper))
    assert np.mean(inside, axis=0) == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 2000))


@pytest.mark.slow
def test_intervals_cover_coefficients_and_deviations():
    """Of 2000 samples of 12 rows, 90 % intervals cover the truth in 90 %, within four standard errors."""
    dag = DAG.from_arcs([("x", "z"), ("y", "z")], names=["x", "y", "z"])
    truth, inside = np.array([3, 2, -1, 1.5]), []
    for seed in range(2000):
        found = vd.fit(dag, gaussian(12, seed)).intervals("z", 0.9)
        inside.append((found.lower <= truth) & (truth <= found.upper))
    assert np.mean(inside, axis=0) == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 2000))
