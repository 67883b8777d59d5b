"""A score as a test: the paper's matching criteria, and what holds for scores that are not symmetric."""

from __future__ import annotations

from math import exp, inf, log, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import scores as naive_scores
from naive.independence import samples, tables
from veridag import Data, InputError
from veridag.criteria import independence
from veridag.criteria.independence import G2, ScoreTest, pair_counts, pair_moments
from veridag.criteria.independence.result import TestResult
from veridag.criteria.priors import (
    CasteloSiebes,
    DataSize,
    Edge,
    Fair,
    IndegreeAtMost,
    MarginalUniform,
    Uniform,
    VariableSelection,
)
from veridag.criteria.scores import BIC, FNML, K2, BDeu, BDs, BGe, CustomScore, LogLik
from veridag.criteria.scores.base import Score
from veridag.data import Column

NUMBERS = Data([Column.continuous("A", np.array([0.5, 1.5, 0.1])), Column.continuous("B", np.array([0.1, 1.7, 0.2]))])


def others(data: Data) -> list[str]:
    return [v for v in data.names if v not in "AB"]


def ask(data: Data, test: ScoreTest) -> TestResult:
    return independence.test("A", "B", others(data), data, test)


def gain(data: Data, score: Score, child: str, parent: str) -> float:
    return score.local(child, [*others(data), parent], data) - score.local(child, others(data), data)


# --- the paper's tests ----------------------------------------------------------------------------------------------


@given(tables(), st.sampled_from([0, 0.1, 1, 5]))
def test_bic_decides_as_g2_with_the_papers_threshold_on_discrete_data(data: Data, gamma: float) -> None:
    """Eq. (11), and its form for BIC_gamma in section 5.1.1."""
    R, C = data.arities["A"], data.arities["B"]
    new_parameters = (R - 1) * (C - 1) * prod(data.arities[v] for v in others(data))
    threshold = new_parameters * (log(data.n) + 2 * gamma * log(len(data.names)))
    statistic = independence.test("A", "B", others(data), data, G2()).statistic
    result = ask(data, ScoreTest(BIC(gamma)))
    assert result.statistic == pytest.approx((statistic - threshold) / 2, rel=1e-9, abs=1e-9)
    assert result.independent == (not statistic > threshold + 1e-9)


@given(samples(), st.sampled_from([0, 0.1, 1, 5]))
def test_bic_decides_as_g2_with_the_papers_threshold_on_gaussian_data(data: Data, gamma: float) -> None:
    threshold = log(data.n) + 2 * gamma * log(len(data.names))  # an arc is one more parameter
    statistic = independence.test("A", "B", others(data), data, G2()).statistic
    result = ask(data, ScoreTest(BIC(gamma)))
    assert result.statistic == pytest.approx((statistic - threshold) / 2, rel=1e-7, abs=1e-8)
    assert result.independent == (not statistic > threshold)


def test_a_larger_gamma_asks_for_more_evidence() -> None:
    data = Data.from_numpy([[0, 0], [1, 1]] * 30 + [[0, 1], [1, 0]] * 12, ["A", "B"])
    assert not ask(data, ScoreTest(BIC())).independent
    assert ask(data, ScoreTest(BIC(gamma=10))).independent


@given(tables())
def test_the_log_likelihood_gain_is_half_of_g2(data: Data) -> None:
    statistic = independence.test("A", "B", others(data), data, G2()).statistic
    assert ask(data, ScoreTest(LogLik())).statistic == pytest.approx(statistic / 2, rel=1e-9, abs=1e-8)


@given(tables(smallest=2).filter(lambda d: len(d.names) > 2))
def test_log_bf_is_the_bayes_factor_times_the_prior_odds_of_an_arc(data: Data) -> None:
    """Sections 3 and 4: each parent is included with probability 1 / (N - 1)."""
    given_z, N = others(data), len(data.names)
    log_bf = naive_scores.bdeu(data, "A", [*given_z, "B"]) - naive_scores.bdeu(data, "A", given_z)
    log_odds = log((1 / (N - 1)) / (1 - 1 / (N - 1)))
    result = ask(data, ScoreTest(BDeu(), VariableSelection()))
    assert result.statistic == pytest.approx(log_bf + log_odds, rel=1e-8, abs=1e-8)
    assert result.independent == (result.statistic <= 0)


@given(samples().filter(lambda d: len(d.names) > 2))
def test_log_bf_of_gaussian_data_includes_the_prior_odds_of_an_arc(data: Data) -> None:
    expected = gain(data, BGe(), "A", "B") - log(len(data.names) - 2)
    assert ask(data, ScoreTest(BGe(), VariableSelection())).statistic == pytest.approx(expected, rel=1e-9, abs=1e-8)


# --- both directions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", [BIC(), BDeu(), BDeu(ess=9)], ids=repr)
@given(data=tables())
def test_both_directions_gain_the_same_under_an_equivalent_score(score: Score, data: Data) -> None:
    assert gain(data, score, "A", "B") == pytest.approx(gain(data, score, "B", "A"), rel=1e-9, abs=1e-9)
    for prior in (None, Edge(0.3), Fair(), MarginalUniform()):
        one_way = gain(data, score, "A", "B")
        if prior is not None:
            log_w = prior.log_weights(len(data.names), data.n)
            one_way += log_w[len(data.names) - 1] - log_w[len(data.names) - 2]
        assert ask(data, ScoreTest(score, prior)).statistic == pytest.approx(one_way, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("score", [K2(), BDs(), FNML()], ids=repr)
@given(data=tables(smallest=2))
def test_the_better_direction_counts_under_other_scores(score: Score, data: Data) -> None:
    best = max(gain(data, score, "A", "B"), gain(data, score, "B", "A"))
    assert ask(data, ScoreTest(score)).statistic == pytest.approx(best, rel=1e-9, abs=1e-7)


def test_a_dependence_that_only_one_direction_gains_by_is_found() -> None:
    """With 2 and 4 states K2 prefers one direction; the test does not depend on which is named first."""
    data = Data.from_numpy([(0, 0), (0, 1), (0, 2), (1, 3), (1, 0)], ["A", "B"], weights=[3, 1, 1, 1, 6])
    assert gain(data, K2(), "B", "A") < 0 < gain(data, K2(), "A", "B")
    result = ask(data, ScoreTest(K2()))
    assert not result.independent
    assert result == independence.test("B", "A", [], data, ScoreTest(K2()))


def test_a_prior_that_treats_directions_differently_counts_in_the_better_one() -> None:
    data = Data.from_numpy([[0, 0], [1, 1], [0, 1], [1, 0]] * 10, ["A", "B"])
    without = ask(data, ScoreTest(BDeu())).statistic
    prior = CasteloSiebes({("A", "B"): 0.9})
    terms = prior.terms(data.names, data.n)
    odds = max(terms.log(1, [0]) - terms.log(1, []), terms.log(0, [1]) - terms.log(0, []))
    result = ask(data, ScoreTest(BDeu(), prior))
    assert result.statistic == pytest.approx(without + odds)
    assert result.statistic > without


# --- the result -----------------------------------------------------------------------------------------------------


@given(tables())
def test_the_p_value_is_the_posterior_probability_of_independence(data: Data) -> None:
    result = ask(data, ScoreTest(BDeu()))
    assert result.df == 0
    assert result.p_value == pytest.approx(1 / (1 + exp(result.statistic)))
    assert result.independent == (result.statistic <= 0) == (result.p_value >= 0.5)


def test_overwhelming_evidence_does_not_overflow() -> None:
    data = Data.from_numpy([[0, 0], [1, 1]], ["A", "B"], weights=[10**6, 10**6])
    result = ask(data, ScoreTest(BIC()))
    assert result.statistic > 1e6
    assert (result.p_value, result.independent) == (0, False)


def test_the_default_prior_is_uniform() -> None:
    data = Data.from_numpy([[0, 0], [1, 1], [0, 1]] * 10, ["A", "B"])
    assert ask(data, ScoreTest(BDeu())) == ask(data, ScoreTest(BDeu(), Uniform()))


def test_a_prior_may_depend_on_the_number_of_observations() -> None:
    data = Data.from_numpy([[0, 0], [1, 1], [0, 1], [1, 0]], ["A", "B"], weights=[9, 9, 6, 6])
    odds = float(np.diff(DataSize().log_weights(2, 30))[0])
    assert odds != float(np.diff(DataSize().log_weights(2, 4))[0])
    expected = ask(data, ScoreTest(BDeu())).statistic + odds
    assert ask(data, ScoreTest(BDeu(), DataSize())).statistic == pytest.approx(expected)


@given(st.integers(0, 2**32 - 1))
def test_rounding_is_no_evidence(seed: int) -> None:
    """Counts that are products of margins have exactly the same likelihood with and without the arc."""
    rng = np.random.default_rng(seed)
    counts = np.outer(rng.integers(1, 50, 4), rng.integers(1, 50, 3))
    data = Data.from_numpy(np.argwhere(counts), ["A", "B"], weights=counts.ravel())
    assert ask(data, ScoreTest(LogLik())) == TestResult(0.0, 0.0, 0.5, True)


def test_a_family_that_the_prior_rules_out_never_gains() -> None:
    data = Data.from_numpy([[0, 0, 0], [1, 1, 1]] * 30, ["A", "B", "C"])
    prior = IndegreeAtMost(1)
    assert not independence.test("A", "B", [], data, ScoreTest(BDeu(), prior)).independent
    ruled_out = independence.test("A", "B", "C", data, ScoreTest(BDeu(), prior))
    assert (ruled_out.statistic, ruled_out.p_value, ruled_out.independent) == (-inf, 1, True)
    both = independence.test("A", "B", "C", data, ScoreTest(BDeu(), IndegreeAtMost(0)))
    assert (both.statistic, both.p_value, both.independent) == (0, 0.5, True)


def longer_is_better(child: str, parents: tuple[str, ...], data: Data) -> float:
    """A custom score that prefers C to have parents, and nothing else to."""
    return len(parents) * (1.0 if child == "C" else -1.0) * data.n


def test_any_custom_score_is_a_test() -> None:
    data = Data.from_numpy([[0, 0, 0], [1, 1, 1]] * 5, ["A", "B", "C"])
    test = ScoreTest(CustomScore(longer_is_better))
    assert independence.test("A", "B", "C", data, test).independent
    assert independence.test("A", "C", [], data, test).statistic == 10
    assert independence.test("C", "A", "B", data, test).statistic == 10


def test_counts_and_moments_are_not_enough_for_a_score() -> None:
    data = Data.from_numpy([[0, 0], [1, 1]] * 5, ["A", "B"])
    with pytest.raises(InputError, match=r"needs the data, not counts: use evaluate\(data, 'A', 'B', given\)"):
        ScoreTest(BIC()).discrete(pair_counts(data, "A", "B", []))
    with pytest.raises(InputError, match="needs the data, not moments"):
        ScoreTest(BIC()).continuous(pair_moments(NUMBERS, "A", "B", []))


def test_a_score_test_handles_what_its_score_does() -> None:
    assert ScoreTest(BIC()).handles("discrete")
    assert ScoreTest(BIC()).handles("continuous")
    assert not ScoreTest(K2()).handles("continuous")
    assert ScoreTest(BGe()).check(NUMBERS) == "continuous"
    with pytest.raises(InputError, match="K2"):
        ask(NUMBERS, ScoreTest(K2()))


@pytest.mark.parametrize("score", ["bic", BIC, None])
def test_the_score_must_be_a_score(score: object) -> None:
    with pytest.raises(InputError, match="must be a score, such as BIC"):
        ScoreTest(score)  # type: ignore[arg-type]


def test_the_prior_must_be_a_prior() -> None:
    with pytest.raises(InputError, match="prior='fair' must be a structure prior"):
        ScoreTest(BIC(), "fair")  # type: ignore[arg-type]
