"""Every formula that has a C++ version in the core: both give the same numbers, on any data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive.missing import with_gaps
from strategies import few
from strategies.mixed import mixed_data, mixed_tables
from veridag import _core
from veridag.counts import FamilyCounts, FamilyMoments, family_counts
from veridag.criteria.scorer import Scorer
from veridag.criteria.scores.likelihood import log_likelihood
from veridag.criteria.tester import Tester
from veridag.data import Column, Data
from veridag.specs import members

DISCRETE = [vd.LogLik(), vd.AIC(), vd.BIC(), vd.BIC(gamma=0.7), vd.K2(), vd.BDeu(), vd.BDeu(ess=13.5), vd.BDs()]
DISCRETE += [vd.BDs(ess=0.01), vd.BDJeffreys(), vd.FNML(), vd.QNML(), vd.BHD(), vd.BHD(ess=20, alpha0=0.3)]
DISCRETE += [vd.PNAL(), vd.PNAL(k=2.5)]
GAUSSIAN = [vd.LogLik(), vd.AIC(), vd.BIC(), vd.BIC(gamma=0.7), vd.BGe(), vd.BGe(iss_mu=3, iss_w=20, T=2.5)]
GAUSSIAN += [vd.PNAL(), vd.PNAL(k=2.5)]
MIXED = [vd.LogLik(), vd.AIC(), vd.BIC(gamma=0.7), vd.BCG(), vd.BCG(vd.BDs(ess=3), vd.BGe(iss_mu=2, iss_w=14, T=2.5))]
MIXED += [vd.PNAL(), vd.PNAL(k=2.5), vd.DegenerateGaussian(), vd.DegenerateGaussian(gamma=1, ess=0.3)]
TESTS = [t(df=df) for t in (vd.G2, vd.X2) for df in ("plain", "adjusted", "observed")]
CORRELATION_TESTS = [vd.G2(), vd.StudentT(), vd.FisherZ()]
MIXED_TESTS = [*(vd.G2(df=df) for df in ("plain", "adjusted", "observed")), vd.DegenerateG2(), vd.DegenerateG2(ess=0.2)]
MIXED_TESTS += [vd.ScoreTest(s) for s in (vd.BIC(), vd.BCG(), vd.DegenerateGaussian())]
SCORE_TESTS = [
    vd.ScoreTest(vd.BIC()),
    vd.ScoreTest(vd.BDeu(), vd.VariableSelection()),
    vd.ScoreTest(vd.BDs(), vd.Fair()),
    vd.ScoreTest(vd.BHD(), vd.Fair()),
]


@st.composite
def discrete_data(draw: st.DrawFn) -> Data:
    """Skewed columns with states that never occur, of one and two bytes, with and without weights; in groups, of which
    some may be empty, for the scores that need them.
    """
    p = draw(st.integers(3, 7))
    n = draw(st.sampled_from([2, 7, 64, 150, 700]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = []
    for v in range(p):
        r = int(rng.choice([1, 2, 2, 3, 4, 17, 300], p=[0.04, 0.3, 0.2, 0.2, 0.16, 0.06, 0.04]))
        top = int(rng.integers(1, r + 1))
        codes = rng.choice(top, n, p=rng.dirichlet(np.full(top, 0.5)))
        columns.append(
            Column.discrete(f"v{v}", codes.astype(np.uint8 if r <= 256 else np.uint16), [f"s{k}" for k in range(r)])
        )
    weights = rng.integers(0, 4, n) + (np.arange(n) < 2) if draw(st.booleans()) else None
    groups = draw(st.sampled_from([2, 3, 5, 40]))
    group = rng.integers(0, groups, n)
    group[:2] = [0, 1]  # at least two with observations
    return Data(columns, weights, group, [f"g{f}" for f in range(groups)])


def gaussian_data(seed: int, n: int = 40, p: int = 6, weighted: bool = False) -> Data:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 100 * rng.normal(size=p)
    weights = rng.integers(0, 4, n) + 1 if weighted else None
    return Data([Column.continuous(f"v{i}", x[:, i]) for i in range(p)], weights=weights)


def random_families(p: int, seed: int, number: int = 12) -> list[tuple[int, tuple[int, ...]]]:
    rng = np.random.default_rng(seed)
    families = []
    for _ in range(number):
        chosen = rng.choice(p, int(rng.integers(1, p + 1)), replace=False).tolist()
        families.append((chosen[0], tuple(sorted(chosen[1:]))))
    return families


def by_formula(score: vd.LogLik, data: Data, families: list[tuple[int, tuple[int, ...]]]) -> list[float]:
    return [score.local(data.names[c], [data.names[p] for p in parents], data) for c, parents in families]


def test_every_score_has_a_compiled_version_but_those_named_here():
    without = {name for name, cls in members("score").items() if not cls.is_compiled()}
    assert without == {"bde", "custom-score"}  # a prior network, a function: they run in Python
    assert {type(score) for score in DISCRETE + GAUSSIAN + MIXED} == {
        c for c in members("score").values() if c.is_compiled()
    }


def test_every_test_has_a_compiled_version():
    assert all(cls.is_compiled() for cls in members("test").values())
    held = {type(test) for test in TESTS + CORRELATION_TESTS + MIXED_TESTS + SCORE_TESTS}
    assert held == set(members("test").values())


@dataclass(frozen=True)
class NoPenalty(vd.BIC):
    """BIC, less its penalty."""

    def discrete(self, family: FamilyCounts) -> float:
        return log_likelihood(family)

    def continuous(self, family: FamilyMoments) -> float:
        return float(family.log_likelihood)


@dataclass(frozen=True)
class HalfBGe(vd.BGe):
    """Half of BGe."""

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        return super().local(child, parents, data) / 2


def test_a_subclass_with_a_formula_of_its_own_does_not_run_the_compiled_one():
    discrete, continuous = vd.networks.load("asia").sample(200, seed=1), gaussian_data(1)
    for data in (discrete, continuous):
        families = random_families(6, 1)
        plain = Scorer(data, vd.LogLik()).local_many(families)
        np.testing.assert_allclose(Scorer(data, NoPenalty()).local_many(families), plain, rtol=1e-9)
        learned, expected = (vd.HillClimbing(score=s, max_indegree=2).learn(data) for s in (NoPenalty(), vd.LogLik()))
        assert learned.cpdag == expected.cpdag
        tested, unpenalised = (Tester(data, vd.ScoreTest(s)).one(0, 1, (2,)) for s in (NoPenalty(), vd.LogLik()))
        assert tested.statistic == pytest.approx(unpenalised.statistic, rel=1e-6)
    half, whole = (vd.score(vd.DAG.empty(continuous.names), continuous, s) for s in (HalfBGe(), vd.BGe()))
    assert half == pytest.approx(whole / 2)


@pytest.mark.medium
@pytest.mark.parametrize("score", DISCRETE, ids=repr)
@few
@given(data=discrete_data(), seed=st.integers(0, 2**32))
def test_the_core_scores_discrete_families_as_the_formula_does(score, data, seed):
    families = random_families(len(data.names), seed)
    scorer = Scorer(data, score)
    np.testing.assert_allclose(scorer.local_many(families), by_formula(score, data, families), rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("score", GAUSSIAN, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_core_scores_gaussian_families_as_the_formula_does(score, weighted):
    for seed in range(20):
        data = gaussian_data(seed, weighted=weighted)
        families = random_families(len(data.names), seed)
        expected = by_formula(score, data, families)
        np.testing.assert_allclose(Scorer(data, score).local_many(families), expected, rtol=1e-9)


@pytest.mark.parametrize("score", MIXED, ids=repr)
@few
@given(data=mixed_tables(), seed=st.integers(0, 2**32))
def test_the_core_scores_mixed_families_as_the_formula_does(score, data, seed):
    families = random_families(len(data.names), seed)
    found = Scorer(data, score, jobs=2).unbounded_many(families)
    np.testing.assert_allclose(found, by_formula(score, data, families), rtol=1e-8, atol=1e-7)


@pytest.mark.parametrize("score", MIXED, ids=repr)
def test_the_core_scores_candidates_side_by_side_as_one_by_one(score):
    """A greedy search asks for all candidates at once; what it finds has the score of its families."""
    for seed in range(3):
        data = mixed_data(seed, 150, 8, weighted=seed == 1)
        found = vd.HillClimbing(score=score, max_indegree=3).learn(data)
        families = [(data.names.index(v), [data.names.index(p) for p in found.dag.parents(v)]) for v in data.names]
        assert found.score == pytest.approx(sum(by_formula(score, data, families)), rel=1e-9)


def test_bge_takes_a_prior_mean_and_a_prior_matrix():
    data = gaussian_data(3)
    matrix = np.cov(np.random.default_rng(1).normal(size=(6, 50)))
    score = vd.BGe(iss_mu=2, iss_w=11, nu={name: 1.5 * i for i, name in enumerate(data.names)}, T=matrix)
    families = random_families(6, 2)
    np.testing.assert_allclose(Scorer(data, score).local_many(families), by_formula(score, data, families), rtol=1e-9)


@given(data=discrete_data(), seed=st.integers(0, 2**32))
def test_the_core_counts_as_numpy_does(data, seed):
    table = data.core_table
    for child, parents in random_families(len(data.names), seed, 5):
        cells, configurations = table.family_counts(child, list(parents))
        expected = family_counts(data, data.names[child], [data.names[p] for p in parents])
        np.testing.assert_array_equal(np.sort(cells[cells > 0]), np.sort(expected.n_ijk[expected.n_ijk > 0]))
        np.testing.assert_array_equal(np.sort(configurations[configurations > 0]), np.sort(expected.n_ij))


@pytest.mark.parametrize("kernels", ["portable", "popcnt", "avx2", "avx512"])
def test_every_kind_of_instructions_counts_the_same(kernels):
    before = _core.bit_kernels()
    data = vd.networks.load("insurance").sample(3000, seed=2)
    families = random_families(20, 5, 300)
    families = [(child, parents[:4]) for child, parents in families]
    expected = Scorer(data, vd.BDeu()).local_many(families)
    if not _core.use_bit_kernels(kernels):
        pytest.skip(f"this machine has no {kernels}")
    try:
        assert (Scorer(data, vd.BDeu()).local_many(families) == expected).all()
    finally:
        assert _core.use_bit_kernels(before)


@pytest.mark.parametrize("score", [vd.BDeu(), vd.FNML(), vd.BIC(), vd.BHD()])
def test_the_number_of_threads_changes_nothing(score):
    data = vd.networks.load("alarm").sample(2000, seed=1)
    data = Data(data.columns, None, np.arange(2000) % 4, "abcd")
    families = [(c, p[:4]) for c, p in random_families(37, 8, 500)]
    one, three = (Scorer(data, score, jobs=jobs).local_many(families) for jobs in (1, 3))
    assert (one == three).all()


@pytest.mark.parametrize("test", TESTS, ids=repr)
@given(data=discrete_data(), seed=st.integers(0, 2**32))
def test_the_core_tests_discrete_pairs_as_the_formula_does(test, data, seed):
    check_tests(test, data, seed, rtol=1e-8)


@pytest.mark.parametrize("test", CORRELATION_TESTS, ids=repr)
def test_the_core_tests_gaussian_pairs_as_the_formula_does(test):
    for seed in range(10):
        check_tests(test, gaussian_data(seed, weighted=seed % 2 == 0), seed, rtol=1e-6)


@pytest.mark.parametrize("test", MIXED_TESTS, ids=repr)
@few
@given(data=mixed_tables(), seed=st.integers(0, 2**32))
def test_the_core_tests_mixed_pairs_as_the_formula_does(test, data, seed):
    check_tests(test, data, seed, rtol=1e-6)


@pytest.mark.parametrize("test", SCORE_TESTS, ids=repr)
@few
@given(data=discrete_data(), seed=st.integers(0, 2**32))
def test_score_tests_are_the_same_one_by_one_and_together(test, data, seed):
    check_tests(test, data, seed, rtol=1e-8)


def test_score_tests_on_gaussian_data_are_the_same_one_by_one_and_together():
    for seed in range(5):
        for score in (vd.BIC(), vd.BGe()):
            check_tests(vd.ScoreTest(score, vd.VariableSelection()), gaussian_data(seed), seed, rtol=1e-6)


def check_tests(test: vd.G2, data: Data, seed: int, rtol: float) -> None:
    rng = np.random.default_rng(seed)
    triples = []
    for _ in range(10):
        chosen = rng.choice(len(data.names), int(rng.integers(2, len(data.names) + 1)), replace=False).tolist()
        triples.append((chosen[0], chosen[1], chosen[2:]))
    tester = Tester(data, test, jobs=2)
    together = tester.many(triples)
    assert tester.calls == len(triples)
    for i, (x, y, z) in enumerate(triples):
        alone = vd.test(data.names[x], data.names[y], [data.names[v] for v in z], data, test)
        found = together[i]
        assert found.statistic == pytest.approx(alone.statistic, rel=rtol, abs=1e-7)
        assert (found.df, found.reliable) == (alone.df, alone.reliable)
        assert found.p_value == pytest.approx(alone.p_value, rel=1e-5, abs=1e-12)
        if abs(alone.p_value - getattr(test, "alpha", 0.5)) > 1e-6:
            assert found.independent == alone.independent


@given(discrete_data(), st.integers(0, 2**32), st.sampled_from([0.02, 0.2, 0.5]), st.sampled_from([None, 0.0, 2.5]))
def test_pnal_counts_incomplete_data_in_the_core(data, seed, share, k):
    data, score = with_gaps(data, share, seed), vd.PNAL(k)
    families = random_families(len(data.names), seed)
    expected = by_formula(score, data, families)
    assert Scorer(data, score).unbounded_many(families).tolist() == pytest.approx(expected, rel=1e-10, abs=1e-9)


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from(["cccc", "dcdcd"]), st.sampled_from([None, 0.0, 2.5]))
def test_pnal_scores_incomplete_measurements_in_the_core(seed, weighted, kinds, k):
    data, score = with_gaps(mixed_data(seed, 80, weighted=weighted, kinds=kinds), 0.1, seed), vd.PNAL(k)
    families = random_families(len(data.names), seed)
    expected = by_formula(score, data, families)
    assert Scorer(data, score).unbounded_many(families).tolist() == pytest.approx(expected, rel=1e-8, abs=1e-8)


@given(discrete_data(), st.integers(0, 2**32))
def test_searches_with_pnal_score_candidates_side_by_side(data, seed):
    """The counts of a family with each of many candidates, as searches take them."""
    data = with_gaps(data, 0.1, seed)
    found = vd.HillClimbing(score=vd.PNAL(0.5), max_indegree=2).learn(data)
    slow = vd.PNAL(0.5)
    expected = sum(slow.local(v, found.dag.parents(v), data) for v in data.names)
    assert found.score == pytest.approx(expected, rel=1e-10, abs=1e-9)
