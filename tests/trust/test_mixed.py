"""Many results on data with discrete and continuous columns: validation, bootstrap, cross-validation, the report."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import veridag as vd
from veridag.data import Data

LEARNERS = {
    "bcg": vd.BOSS(score=vd.BCG(), prior=vd.Fair(), restarts=1),
    "bic": vd.GES(score=vd.BIC()),
    "dg": vd.GES(score=vd.DegenerateGaussian()),
}


@cache
def clinic(rows: int = 400) -> Data:
    names = ["sex", "smoking", "diabetes", "medication", "age", "bmi", "glucose", "lung"]
    return vd.networks.load("clinic").sample(rows, seed=3).select(names)


def test_learners_of_mixed_data_are_ranked():
    found = vd.intersection_validation(clinic(), LEARNERS, repeats=2, sizes=[100, 200], seed=1)
    assert set(found.ranking) == set(LEARNERS)
    assert found.trust.sentence


def test_arcs_of_mixed_data_have_strengths_and_obey_the_directions():
    found = vd.bootstrap(clinic(), LEARNERS["bcg"], repeats=4, seed=1)
    assert {(arc.source, arc.target): arc.strength for arc in found.arcs}["diabetes", "glucose"] == 1.0
    sides = {arc.direction for arc in found.arcs if clinic().kinds[arc.source] != clinic().kinds[arc.target]}
    assert sides == {1.0}  # of each arc between a category and a measurement the direction is known
    averaged = found.averaged()
    kinds = clinic().kinds
    assert not [arc for arc in averaged.arcs if (kinds[arc[0]], kinds[arc[1]]) == ("continuous", "discrete")]


def test_mixed_data_is_cross_validated():
    loss = {name: vd.cross_validate(clinic(), LEARNERS[name], folds=3, seed=1).loss for name in ("bcg", "bic")}
    nothing = vd.fit(vd.DAG.empty(clinic().names), clinic())
    for value in loss.values():
        assert value.value < -nothing.log_likelihood(clinic()) / clinic().n


def test_the_default_learns_the_clinic_and_fits_it():
    network = vd.networks.load("clinic")
    data = network.sample(10_000, seed=5)
    result = vd.learn(data)
    assert vd.hamming(network.dag, result.dag) == 0
    assert any("from discrete to continuous" in note for note in result.notes)
    fitted = vd.fit(result.dag, data)
    assert vd.kl_divergence(network, fitted) < 0.02
    low = fitted.query("lung", {"smoking": "current", "sex": "male", "age": 70.0})
    high = fitted.query("lung", {"smoking": "never", "sex": "male", "age": 70.0})
    assert low.mean[0] < high.mean[0]


def test_what_is_discretized_and_what_is_not_goes_together():
    cut = clinic().discretize(method="quantile(3)", columns=["age"])
    assert (cut.kinds["age"], cut.kinds["bmi"]) == ("discrete", "continuous")
    assert ("age", "lung") in vd.learn(cut).dag.arcs


@pytest.mark.medium
def test_the_report_of_mixed_data_has_a_network_with_parameters():
    report = vd.make_report(clinic(200), repeats=2, sizes=[60, 120], seed=1, algorithms=LEARNERS)
    page = report.to_html()
    assert report.network is not None
    assert report.network.kind == "mixed"
    assert "glucose" in page
    assert "2 of the 3 learners draw no arc from a measurement to a category" in " ".join(page.split())
    kinds = report.data.kinds
    assert not [e for e in report.graph.edges if kinds[e[0]] != kinds[e[1]]]  # they have a direction


def test_measurements_that_come_first_choose_a_score_that_lets_them_cause_categories():
    rng = np.random.default_rng(1)
    age = rng.uniform(20, 80, size=600)
    ill = rng.random(600) < 1 / (1 + np.exp(-(age - 60) / 6))
    data = vd.Data.from_frame({"age": age, "ill": ill})
    known = vd.Knowledge(tiers=[["age"], ["ill"]])
    assert vd.learn(data, known).dag.arcs == (("age", "ill"),)
    assert vd.learn(data).dag.arcs == (("ill", "age"),)
    with pytest.raises(vd.InputError, match=r"age -> ill leads from a continuous to a discrete.*DegenerateGaussian"):
        vd.Tabu(score=vd.BIC()).learn(data, vd.Knowledge(required=[("age", "ill")]))


def test_tiers_that_a_score_cannot_follow_are_noted():
    data = clinic()
    known = vd.Knowledge(tiers=[["age"], ["diabetes"]])
    notes = vd.Tabu(score=vd.BCG()).learn(data, known).notes
    assert any("put 'age' before 'diabetes'" in note and "DegenerateGaussian" in note for note in notes)
    assert not any("put" in note for note in vd.Tabu(score=vd.DegenerateGaussian()).learn(data, known).notes)
