"""Related data sets that were simulated: what they are made of, and the paper's claims on them."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag import InputError
from veridag.data import Data
from veridag.simulate.draw import dirichlet


def tables(sample: vd.RelatedSample, variable: str) -> list[np.ndarray]:
    return [network.table(variable).probabilities for network in sample.networks.values()]


def test_the_same_seed_gives_the_same_data_and_another_one_others():
    first, again, other = (vd.simulate.related(seed=seed) for seed in (3, 3, 4))
    assert first.data == again.data
    assert first.dag == again.dag
    assert first.networks["F1"] == again.networks["F1"]
    assert first.data != other.data


@pytest.mark.parametrize("arcs_per_node", [0, 1, 1.2, 1.5])
def test_sizes_are_as_asked(arcs_per_node):
    sample = vd.simulate.related(10, 3, states=4, arcs_per_node=arcs_per_node, rows=[5, 0, 7], seed=1)
    assert len(sample.dag.arcs) == round(10 * arcs_per_node)
    assert sample.data.n == 12
    assert sample.data.groups == ("F1", "F2", "F3")
    assert sample.data.observed_groups == ("F1", "F3")
    assert set(sample.data.arities.values()) == {4}
    assert all(network.dag == sample.dag for network in sample.networks.values())
    assert not any(sample.removed.values())


def test_more_arcs_than_pairs_make_the_complete_graph():
    assert len(vd.simulate.related(4, 2, arcs_per_node=50).dag.arcs) == 6


def test_in_scenario_b_some_groups_lack_some_arcs():
    sample = vd.simulate.related(8, 5, changed_groups=2, removed_arcs=3, seed=2)
    assert sorted(map(len, sample.removed.values())) == [0, 0, 0, 3, 3]
    for label, network in sample.networks.items():
        assert set(network.dag.arcs) == set(sample.dag.arcs) - set(sample.removed[label])


def test_identical_parameters_are_identical_also_where_an_arc_is_gone():
    sample = vd.simulate.related(6, 4, parameters="id", changed_groups=1, removed_arcs=1, seed=5)
    [(lost, [(parent, child)])] = [(g, arcs) for g, arcs in sample.removed.items() if arcs]
    whole = [network for g, network in sample.networks.items() if g != lost]
    assert all(network == whole[0] for network in whole)
    others = [v for v in sample.dag.names if v != child]
    assert all(sample.networks[lost].table(v) == whole[0].table(v) for v in others)
    assert parent not in sample.networks[lost].table(child).parents


@pytest.mark.slow
def test_hierarchical_parameters_are_related_and_independent_ones_are_not():
    spread, between = {}, {}
    for parameters in ("hier", "iid", "id"):
        drawn = [
            [t.reshape(-1, 2)[:, 0] for t in tables(vd.simulate.related(3, 8, parameters=parameters, seed=s), "X1")]
            for s in range(150)
        ]
        roots = np.array([[t[0] for t in one] for one in drawn if len(one[0]) == 1])  # draws x groups
        spread[parameters] = roots.var(axis=1).mean()
        between[parameters] = roots.mean(axis=1).var()
    assert spread["id"] == 0
    assert 0 < spread["hier"] < spread["iid"] * 1.5
    assert between["hier"] > 3 * between["iid"]  # what the groups share differs from draw to draw


@pytest.mark.medium
def test_the_two_readings_of_iid_agree_for_ten_cells_only():
    """A root with r states has r cells: the variance of a Dirichlet share is (1/r)(1 - 1/r) / (total alpha + 1)."""
    for states, totals in ((10, (10, 10)), (4, (10, 4))):
        for iid, total in zip(("ess", "cells"), totals, strict=True):
            drawn = [
                tables(vd.simulate.related(1, 400, states=states, parameters="iid", iid=iid, rows=1, seed=s), "X1")
                for s in (1, 2)
            ]
            variance = np.array(drawn).reshape(-1, states).var(axis=0).mean()
            assert variance == pytest.approx((1 / states) * (1 - 1 / states) / (total + 1), rel=0.1)


@pytest.mark.medium
def test_a_dirichlet_draw_has_the_right_mean_and_variance_and_no_zeros():
    rng, alpha = np.random.default_rng(1), np.array([0.02, 0.5, 3.0])
    drawn = np.array([dirichlet(alpha, rng) for _ in range(20_000)])
    mean = alpha / alpha.sum()
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.01)
    np.testing.assert_allclose(drawn.var(axis=0), mean * (1 - mean) / (alpha.sum() + 1), atol=0.005)
    assert drawn.min() > 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"nodes": 0},
        {"groups": 2.5},
        {"states": 1},
        {"arcs_per_node": -1},
        {"parameters": "same"},
        {"iid": "both"},
        {"changed_groups": 9},
        {"removed_arcs": 99, "changed_groups": 1},
        {"rows": [1, 2]},
        {"rows": 0},
        {"rows": True},
        {"rows": 2.5},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        vd.simulate.related(**wrong)


def mean_distances(parameters: str, rows: int, states: int) -> tuple[float, float, float]:
    """The mean SHD of BHD and of BDeu on the pooled data to the truth, and the standard error of the difference."""
    bhd, bdeu = [], []
    for seed in range(30):
        sample = vd.simulate.related(10, 5, states=states, parameters=parameters, rows=rows, seed=seed)
        bhd.append(vd.shd(sample.dag, vd.HillClimbing(score=vd.BHD()).learn(sample.data).dag))
        bdeu.append(vd.shd(sample.dag, vd.HillClimbing(score=vd.BDeu()).learn(Data(sample.data.columns)).dag))
    difference = np.subtract(bhd, bdeu)
    return float(np.mean(bhd)), float(np.mean(bdeu)), float(difference.std() / np.sqrt(len(difference)))


@pytest.mark.slow
@pytest.mark.parametrize("states", [2, 5])
@pytest.mark.parametrize("rows", [100, 500])
def test_on_hierarchical_data_bhd_is_closer_to_the_truth_than_bdeu_on_pooled_data(states, rows):
    bhd, bdeu, error = mean_distances("hier", rows, states)
    assert bhd < bdeu - 2 * error


@pytest.mark.slow
@pytest.mark.parametrize("states", [2, 5])
def test_on_identical_data_sets_it_is_not(states):
    """Of 100 rows each; with more, the two can hardly be told apart."""
    bhd, bdeu, _ = mean_distances("id", 100, states)
    assert bhd > bdeu
