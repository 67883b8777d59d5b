"""Imputation, and the likelihood of rows with gaps, against every completion of every row."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive import inference
from naive.incomplete import completions, log_likelihood, most_probable, row_of
from naive.missing import with_gaps
from naive.mixed_networks import random_network
from veridag import InputError
from veridag.data import Column, Data
from veridag.network.incomplete import component
from veridag.network.incomplete.component import Numbers, components
from veridag.network.incomplete.configurations import ByTree, Enumerated, Factor
from veridag.network.incomplete.parts import barren
from veridag.network.matching import Rows

SHARES = [0.1, 0.4, 0.8]


def mixed_case(seed: int, rows: int = 25) -> tuple[vd.Network, Data]:
    network = random_network(seed, 6, 0.6)
    return network, with_gaps(network.sample(rows, seed=seed), SHARES[seed % 3], seed)


def discrete_case(seed: int, rows: int = 30) -> tuple[vd.Network, Data]:
    network = inference.random_network(seed, 6, zeros=0.1)
    return network, with_gaps(network.sample(rows, seed=seed), SHARES[seed % 3], seed)


@pytest.fixture(params=["enumerated", "tree"])
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to deal with missing discrete variables; the junction tree is for many configurations otherwise."""
    if request.param == "tree":
        monkeypatch.setattr(component, "MAX_CONFIGURATIONS", 0)
    return request.param


@pytest.mark.parametrize("seed", range(6))
def test_log_likelihood_of_rows_with_gaps_sums_over_all_completions(seed: int, method: str) -> None:
    for network, data in (mixed_case(seed), discrete_case(seed)):
        expected = log_likelihood(network, data)
        assert network.log_likelihood(data, by_row=True) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert network.log_likelihood(data) == pytest.approx(expected.sum())


def test_log_likelihood_with_weights_and_complete_columns_beside() -> None:
    network, data = mixed_case(3)
    weights = np.arange(data.nrows)
    other = Column.continuous("beside", np.zeros(data.nrows), observed=np.arange(data.nrows) > 4)
    weighted = Data([other, *reversed(data.columns)], weights)
    assert network.log_likelihood(weighted) == pytest.approx(weights @ log_likelihood(network, data))


def test_a_row_that_has_nothing_has_probability_one() -> None:
    network, data = mixed_case(1, 3)
    nothing = [Column(c.name, c.kind, c.values, c.states, observed=np.zeros(3, bool)) for c in data.columns]
    assert network.log_likelihood(Data(nothing), by_row=True) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_imputation_takes_the_most_probable_completion(seed: int, method: str) -> None:
    for network, data in (mixed_case(seed), discrete_case(seed)):
        filled = vd.impute(network, data)
        assert not filled.incomplete
        for i in range(data.nrows):
            expected, found = most_probable(network, row_of(data, i)), row_of(filled, i)
            assert {v: x for v, x in found.items() if v in network.states} == {
                v: x for v, x in expected.items() if v in network.states
            }
            for v in set(network.names) - set(network.states):
                assert found[v] == pytest.approx(expected[v], rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("seed", range(8))
def test_draws_come_from_the_exact_posterior(seed: int, method: str) -> None:
    """The distribution that is drawn from, not what was drawn: tables, means and covariances of each set."""
    network, data = mixed_case(seed)
    rows = Rows(network, data)
    later = barren(network, rows.missing)
    for part in components(rows, later):
        posterior, normals = part.posterior(Numbers(network))
        for r, i in enumerate(part.rows):
            whole = completions(network, row_of(data, int(i)))
            weights = np.exp([c.log_p for c in whole] - np.logaddexp.reduce([c.log_p for c in whole]))
            for block, normal in zip(part.blocks, normals, strict=True):
                table = posterior.marginal(block.scope)[r] if block.scope else np.ones(1)
                for cell in range(block.size):
                    states = np.unravel_index(cell, [len(network.states[v]) for v in block.scope])
                    wanted = {v: network.states[v][k] for v, k in zip(block.scope, states, strict=True)}
                    inside = [all(c.states[v] == s for v, s in wanted.items()) for c in whole]
                    assert table[cell] == pytest.approx(weights[inside].sum(), abs=1e-9)
                    if block.hidden and table[cell] > 1e-9:
                        one = whole[inside.index(True)]
                        at = [one.names.index(v) for v in block.hidden]
                        where = min(r, len(normal.mean) - 1), min(cell, normal.mean.shape[1] - 1)
                        assert normal.mean[where] == pytest.approx(one.mean[at], rel=1e-8, abs=1e-8)
                        where = min(r, len(normal.root) - 1), min(cell, normal.root.shape[1] - 1)
                        root = normal.root[where]
                        assert root @ root.T == pytest.approx(one.covariance[np.ix_(at, at)], rel=1e-8, abs=1e-8)


def test_configurations_are_drawn_in_proportion() -> None:
    """Every thousandth of the unit interval gives a configuration; each gets its share of them."""
    rng = np.random.default_rng(1)
    both, alone = np.log(rng.dirichlet(np.ones(6)))[None], np.array([[-0.7, -np.inf, 0.7]])
    factors = [Factor(("a", "b"), both), Factor(("b",), alone)]
    uniform = (np.arange(1000) + 0.5) / 1000
    one = Enumerated(("a", "b"), (2, 3), factors, 1)
    many = Enumerated(("a", "b"), (2, 3), factors, 1000)
    drawn = many.draw(uniform)
    share = np.bincount(drawn[:, 0] * 3 + drawn[:, 1], minlength=6) / 1000
    assert share == pytest.approx(one.probabilities[0], abs=1.01e-3)
    assert share[[1, 4]].sum() == 0
    assert one.draw(np.zeros(1)).tolist() == [[0, 0]]
    tree = ByTree(("a", "b"), (2, 3), factors, 1)
    assert tree.marginal(("a", "b")) == pytest.approx(one.marginal(("a", "b")))
    assert tree.log_probability == pytest.approx(one.log_probability)
    assert one.marginal(("b",))[0] == pytest.approx(one.probabilities.reshape(2, 3).sum(axis=0))
    assert (tree.most_probable() == one.most_probable()).all()


@pytest.mark.parametrize("case", [mixed_case, discrete_case])
def test_draws_keep_what_is_observed_and_follow_the_seed(case, method: str) -> None:  # type: ignore[no-untyped-def]
    network, data = case(2)
    drawn = vd.impute(network, data, draws=3, seed=5)
    assert len(drawn) == 3
    assert drawn[0] != drawn[1]
    assert vd.impute(network, data, draws=2, seed=5, jobs=2) == drawn[:2]
    assert vd.impute(network, data, draws=3, seed=6) != drawn
    for one in drawn:
        assert not one.incomplete
        assert np.isfinite(network.log_likelihood(one))
        for old, new in zip(data.columns, one.columns, strict=True):
            assert (old.observed is None) or (new.values[old.observed] == old.values[old.observed]).all()
            assert new.states == old.states
    turned = data.select(reversed(data.names))
    assert vd.impute(network, turned, draws=1, seed=5)[0].select(data.names) == drawn[0]
    first = vd.impute(network, data.rows(slice(0, 9)), draws=1, seed=5)[0]
    assert first == drawn[0].rows(slice(0, 9))


def test_most_probable_rows_do_not_depend_on_the_order_of_rows() -> None:
    network, data = mixed_case(4)
    order = np.random.default_rng(1).permutation(data.nrows)
    assert vd.impute(network, data.rows(order)) == vd.impute(network, data).rows(order)


def test_complete_data_stays_as_it_is() -> None:
    network = vd.networks.load("asia")
    data = network.sample(20, seed=1)
    assert vd.impute(network, data) is data
    assert vd.impute(network, data, draws=2) == (data, data)


def test_states_that_only_the_network_has_are_added() -> None:
    network = vd.Network({"A": vd.Table((), [0.1, 0.2, 0.7])}, {"A": ["x", "y", "z"]})
    data = Data([Column.discrete("A", np.array([0, 0]), ["y", "x"], observed=np.array([True, False]))], [3, 4])
    filled = vd.impute(network, data)
    assert filled.states["A"] == ("y", "x", "z")
    assert filled.column("A").tolist() == [0, 2]
    assert filled.n == 7
    assert filled.notes[-1] == "1 missing values in 1 rows filled in with the most probable values"


def test_an_impossible_row_is_named() -> None:
    network = vd.Network(
        {
            "A": vd.Table((), [1.0, 0.0]),
            "B": vd.Table(("A",), [[0.5, 0.5], [0.5, 0.5]]),
            "X": vd.ConditionalGaussian(("B",), (), [0.0, 1.0], np.zeros((2, 0)), [1.0, 1.0]),
        },
        {"A": ["x", "y"], "B": ["x", "y"]},
    )
    a = Column.discrete("A", np.array([0, 1]), ["x", "y"])
    b = Column.discrete("B", np.array([0, 0]), ["x", "y"], observed=np.array([True, False]))
    data = Data([a, b, Column.continuous("X", np.array([0.25, 3.5]))])
    discrete = vd.Network({v: network.cpds[v] for v in "AB"}, network.states)
    for own in (network, discrete):
        for draws in (None, 2):
            with pytest.raises(InputError, match=r"row 1, counted from 0, has probability zero.*A = y"):
                vd.impute(own, data, draws=draws)
        assert own.log_likelihood(data, by_row=True)[1] == -np.inf


def test_refusals_name_the_remedy() -> None:
    network, data = mixed_case(3)
    with pytest.raises(InputError, match="draws=0 must be an integer of at least 1, or None"):
        vd.impute(network, data, draws=0)
    other = Column.continuous("beside", np.zeros(data.nrows), observed=np.arange(data.nrows) > 4)
    with pytest.raises(InputError, match="'beside' has missing values and is not a variable of the network"):
        vd.impute(network, Data([*data.columns, other]))
    with pytest.raises(InputError, match="must be a network"):
        vd.impute(network.dag, data)  # type: ignore[call-overload]
    certain = vd.Network({"X": vd.LinearGaussian((), 0.0, [], 0.0), "Y": vd.LinearGaussian(("X",), 0.0, [1.0], 1.0)})
    gaps = with_gaps(certain.sample(20, seed=1), 0.5, 1)
    with pytest.raises(InputError, match="'X' has a standard deviation of 0"):
        vd.impute(certain, gaps)


def test_too_many_configurations_are_refused_with_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    network = vd.networks.load("clinic")
    data = with_gaps(network.sample(50, seed=1), 0.7, 1)
    monkeypatch.setattr(component, "MAX_BLOCK", 8)
    with pytest.raises(vd.network.query.TooLarge, match=r"a row has no values of .* the limit is 8: leave out rows"):
        vd.impute(network, data)
