"""Scores at the ends of what a floating-point number holds: huge imaginary samples, and more cells than a double."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, isqrt, log

import numpy as np
import pytest

import veridag as vd
from veridag.counts import family_counts
from veridag.criteria.scorer import Scorer
from veridag.data import Column, Data

HUGE = [1e3, 1e8, 1e12, 1e15, 1e20, 1e60, 1e200, 1e300]


def exact_log(x: Fraction) -> float:
    """log(x) for x near 1 without losing the digits of x - 1; by the series of 2 atanh((x - 1) / (x + 1))."""
    if not Fraction(1, 2) < x < 2:
        shift = x.numerator.bit_length() - x.denominator.bit_length()
        return shift * log(2) + exact_log(x / Fraction(2) ** shift) if shift else log(x)
    z = (x - 1) / (x + 1)
    return 2 * fsum(float(z) ** (2 * i + 1) / (2 * i + 1) for i in range(60))


def naive_bd(n_ijk: np.ndarray, alpha: Fraction) -> float:
    """log BD: each observation in turn has probability (alpha + n_k) / (r alpha + n), as exact fractions."""
    terms = []
    for row in n_ijk.tolist():
        seen = 0
        for count in row:
            for k in range(count):
                terms.append(exact_log((alpha + k) / (len(row) * alpha + seen)))
                seen += 1
    return fsum(terms)


@pytest.fixture(scope="module")
def asia() -> Data:
    return vd.networks.load("asia").sample(200, seed=3)


@pytest.mark.parametrize("ess", HUGE)
@pytest.mark.parametrize("kind", [vd.BDeu, vd.BDs])
def test_a_huge_imaginary_sample_gives_the_exact_score(asia, kind, ess):
    for child, parents in [("dysp", ()), ("dysp", ("either", "bronc")), ("xray", ("asia", "smoke", "lung"))]:
        family = family_counts(asia, child, parents)
        q = family.q if kind is vd.BDeu else family.q_observed
        exact = naive_bd(family.n_ijk, Fraction(ess) / (family.r * q))
        assert kind(ess).discrete(family) == pytest.approx(exact, rel=1e-12)
        assert vd.local_score(child, parents, asia, kind(ess)) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("ess", HUGE)
def test_bde_with_a_huge_imaginary_sample_is_bdeu_where_its_network_is_uniform(asia, ess):
    network = vd.fit(vd.DAG.empty(asia.names), asia, ess=1e14)  # as good as uniform
    score = vd.local_score("dysp", ["either", "bronc"], asia, vd.BDe(ess, network))
    uniform = vd.local_score("dysp", ["either", "bronc"], asia, vd.BDeu(ess))
    assert score == pytest.approx(uniform, rel=1e-7)


def test_all_ways_to_a_score_agree_for_a_huge_imaginary_sample(asia):
    """The sweep over candidates, the table of parent sets and the single family are different code."""
    for ess in HUGE:
        climbed, exact = (learner(score=vd.BDeu(ess)).learn(asia) for learner in (vd.HillClimbing, vd.Exact))
        for result in (climbed, exact):
            assert result.score == pytest.approx(vd.score(result.dag, asia, vd.BDeu(ess)), rel=1e-11)
            assert result.score < 0
        assert exact.score >= climbed.score - 1e-9


@pytest.fixture(scope="module")
def rich() -> Data:
    """With all others as parents a variable has 200^140 configurations, more than a double can count."""
    rng = np.random.default_rng(4)
    states = [f"s{k}" for k in range(200)]
    columns = [Column.discrete(f"v{i}", rng.integers(0, 3, 40).astype(np.uint8), states) for i in range(140)]
    return Data([*columns, Column.discrete("y", rng.integers(0, 2, 40).astype(np.uint8), ["a", "b"])])


def test_the_likelihood_of_more_configurations_than_a_double_counts_is_a_number(rich):
    parents = rich.names[:138]
    for score in (vd.LogLik(), vd.PNAL(k=0)):
        assert vd.local_score("y", parents, rich, score) == pytest.approx(0.0, abs=1e-9)
    assert Scorer(rich, vd.AIC()).local(140, range(138)) == -np.inf
    start = vd.DAG.from_arcs([(p, "y") for p in parents], rich.names)
    result = vd.HillClimbing(score=vd.LogLik(), start=start, max_iter=2).learn(rich)
    assert np.isfinite(result.score)
    assert result.score == pytest.approx(vd.score(result.dag, rich, vd.LogLik()))


def test_the_logarithm_that_the_tests_go_by_is_right():
    assert exact_log(Fraction(10) ** 20) == pytest.approx(20 * log(10), rel=1e-15)
    assert exact_log(1 + Fraction(1, 10**20)) == pytest.approx(1e-20, rel=1e-15)
    assert exact_log(Fraction(2, 3)) == pytest.approx(log(2 / 3), rel=1e-15)
    assert exact_log(Fraction(isqrt(2 * 10**40), 10**20)) == pytest.approx(log(2) / 2, rel=1e-15)
