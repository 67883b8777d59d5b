"""A search passes on no score that is not a number, and never chooses silently among families that have none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import veridag as vd
from veridag import _core
from veridag.counts import FamilyCounts
from veridag.criteria.scorer import Scorer
from veridag.data import Column, Data
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.search.base import Algorithm
from veridag.search.result import Result


@dataclass(frozen=True)
class Undefined(vd.BIC):
    """BIC that is NaN where a variable has two parents or more, or always."""

    always: bool = False
    equivalent: ClassVar[bool] = False

    def discrete(self, family: FamilyCounts) -> float:
        return float("nan") if self.always or len(family.parents) > 1 else super().discrete(family)


@dataclass(frozen=True)
class Wrong(Algorithm):
    """A learner that returns a graph with the score it is told to."""

    claims: float = float("nan")
    interrupted: bool = False

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        result = Result(vd.DAG.empty(data.names), self.claims, 1, 1, 1, 0.0, seed, "wrong")
        return replace(result, interrupted=self.interrupted)


@pytest.fixture(scope="module")
def asia() -> Data:
    return vd.networks.load("asia").sample(300, seed=3)


@pytest.mark.parametrize("claims", [float("nan"), float("inf")])
@pytest.mark.parametrize("interrupted", [False, True])
def test_no_score_leaves_learn_that_is_not_a_finite_number(asia, claims, interrupted):
    with pytest.raises(vd.InputError, match=rf"score of the network found is {claims}: rescale"):
        Wrong(claims, interrupted).learn(asia)
    assert Wrong(-5.0).learn(asia).score == -5.0


@pytest.mark.parametrize(
    "learner", [vd.HillClimbing, vd.Tabu, vd.GES, vd.BOSS, vd.OrderAnnealing, vd.Exact], ids=lambda c: c.__name__
)
def test_a_search_that_meets_an_undefined_family_says_so(asia, learner):
    with pytest.raises(vd.InputError, match="a local score is not a number: rescale columns"):
        learner(score=Undefined()).learn(asia.select(asia.names[:5]))


def test_a_score_that_is_not_a_number_is_refused(asia):
    dag = vd.DAG.empty(asia.names)
    with pytest.raises(vd.InputError, match=r"score of 'asia' given \(\) is not a number"):
        vd.score(dag, asia, Undefined(always=True))
    with pytest.raises(vd.InputError, match=r"score of 'asia' given \('tub', 'smoke'\) is not a number"):
        vd.local_score("asia", ["tub", "smoke"], asia, Undefined())


def test_the_core_hands_out_nan_as_it_is(asia):
    """`Scorer` is for those who look themselves."""
    assert np.isnan(Scorer(asia, Undefined(always=True)).local(0, []))
    assert isinstance(Undefined().bind(asia), _core.Scorer)


@pytest.mark.parametrize(
    "learner", [vd.GES(), vd.GES(order="xges-0"), vd.GES(order="phases"), vd.BOSS(score=vd.BIC())], ids=repr
)
def test_a_search_over_classes_ends_where_rounding_breaks_equivalence(learner):
    """Y is X but for 1e-5 of it: a likelihood alone, and a linear function of X and Z by what counts as rounding."""
    rng = np.random.default_rng(0)
    x, e, f = (rng.normal(size=60) for _ in range(3))
    data = Data([Column.continuous(v, c) for v, c in (("X", x), ("Y", x + 1e-5 * (x + e)), ("Z", x + e + f))])
    result = replace(learner, score=vd.BIC()).learn(data)
    assert np.isfinite(result.score)
    assert result.score == pytest.approx(vd.score(result.dag, data, vd.BIC()))
