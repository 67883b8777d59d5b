from __future__ import annotations

from decimal import Decimal, localcontext
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive.scores import complexity, complexity_by_definition, log_fraction
from veridag import InputError
from veridag.criteria.scores import log_complexity
from veridag.data import Data


def by_terms(n: int, k: int) -> float:
    """The sum of Mononen and Myllymäki (2008), every term of it, to 60 digits."""
    with localcontext(prec=60, Emax=10**12):
        term = total = Decimal(1)
        for m in range(n):
            term = term * ((n - m) * (k - 1 + m)) / (n * (m + 1))
            total += term
        return float(total.ln())


def by_recurrence(n: int, k: int) -> float:
    """C(n, k + 2) = C(n, k + 1) + n / k C(n, k) (Kontkanen and Myllymäki 2007), to 60 digits."""
    with localcontext(prec=60, Emax=10**12):
        term = second = Decimal(1)
        for m in range(n):
            term = term * (n - m) / n
            second += term
        known = [Decimal(1), second]
        for j in range(1, k - 1):
            known.append(known[j] + n * known[j - 1] / j)
        return float(known[k - 1].ln())


def test_the_naive_versions_agree_with_the_definition() -> None:
    for n in range(1, 7):
        for r in range(1, 5):
            assert complexity(n, r) == complexity_by_definition(n, r)


@pytest.mark.medium
def test_small_values_are_exact() -> None:
    for n in range(30):
        for r in [1, 2, 3, 4, 5, 8, 13, 100]:
            assert log_complexity(n, r) == pytest.approx(log_fraction(complexity(n, r)), rel=1e-12, abs=1e-15)


def test_no_observations_or_a_single_state_have_complexity_one() -> None:
    assert log_complexity(0, 5) == log_complexity(7, 1) == log_complexity(0, 1) == 0


def test_one_observation_has_as_many_outcomes_as_states() -> None:
    for k in [2, 10, 10**12, 10**100, 10**400]:
        assert log_complexity(1, k) == pytest.approx(log(k), rel=1e-15)


@pytest.mark.parametrize("n", [50, 1000, 20_000])
@pytest.mark.parametrize("k", [2, 3, 7, 100, 2000])
def test_moderate_values_agree_with_the_recurrence(n: int, k: int) -> None:
    assert log_complexity(n, k) == pytest.approx(by_recurrence(n, k), rel=1e-13)


@pytest.mark.parametrize("n", [3, 100, 5000])
@pytest.mark.parametrize("k", [10**4, 10**6, 10**12, 10**40, 10**400])
def test_many_states_agree_with_all_terms(n: int, k: int) -> None:
    assert log_complexity(n, k) == pytest.approx(by_terms(n, k), rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 50, 10**6])
def test_a_million_observations_agree_with_all_terms(k: int) -> None:
    assert log_complexity(10**6, k) == pytest.approx(by_terms(10**6, k), rel=1e-12)


@given(st.integers(1, 10**5), st.integers(1, 10**15))
def test_the_recurrence_holds_everywhere(n: int, k: int) -> None:
    low, middle, high = (log_complexity(n, k + i) for i in range(3))
    assert high == pytest.approx(np.logaddexp(middle, log(n) - log(k) + low), rel=1e-12)


def test_numpy_integers_do_not_overflow() -> None:
    assert log_complexity(np.int64(10), np.int64(2**40)) == log_complexity(10, 2**40)


def test_impossible_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="n=-1"):
        log_complexity(-1, 2)
    with pytest.raises(InputError, match="k=0"):
        log_complexity(5, 0)


@pytest.mark.parametrize("score", [vd.QNML(), vd.FNML()], ids=repr)
def test_more_observations_than_the_complexity_is_quick_for_are_refused(score):
    asia = vd.networks.load("asia").sample(100, seed=1)
    many, more = (Data(asia.columns, np.full(100, weight)) for weight in (10**10, 10**10 + 1))
    assert np.isfinite(vd.local_score("dysp", ["either", "bronc"], many, score))
    for act in (lambda: vd.local_score("dysp", [], more, score), lambda: vd.HillClimbing(score=score).learn(more)):
        with pytest.raises(
            vd.InputError, match=r"NML is for up to 10\^12 observations, and the data has 1000000000100"
        ):
            act()
    with pytest.raises(vd.InputError, match=r"up to 10\^12 observations"):
        score.local("dysp", [], more)
