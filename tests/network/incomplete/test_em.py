"""EM against brute force, closed forms and its law: what it maximises never falls."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import veridag as vd
from naive import inference
from naive.incomplete import expected_statistics, log_likelihood
from naive.missing import with_gaps
from naive.mixed_networks import random_network
from veridag import InputError, NetworkWarning
from veridag.data import Column, Data
from veridag.network.incomplete import component
from veridag.network.incomplete.expectation import DiscreteExpectation, Expectation, complete_statistics
from veridag.network.incomplete.maximization import Maximization
from veridag.network.matching import Rows
from veridag.network.query import elimination

SHARES = [0.15, 0.4]


def case(seed: int, rows: int) -> tuple[vd.Network, Data]:
    """Networks of all kinds, with weights in every third of them."""
    network = inference.random_network(seed, 5) if seed % 4 == 3 else random_network(seed, 6, 0.5)
    data = with_gaps(network.sample(rows, seed=seed), SHARES[seed % 2], seed)
    weights = np.random.default_rng(seed).integers(0, 3, rows) if seed % 3 == 0 else None
    return network, Data(data.columns, weights)


def gaps(values: list[float | None], name: str) -> Column:
    there = np.array([v is not None for v in values])
    return Column.continuous(name, np.array([0.0 if v is None else v for v in values]), observed=there)


# ---- one step


@pytest.mark.parametrize("tree", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_expected_statistics_are_those_of_all_completions(
    seed: int, tree: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tree:
        monkeypatch.setattr(component, "MAX_CONFIGURATIONS", 0)
    network, data = case(seed, 20)
    counts, moments = expected_statistics(network, data)
    found, total = Expectation(Rows(network, data))(network)
    w = np.ones(20) if data.weights is None else data.weights
    assert total == pytest.approx(w @ log_likelihood(network, data))
    for v, n in counts.items():
        assert found.counts[v] == pytest.approx(n.reshape(-1), rel=1e-8, abs=1e-8)
    for x, m in moments.items():
        assert found.moments[x].reshape(m.shape) == pytest.approx(m, rel=1e-8, abs=1e-8)


def test_expected_counts_of_a_discrete_network_by_its_tree() -> None:
    """They count barren families, too, whose share of each configuration is that of the parameters."""
    network, data = case(3, 25)
    assert network.kind == "discrete"
    found, total = DiscreteExpectation(Rows(network, data), jobs=2)(network)
    w = np.ones(25) if data.weights is None else data.weights
    assert total == pytest.approx(w @ log_likelihood(network, data))
    counts, _ = expected_statistics(network, data)
    for v, n in found.counts.items():
        p = network.table(v).probabilities
        extra = n.reshape(p.shape) - counts[v]
        assert extra == pytest.approx(extra.sum(axis=-1, keepdims=True) * p, abs=1e-9)
        assert n.sum() == pytest.approx(w.sum())


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_a_step_on_complete_data_is_the_fit(seed: int) -> None:
    """But for configurations with too few rows, whose regression depends on what it was before."""
    network = random_network(seed, 6, 0.5)
    data = network.sample(400, seed=seed)
    fitted = vd.fit(network.dag, data, 2.0)
    step = Maximization({v: 2.0 / network.table(v).probabilities.size for v in network.states})
    found = step(complete_statistics(Rows(fitted, data)), fitted)
    for v in network.names:
        if v in network.states:
            assert found.table(v).probabilities == pytest.approx(fitted.table(v).probabilities)
        else:
            mine, theirs = found.conditional_gaussian(v).rows, fitted.conditional_gaussian(v).rows
            assert mine == pytest.approx(theirs, rel=1e-6, abs=1e-9)


# ---- the whole


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.filterwarnings("ignore::veridag.NetworkWarning")
def test_what_is_maximised_never_falls(seed: int) -> None:
    network, data = case(seed, 40)
    ess = (0.0, 1.0, 5.0)[seed % 3]
    fitted = vd.fit(network.dag, data, ess, starts=2, max_iterations=10, tolerance=0, seed=seed)
    record = fitted.fitted
    assert record is not None
    assert np.diff(record.objectives).min() >= -1e-9 * abs(record.objectives[-1])
    assert fitted.log_likelihood(data) == pytest.approx(record.log_likelihood)
    if ess > 0:
        tables = [fitted.table(v).probabilities for v in fitted.states]
        prior = sum(ess / table.size * np.log(table).sum() for table in tables)
        assert record.objectives[-1] == pytest.approx(record.log_likelihood + prior)
    assert record.starts[record.start] == max(record.starts) == record.objectives[-1]


def monotone(seed: int = 1) -> tuple[Data, float]:
    """Two normal variables, the second missing in a third of the rows, and the maximum of the likelihood: that of the
    first in all rows, plus that of the second given the first in the complete ones (Little and Rubin 2002, 7.2)."""
    rng = np.random.default_rng(seed)
    x = 1000 + 3 * rng.normal(size=30)
    y = 2 * x + rng.normal(size=30)
    data = Data([Column.continuous("x", x), gaps([None if i >= 20 else float(y[i]) for i in range(30)], "y")])
    slope, intercept = np.polyfit(x[:20] - 1000, y[:20], 1)
    residual = y[:20] - intercept - slope * (x[:20] - 1000)
    maximum = -15 * (np.log(2 * np.pi * x.var()) + 1) - 10 * (np.log(2 * np.pi * (residual**2).mean()) + 1)
    return data, float(maximum)


def test_a_monotone_pattern_has_the_factored_likelihood_estimate() -> None:
    data, maximum = monotone()
    x, y = data.columns
    forward = vd.fit(vd.DAG.from_arcs([("x", "y")]), data)
    assert forward.fitted is not None
    assert forward.fitted.log_likelihood == pytest.approx(maximum, abs=1e-6)
    assert forward.gaussian("x").intercept == pytest.approx(x.values.mean())
    assert forward.gaussian("x").sd == pytest.approx(x.values.std())
    slope, intercept = np.polyfit(x.values[:20] - 1000, y.values[:20], 1)
    assert forward.gaussian("y").coefficients[0] == pytest.approx(slope)
    assert forward.gaussian("y").intercept == pytest.approx(intercept - 1000 * slope, rel=1e-6)
    backward = vd.fit(vd.DAG.from_arcs([("y", "x")]), data, tolerance=1e-12, max_iterations=5000)
    assert backward.fitted is not None
    assert backward.fitted.iterations > 1
    assert backward.fitted.log_likelihood == pytest.approx(maximum, abs=1e-4)


def test_a_monotone_pattern_of_states_has_the_factored_likelihood_estimate() -> None:
    a = np.array([0] * 30 + [1] * 20)
    b = np.array([0] * 18 + [1] * 12 + [0] * 5 + [1] * 15)
    observed = np.arange(50) % 3 > 0
    data = Data([Column.discrete("a", a, "xy"), Column.discrete("b", b, "xy", observed=observed)])
    p_a = np.array([0.6, 0.4])
    table = np.array([[np.sum((a == i) & (b == k) & observed) for k in (0, 1)] for i in (0, 1)])
    p_b = table / table.sum(axis=1, keepdims=True)
    maximum = 30 * np.log(0.6) + 20 * np.log(0.4) + float((table * np.log(p_b)).sum())
    forward = vd.fit(vd.DAG.from_arcs([("a", "b")]), data, 0.0, tolerance=1e-13, max_iterations=2000)
    backward = vd.fit(vd.DAG.from_arcs([("b", "a")]), data, 0.0, tolerance=1e-13, max_iterations=2000)
    for fitted in (forward, backward):
        assert fitted.log_likelihood(data) == pytest.approx(maximum, abs=1e-8)
    assert forward.table("a").probabilities == pytest.approx(p_a)
    assert forward.table("b").probabilities == pytest.approx(p_b, abs=1e-5)


def test_a_mixture_of_two_normal_distributions_is_found() -> None:
    """A category that was never observed: the available cases say nothing, and starts at random do."""
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.normal(-4, 1, 150), rng.normal(5, 2, 50)])
    hidden = Column.discrete("c", np.zeros(200, int), ["one", "other"], observed=np.zeros(200, bool))
    data = Data([hidden, Column.continuous("x", x)])
    fitted = vd.fit(vd.DAG.from_arcs([("c", "x")]), data, 0.0, starts=3, tolerance=1e-9)
    own = fitted.conditional_gaussian("x")
    order = np.argsort(own.intercepts)
    assert own.intercepts[order] == pytest.approx([x[:150].mean(), x[150:].mean()], abs=0.15)
    assert fitted.table("c").probabilities[order] == pytest.approx([0.75, 0.25], abs=0.02)
    assert fitted.fitted is not None
    assert len(fitted.fitted.starts) == 3


def test_orders_weights_and_seeds_change_nothing() -> None:
    network, data = case(6, 40)
    data = Data(data.columns, np.arange(40) % 3)
    settings = {"starts": 2, "seed": 4, "tolerance": 1e-4}
    fitted = vd.fit(network.dag, data, **settings)
    assert vd.fit(network.dag, data.select(reversed(data.names)), **settings) == fitted
    again = pickle.loads(pickle.dumps(vd.fit(network.dag, data, **settings)))
    assert again == fitted
    assert again.fitted == fitted.fitted
    repeated = Data(data.rows(np.repeat(np.arange(40), np.arange(40) % 3)[::-1]).columns)
    other = vd.fit(network.dag, repeated, **settings)
    for v in network.names:
        if v in network.states:
            assert other.table(v).probabilities == pytest.approx(fitted.table(v).probabilities, abs=1e-6)
        else:
            mine, theirs = other.conditional_gaussian(v).rows, fitted.conditional_gaussian(v).rows
            assert mine == pytest.approx(theirs, rel=1e-5, abs=1e-6)


def test_complete_data_has_the_same_fit_as_ever() -> None:
    network = random_network(1, 6, 0.5)
    data = network.sample(50, seed=1)
    fitted = vd.fit(network.dag, data, starts=3, tolerance=0.0, max_iterations=1, seed=9)
    assert fitted == vd.fit(network.dag, data)
    assert fitted.fitted is None
    beside = Column.continuous("beside", np.zeros(50), observed=np.arange(50) > 3)
    assert vd.fit(network.dag, Data([*data.columns, beside])) == fitted


def test_rows_that_have_nothing_change_nothing() -> None:
    data, _ = monotone()
    x, y = (c.values.tolist() for c in data.columns)
    nothing = Data([gaps([*x, None], "x"), gaps([*y[:20], *[None] * 11], "y")])
    dag = vd.DAG.from_arcs([("x", "y")])
    assert vd.fit(dag, nothing) == vd.fit(dag, data)


def test_groups_are_fitted_each_or_together() -> None:
    network, data = case(3, 40)
    grouped = Data(data.columns, None, np.arange(40) % 2, ["a", "b"])
    separate = vd.fit(network.dag, grouped, method="separate")
    assert separate["a"] == vd.fit(network.dag, Data(data.rows(np.arange(40) % 2 == 0).columns))
    pooled = vd.fit(network.dag, grouped, method="pooled")
    assert pooled["b"] == vd.fit(network.dag, Data(data.columns))


def test_progress_and_the_record_show_each_iteration() -> None:
    data, _ = monotone()
    calls = []
    dag = vd.DAG.from_arcs([("y", "x")])
    fitted = vd.fit(dag, data, progress=lambda *given: calls.append(given), max_iterations=500)
    record = fitted.fitted
    assert record is not None
    assert [c[:3] for c in calls] == [("EM", i + 1, 500) for i in range(record.iterations)]
    assert [c[3]["log_likelihood"] for c in calls] == list(record.log_likelihoods[1:])
    assert str(record).startswith(f"EM converged in {record.iterations} iterations; log-likelihood ")


def test_an_end_before_convergence_is_a_warning() -> None:
    data, _ = monotone()
    with pytest.warns(
        NetworkWarning, match=r"did not converge in 1 iteration;.*max_iterations=5, or a larger tolerance="
    ):
        fitted = vd.fit(vd.DAG.from_arcs([("y", "x")]), data, max_iterations=1)
    assert fitted.fitted is not None
    assert not fitted.fitted.converged


def test_refusals_name_the_remedy() -> None:
    network, data = case(3, 30)
    with pytest.raises(InputError, match=r"method='map' and missing values.*use method='mean', or ess=\d+ or more"):
        vd.fit(network.dag, data, 1.0, method="map")
    assert vd.fit(network.dag, data, 1000.0, method="map").fitted is not None
    grouped = Data(data.columns, None, np.arange(30) % 2, ["a", "b"])
    with pytest.raises(InputError, match=r"method='hierarchical' needs complete data.*method='separate'"):
        vd.fit(network.dag, grouped, method="hierarchical")
    with pytest.raises(InputError, match="starts=0 must be"):
        vd.fit(network.dag, data, starts=0)
    with pytest.raises(InputError, match="tolerance=-1 must be"):
        vd.fit(network.dag, data, tolerance=-1)
    alone = vd.DAG.empty(["x"])
    with pytest.raises(InputError, match="'x' is constant"):
        vd.fit(alone, Data([gaps([1.0, None, 1.0], "x")]))
    with pytest.raises(InputError, match="no row has a value"):
        vd.fit(alone, Data([gaps([None, None], "x")]))
    twice = Data([gaps([1.0, 2.0, 3.0, 4.0, None], "x"), gaps([2.0, 4.0, 6.0, 8.0, 1.0], "y")])
    with pytest.raises(InputError, match="'y' is constant or a linear function of its parents"):
        vd.fit(vd.DAG.from_arcs([("x", "y")]), twice)


def test_a_tree_that_is_too_large_is_explained_by_what_rows_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    network, data = case(3, 30)
    monkeypatch.setattr(elimination, "MAX_ENTRIES", 1)
    for use in (
        lambda: vd.fit(network.dag, data),
        lambda: network.log_likelihood(data),
        lambda: vd.impute(network, data),
        lambda: vd.impute(network, data, draws=1),
    ):
        with pytest.raises(
            elimination.TooLarge, match=r"a row has no values of v.* the limit is 1: leave out rows"
        ) as error:
            use()
        assert error.value.entries > 1


def test_configurations_without_rows_can_be_refused() -> None:
    a = Column.discrete("a", np.zeros(6, int), ["x", "y"])
    b = Column.discrete("b", np.array([0, 1, 0, 1, 0, 0]), ["x", "y"], observed=np.arange(6) > 0)
    x = gaps([1.0, 2.0, 4.0, 3.0, None, 0.5], "c")
    dag = vd.DAG.from_arcs([("a", "b"), ("a", "c")])
    data = Data([a, b, x])
    with pytest.raises(InputError, match="unobserved='error': too few rows have, or can have, a = y"):
        vd.fit(dag, data, 0.0, unobserved="error")
    fitted = vd.fit(dag, data, 0.0)
    assert fitted.table("b").probabilities[1].tolist() == [0.5, 0.5]
    rows = fitted.conditional_gaussian("c").rows
    assert rows[1] == pytest.approx(rows[0])
