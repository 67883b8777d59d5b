"""Scores of predictions, against scikit-learn, against counting pairs, and against numbers found by hand."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive.missing import with_gaps
from sklearn import metrics
from veridag import InputError
from veridag.data import Column, Data
from veridag.trust.prediction import NumberScores, PredictionScores


def scores(seed: int, states: int = 3, rows: int = 200, weighted: bool = False) -> PredictionScores:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(states), rows).round(1) + 0.05  # rounded: there are many ties
    p /= p.sum(axis=1, keepdims=True)
    truth = np.array([rng.choice(states, p=row) for row in p])
    weights = rng.integers(0, 4, rows) if weighted else np.ones(rows, np.int64)
    return PredictionScores("t", tuple("abcdef"[:states]), p, truth, weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("states", [2, 3, 4])
def test_scores_are_those_of_scikit_learn(states, weighted):
    own = scores(states, states, weighted=weighted)
    truth, p, w = own.truth, own.probabilities, own.weights
    labels = list(range(states))
    assert np.isclose(own.log_loss, metrics.log_loss(truth, p, labels=labels, sample_weight=w))
    assert np.isclose(own.accuracy, metrics.accuracy_score(truth, p.argmax(axis=1), sample_weight=w))
    np.testing.assert_array_equal(own.confusion, metrics.confusion_matrix(truth, p.argmax(axis=1), sample_weight=w))
    brier = metrics.brier_score_loss(truth, p, labels=labels, sample_weight=w, scale_by_half=False)
    assert np.isclose(own.brier, brier)
    for k, state in enumerate(own.states):
        assert np.isclose(own.auc[state], metrics.roc_auc_score(truth == k, p[:, k], sample_weight=w))
        false, true, thresholds = metrics.roc_curve(truth == k, p[:, k], sample_weight=w, drop_intermediate=False)
        curve = own.roc(state)
        np.testing.assert_allclose(curve.false_positive, false)
        np.testing.assert_allclose(curve.true_positive, true)
        np.testing.assert_allclose(curve.thresholds, thresholds)


def test_the_area_counts_pairs_and_ties_half():
    own = scores(5, rows=60)
    for k, state in enumerate(own.states):
        there, others = own.probabilities[own.truth == k, k], own.probabilities[own.truth != k, k]
        wins = (there[:, None] > others).mean() + 0.5 * (there[:, None] == others).mean()
        assert np.isclose(own.auc[state], wins)


def test_scores_by_hand():
    p = np.array([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5], [0.2, 0.8]])
    own = PredictionScores("t", ("a", "b"), p, np.array([0, 1, 1, 1]), np.ones(4, np.int64))
    assert np.isclose(own.accuracy, 2 / 4)  # of the tie, the first state is predicted
    assert np.isclose(own.log_loss, -np.log([0.9, 0.4, 0.5, 0.8]).mean())
    assert np.isclose(own.brier, (0.02 + 0.72 + 0.5 + 0.08) / 4)
    assert own.confusion.tolist() == [[1, 0], [2, 1]]
    assert own.auc == {"a": 1.0, "b": 1.0}
    # Predicted states have 0.9 (right), 0.6 (wrong), 0.5 (wrong) and 0.8 (right).
    found = own.calibration(bins=5)
    assert [(b.n, b.lower) for b in found.bins] == [(1, 0.4), (1, 0.6), (2, 0.8)]
    np.testing.assert_allclose([b.predicted for b in found.bins], [0.5, 0.6, 0.85])
    np.testing.assert_allclose([b.observed for b in found.bins], [0, 0, 1])
    assert np.isclose(found.error, (0.5 + 0.6 + 2 * 0.15) / 4)
    assert np.isclose(own.calibration(bins=1, state="b").error, abs(0.75 - 0.45))


def test_weights_are_repeated_rows():
    own = scores(3, weighted=True)
    again = np.repeat(np.arange(len(own.truth)), own.weights)
    ones = np.ones(len(again), np.int64)
    other = PredictionScores("t", own.states, own.probabilities[again], own.truth[again], ones)
    assert own.to_dict() == pytest.approx(other.to_dict())
    assert own.n == other.n
    assert np.isclose(own.log_loss.standard_error, other.log_loss.standard_error)


def test_a_state_that_was_ruled_out_has_an_infinite_loss_and_a_constant_one_has_no_curve():
    p = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    own = PredictionScores("t", ("a", "b", "c"), p, np.array([1, 0]), np.ones(2, np.int64))
    assert own.log_loss == np.inf
    assert set(own.auc) == {"a", "b"}
    with pytest.raises(InputError, match="in all rows or in none"):
        own.roc("c")
    with pytest.raises(InputError, match="no state 'd'"):
        own.roc("d")
    with pytest.raises(InputError, match="bins=0"):
        own.calibration(0)


def test_a_true_network_is_calibrated_and_a_wrong_one_is_not():
    network = vd.networks.load("asia")
    data = network.sample(20_000, seed=2)
    good = vd.evaluate_prediction(network, data, "bronc")
    assert good.calibration_error < 0.01
    flat = vd.Network({**network.cpds, "dysp": vd.Table(("bronc", "either"), np.full((2, 2, 2), 0.5))}, network.states)
    bad = vd.evaluate_prediction(flat, data, "bronc")
    assert bad.log_loss > good.log_loss + 0.1
    assert bad.auc["yes"] < good.auc["yes"]


def test_frames_and_rows_without_the_truth():
    network = vd.networks.load("asia")
    data = network.sample(300, seed=2)
    frame = data.to_pandas()
    whole = vd.evaluate_prediction(network, data, "lung")
    assert whole.to_dict() == pytest.approx(vd.evaluate_prediction(network, frame, "lung").to_dict())
    known = np.arange(300) % 3 > 0
    holes = frame.assign(lung=frame["lung"].where(known, None))
    some = vd.evaluate_prediction(network, holes, "lung")
    assert some.n == 200
    assert np.isclose(some.log_loss, -np.log(whole._of_truth[known]).mean())
    unknown = [Column.discrete("lung", np.zeros(300, np.uint8), ("yes", "no"), observed=np.zeros(300, bool))]
    others = [c for c in data.columns if c.name != "lung"]
    with pytest.raises(InputError, match="no row has a value of 'lung'"):
        vd.evaluate_prediction(network, Data(unknown + others), "lung")


def test_numbers_by_hand_and_by_scikit_learn():
    rng = np.random.default_rng(1)
    truth, mean, sd = rng.normal(size=50), rng.normal(size=50), rng.uniform(0.5, 2, 50)
    own = NumberScores("x", mean, sd, truth, np.ones(50, np.int64))
    assert np.isclose(own.rmse, metrics.root_mean_squared_error(truth, mean))
    assert np.isclose(own.mae, metrics.mean_absolute_error(truth, mean))
    assert np.isclose(own.r2, metrics.r2_score(truth, mean))
    density = np.exp(-0.5 * ((truth - mean) / sd) ** 2) / np.sqrt(2 * np.pi) / sd
    assert np.isclose(own.log_loss, -np.log(density).mean())
    assert np.isclose(own.coverage(0.5), (np.abs(truth - mean) < 0.6744897501960817 * sd).mean())
    assert "coverage" in repr(own)
    assert "<table" in own._repr_html_()


def test_intervals_of_a_true_gaussian_network_cover_as_often_as_they_should():
    network = vd.random_gaussian_network(vd.random_dag(5, arcs=7, seed=1), seed=2)
    data = with_gaps(network.sample(4000, seed=3), 0.1, 3)
    found = vd.evaluate_prediction(network, data, network.names[2])
    assert abs(found.coverage(0.9) - 0.9) < 4 * found.coverage(0.9).standard_error
    assert found.n == int(data.observed(network.names[2]).sum())


def test_cross_validation_predicts_each_row_by_a_network_learned_without_it():
    data = vd.networks.load("asia").sample(400, seed=5)
    learner = vd.HillClimbing(score=vd.BIC())
    found = vd.cross_validate_prediction(data, "bronc", learner, folds=4, seed=3)
    losses, right = [], []
    networks = vd.cross_validate(data, learner, folds=4, seed=3).networks
    for_folds = np.random.SeedSequence(3).spawn(5)[0]
    for network, (_, test) in zip(networks, data.folds(4, for_folds), strict=True):
        own = vd.evaluate_prediction(network, test, "bronc")
        losses.append(float(own.log_loss) * own.n)
        right.append(float(own.accuracy) * own.n)
    assert found.n == 400
    assert np.isclose(found.log_loss, sum(losses) / 400)
    assert np.isclose(found.accuracy, sum(right) / 400)
    again = vd.cross_validate_prediction(data, "bronc", learner, folds=4, seed=3, jobs=3)
    assert again.to_dict() == found.to_dict()


def test_cross_validation_of_a_continuous_target():
    network = vd.random_gaussian_network(vd.random_dag(4, arcs=5, seed=4), seed=2)
    found = vd.cross_validate_prediction(network.sample(300, seed=1), network.names[0], folds=3)
    assert isinstance(found, NumberScores)
    assert found.n == 300


def test_wrong_arguments_are_refused():
    data = vd.networks.load("asia").sample(100, seed=5)
    with pytest.raises(InputError, match="did you mean 'lung'"):
        vd.cross_validate_prediction(data, "lungs")
    with pytest.raises(InputError, match="network="):
        vd.evaluate_prediction("asia", data, "lung")


def test_scores_show_themselves():
    own = scores(1)
    assert "log-loss" in repr(own)
    assert "<table" in own._repr_html_()


def test_observations_in_which_the_target_was_set_are_left_out_and_counted():
    network = vd.networks.load("sachs")
    data = vd.simulate.experiments(network, [None, "Akt", "PKA"], rows=300, seed=1)
    found = vd.evaluate_prediction(network, data, "PKA")
    seen = data.rows(~data.targets.is_set(["PKA"]))
    assert (found.n, found.left_out) == (600, 300)
    assert "on 600 observations, without 300 in which it was set" in repr(found)
    np.testing.assert_array_equal(found.probabilities, network.predict(seen, "PKA").probabilities)
    # Where Akt was set, it says nothing about its parent PKA: the prediction is that of the network without that arc.
    where = np.flatnonzero(seen.targets.is_set(["Akt"]))[0]
    row = {c.name: c.states[c.values[where]] for c in seen.columns if c.name != "PKA"}
    expected = network.query("PKA", {v: x for v, x in row.items() if v != "Akt"}, do={"Akt": row["Akt"]})
    np.testing.assert_allclose(found.probabilities[where], expected.probabilities, atol=1e-12)


def test_a_target_that_was_always_set_cannot_be_evaluated():
    network = vd.networks.load("asia")
    data = vd.simulate.experiments(network, ["lung"], rows=20, seed=1)
    with pytest.raises(InputError, match="'lung' was set in all rows"):
        vd.evaluate_prediction(network, data, "lung")


@pytest.mark.parametrize("as_frame", [True, False])
def test_data_without_the_target_says_that_its_true_values_are_needed(as_frame):
    asia = vd.networks.load("asia")
    data = asia.sample(20, seed=1).select([v for v in asia.names if v != "lung"])
    with pytest.raises(
        InputError, match="data: there is no column 'lung': it must have the true values to compare with"
    ):
        vd.evaluate_prediction(asia, data.to_pandas() if as_frame else data, "lung")
