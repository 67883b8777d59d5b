"""Scores are values: comparable, hashable, picklable, and with a repr that can be typed back in."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from veridag import Data, InputError, Network, Table
from veridag.criteria import scores
from veridag.criteria.scores import AIC, BIC, FNML, K2, QNML, BDe, BDeu, BDJeffreys, BDs, BGe, LogLik
from veridag.criteria.scores.base import Score
from veridag.data import Column

DATA = Data([Column.discrete("A", np.array([0, 1]), "ab")])
PRIOR = Network({"A": Table((), [0.5, 0.5])}, {"A": ["a", "b"]})
EXAMPLES: list[Score] = [
    LogLik(),
    AIC(),
    BIC(),
    BIC(gamma=0.5),
    K2(),
    BDeu(),
    BDeu(ess=10),
    BDs(ess=5),
    BDJeffreys(),
    FNML(),
    QNML(),
    BGe(),
    BGe(iss_mu=2, iss_w=7, nu={"B": 1, "A": 2}, T=[[1, 0.5], [0.5, 1]]),
    BGe(nu=[1, 2], T=3),
]


@pytest.mark.parametrize("score", EXAMPLES, ids=repr)
def test_the_repr_can_be_typed_back_in(score: Score) -> None:
    again = eval(repr(score), vars(scores))
    assert again == score
    assert hash(again) == hash(score)
    assert repr(again) == repr(score)


@pytest.mark.parametrize("score", [*EXAMPLES, BDe(2, PRIOR)], ids=repr)
def test_scores_pickle(score: Score) -> None:
    assert pickle.loads(pickle.dumps(score)) == score


def test_scores_differ_by_kind_and_parameters() -> None:
    assert len(set(EXAMPLES)) == len(EXAMPLES)
    assert BDeu(ess=1) == BDeu(1.0) == BDeu(np.float64(1)) != BDs(ess=1)
    assert repr(BDeu(ess=1)) == repr(BDeu(np.float64(1))) == "BDeu(ess=1.0)"
    assert BDe(1, PRIOR) == BDe(1.0, PRIOR) != BDe(2, PRIOR)
    assert BGe(nu={"A": 1, "B": 2}) == BGe(nu={"B": 2, "A": 1}) == BGe(nu=(("B", 2), ("A", 1))) != BGe(nu=(1, 2))
    assert BGe(T=np.eye(2)) == BGe(T=[[1, 0], [0, 1]])


def test_scores_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        BDeu().ess = 2  # type: ignore[misc]


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "1", None, True])
def test_imaginary_sample_sizes_must_be_positive(value: object) -> None:
    for kind in (BDeu, BDs):
        with pytest.raises(InputError, match=r"ess=.* must be .*such as ess=1"):
            kind(ess=value)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="ess="):
        BDe(value, PRIOR)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-0.1, float("nan"), "1", None, False])
def test_gamma_must_not_be_negative(value: object) -> None:
    with pytest.raises(InputError, match=r"gamma=.* must be"):
        BIC(gamma=value)  # type: ignore[arg-type]


def test_equivalence_is_stated() -> None:
    assert all(kind.equivalent for kind in (LogLik, AIC, BIC, BDeu, BDe, QNML, BGe))
    assert not any(kind.equivalent for kind in (K2, BDs, BDJeffreys, FNML))


@pytest.mark.parametrize("score", [K2(), BDeu(), BDs(), BDJeffreys(), FNML(), QNML()], ids=repr)
def test_discrete_scores_refuse_continuous_data(score: Score) -> None:
    score.check(DATA)
    with pytest.raises(InputError, match=r"does not score continuous data.*BGe"):
        score.check(Data([Column.continuous("X", np.array([0.5, 1.5]))]))


@pytest.mark.parametrize("score", [LogLik(), AIC(), BIC()], ids=repr)
def test_likelihood_scores_take_both_kinds(score: Score) -> None:
    score.check(DATA)
    score.check(Data([Column.continuous("X", np.array([0.5, 1.5]))]))
