"""Cross-validation: each row is judged by what was learned without it, under the network of its own group."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag import DAG, Data, InputError
from veridag.data import Column
from veridag.trust.cross_validation import mean_loss, validate_folds

ASIA = vd.networks.load("asia")
DATA = ASIA.sample(500, seed=1)
RELATED = vd.simulate.related(nodes=4, groups=3, states=2, rows=60, seed=2).data


def test_cross_validation_is_what_learning_without_each_fold_comes_to():
    learner = vd.HillClimbing(vd.BDeu())
    result = vd.cross_validate(DATA, learner, folds=4, ess=2, seed=5)
    parts = DATA.folds(4, np.random.SeedSequence(5).spawn(5)[0])
    expected = []
    for (train, test), network, loss in zip(parts, result.networks, result.folds, strict=True):
        assert network == vd.fit(learner.learn(train).dag, train, 2)
        assert loss == pytest.approx(-network.log_likelihood(test) / test.n)
        expected += list(-network.log_likelihood(test, by_row=True))
    assert sorted(x for _, test in parts for x in test.column("xray")) == sorted(DATA.column("xray"))
    assert len(expected) == 500
    assert float(result) == result.loss == pytest.approx(np.mean(expected))
    assert result.loss.standard_error == pytest.approx(np.std(expected, ddof=1) / np.sqrt(500))
    assert result.settings == repr(learner)
    assert "loss" in repr(result)


def test_cross_validation_comes_close_to_the_cross_entropy():
    data = ASIA.sample(4000, seed=9)
    result = vd.cross_validate(data, vd.Tabu(vd.BDeu()))
    truth = vd.cross_entropy(ASIA, vd.learn_network(data, vd.Tabu(vd.BDeu())))
    assert abs(result.loss - truth) < 4 * result.loss.standard_error
    assert result.loss < vd.cross_validate(data, vd.HillClimbing(max_indegree=0)).loss


def test_states_are_those_of_all_the_data_in_every_fold():
    rare = Data([Column.discrete(v, np.array([1] + 29 * [0], np.uint8), ["no", "yes"]) for v in "ab"])
    result = vd.cross_validate(rare, vd.HillClimbing(), folds=30)
    assert np.isfinite(result.loss)
    certain = vd.cross_validate(rare, vd.HillClimbing(), folds=30, ess=0)
    assert certain.loss == certain.loss.standard_error == np.inf
    assert sum(np.isinf(loss) for loss in certain.folds) == 1


def test_weighted_data_is_cross_validated_as_if_rows_were_repeated():
    weights = np.random.default_rng(0).integers(0, 3, 500)
    weighted = Data(DATA.columns, weights)
    repeated = DATA.rows(np.repeat(np.arange(500), weights))
    a, b = (vd.cross_validate(d, vd.HillClimbing(), folds=3) for d in (weighted, repeated))
    assert a.loss == pytest.approx(b.loss, rel=1e-12)
    assert a.loss.standard_error == pytest.approx(b.loss.standard_error)


def test_gaussian_data_is_cross_validated_too():
    network = vd.networks.load("ecoli70")
    data = network.sample(200, seed=1).select(network.names[:10])
    result = vd.cross_validate(data, vd.HillClimbing(), folds=5, jobs=2)
    assert result.loss < vd.cross_validate(data, vd.HillClimbing(max_indegree=0), folds=5).loss


def test_jobs_do_not_change_what_is_found():
    learner = vd.HillClimbing(restarts=2)
    alone, together = (vd.cross_validate(DATA, learner, folds=5, jobs=j) for j in (1, 3))
    assert alone == together
    assert alone != vd.cross_validate(DATA, learner, folds=5, seed=1)
    assert vd.cross_validate(DATA, learner, np.int64(5), jobs=np.int32(2), seed=np.uint8(0)) == alone


# ---- related data sets


@pytest.mark.medium
def test_rows_of_groups_are_judged_by_the_network_of_their_own_group():
    learner = vd.Tabu(vd.BHD())
    result = vd.cross_validate(RELATED, learner, folds=3, ess=2, seed=4)
    splits = RELATED.folds(3, np.random.SeedSequence(4).spawn(4)[0])
    losses = []
    for (train, test), networks in zip(splits, result.networks, strict=True):
        assert networks == vd.fit(learner.learn(train).dag, train, 2, method="hierarchical")
        for label, part in test.by_group().items():
            losses += list(-networks[label].log_likelihood(part, by_row=True))
    assert len(losses) == RELATED.n
    assert result.loss == pytest.approx(np.mean(losses))
    assert result.loss.standard_error == pytest.approx(np.std(losses, ddof=1) / np.sqrt(RELATED.n))


@pytest.mark.medium
def test_groups_whose_numbers_differ_are_predicted_better_apart():
    apart = vd.cross_validate(RELATED, vd.Tabu(vd.BHD()), folds=5)
    together = vd.cross_validate(Data(RELATED.columns), vd.Tabu(vd.BDeu()), folds=5)
    assert apart.loss < together.loss


def test_groups_take_the_default_learner_of_groups():
    assert vd.cross_validate(RELATED, folds=2).settings == repr(vd.Tabu(vd.BHD(), vd.Fair(), max_indegree=7))


def test_groups_of_continuous_variables_have_separate_networks():
    rng = np.random.default_rng(1)
    group = (np.arange(80) % 2).astype(np.uint8)
    x = rng.normal(size=80)
    columns = [Column.continuous("x", x), Column.continuous("y", np.where(group, 3, -3) * x + rng.normal(size=80))]
    grouped = Data(columns, None, group, ["up", "down"])
    result = vd.cross_validate(grouped, vd.HillClimbing(), folds=4)
    assert set(result.networks[0]) == {"up", "down"}
    assert result.loss < vd.cross_validate(Data(columns), vd.HillClimbing(), folds=4).loss


@pytest.mark.medium
def test_the_loop_is_that_of_pooled_partially_pooled_and_separate_parameters_too():
    dag = DAG.empty(RELATED.names)
    compared = vd.compare_pooling(dag, RELATED, folds=4, seed=7)
    for method in ("hierarchical", "pooled", "separate"):
        found = validate_folds(
            RELATED, 4, 7, lambda i, train, heartbeat, method=method: (vd.fit(dag, train, method=method),)
        )
        assert float(getattr(compared, method)) == pytest.approx(-mean_loss(found), abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vd.cross_validate(DATA, vd.Tabu(), folds=1), "folds=1"),
        (lambda: vd.cross_validate(DATA, vd.Tabu(), folds=True), "folds=True must be an integer of at least 2"),
        (lambda: vd.cross_validate(DATA, vd.Tabu(), folds=501), "501"),
        (lambda: vd.cross_validate(DATA, vd.Tabu(), ess=-1), "ess=-1"),
        (lambda: vd.cross_validate(DATA, vd.Tabu(), jobs=0), "jobs=0"),
        (lambda: vd.cross_validate(DATA, vd.Tabu(vd.BGe()), 2, jobs=2), "fold [12] of 2: .*discrete"),
        (lambda: vd.cross_validate(DATA, vd.Tabu(), seconds=0), "time for only 0 of 10 folds"),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_networks_of_both_kinds_of_variables_are_judged_on_rows_they_have_not_seen():
    truth = vd.random_mixed_network(vd.random_dag(6, arcs=8, seed=1), seed=2)
    data = truth.sample(200, seed=3)

    def fitted(_: int, train: Data, heartbeat: object) -> tuple[vd.Network, vd.Network]:
        return vd.fit(truth.dag, train), vd.fit(DAG.empty(train.names), train)

    splits = data.folds(4, np.random.SeedSequence(1))
    found = validate_folds(data, 4, np.random.SeedSequence(1), fitted)
    expected = [-vd.fit(truth.dag, train).log_likelihood(test) for train, test in splits]
    assert mean_loss(found) == pytest.approx(sum(expected) / 200)
    assert mean_loss(found) < mean_loss(found, 1)
