"""`veridag compare` with networks that have parameters: how far their distributions are from each other."""

from __future__ import annotations

import json

import pytest

import veridag as vd


@pytest.fixture
def fitted(tmp_path):
    truth = vd.networks.load("asia")
    network = vd.fit(truth.dag, truth.sample(200, seed=1))
    network.write(tmp_path / "fitted.bif")
    return tmp_path / "fitted.bif", truth, vd.read_network(tmp_path / "fitted.bif")


def test_two_networks_have_a_divergence_and_graphs_have_none(call, fitted):
    path, truth, network = fitted
    code, out, err = call("compare", "asia", path, "--json")
    assert code == 0, err
    facts = json.loads(out)
    assert facts["shd"] == 0
    assert facts["cross_entropy"] == pytest.approx(float(vd.cross_entropy(truth, network)))
    assert facts["kl_divergence"] == pytest.approx(float(vd.kl_divergence(truth, network)))
    assert "kl divergence" in call("compare", "asia", path)[1]
    assert "cross_entropy" not in json.loads(call("compare", "asia", truth.dag.to_modelstring(), "--json")[1])


def test_rows_give_an_estimate_with_its_standard_error(call, fitted):
    path, truth, network = fitted
    facts = json.loads(call("compare", "asia", path, "--rows", 500, "--seed", 3, "--json")[1])
    expected = vd.cross_entropy(truth, network, 500, 3)
    assert facts["cross_entropy"] == pytest.approx(float(expected))
    assert facts["cross_entropy_standard_error"] == pytest.approx(expected.standard_error)
    code, _, err = call("compare", "asia", truth.dag.to_modelstring(), "--rows", 500)
    assert code == 2
    assert "--rows: cross-entropy needs two networks with parameters" in err


def test_networks_with_other_states_are_compared_as_graphs(call, tmp_path):
    truth = vd.networks.load("asia")
    vd.simulate.random_network(truth.dag, states=3, seed=1).write(tmp_path / "other.bif")
    code, out, err = call("compare", "asia", tmp_path / "other.bif")
    assert code == 0
    assert "kl divergence" not in out
    assert "no cross-entropy" in err


def test_an_infinite_divergence_is_null_for_programs(call, tmp_path):
    sure = vd.Network({"A": vd.Table((), [1.0, 0.0])}, {"A": ("n", "y")})
    open_ = vd.Network({"A": vd.Table((), [0.5, 0.5])}, {"A": ("n", "y")})
    sure.write(tmp_path / "sure.bif")
    open_.write(tmp_path / "open.bif")
    facts = json.loads(call("compare", tmp_path / "open.bif", tmp_path / "sure.bif", "--json")[1])
    assert facts["kl_divergence"] is None
