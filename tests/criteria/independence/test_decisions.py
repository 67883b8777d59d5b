"""Tests as searches use them, in the core: the decisions of the formulas, and evidence that ranks as p-values do."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from strategies.mixed import mixed_data
from veridag import _core
from veridag.criteria.independence import Test
from veridag.criteria.tester import Tester
from veridag.data import Column, Data

DISCRETE = [t(df=df) for t in (vd.G2, vd.X2) for df in ("plain", "adjusted", "observed")] + [vd.G2(alpha=1e-6)]
GAUSSIAN = [vd.G2(), vd.StudentT(), vd.FisherZ(alpha=0.3)]
SCORES = [vd.ScoreTest(vd.BIC()), vd.ScoreTest(vd.BDeu(), vd.VariableSelection()), vd.ScoreTest(vd.K2(), vd.Fair())]

MIXED = [*(vd.G2(df=df) for df in ("plain", "adjusted", "observed")), vd.DegenerateG2(alpha=0.2)]
MIXED += [vd.ScoreTest(s, vd.Fair()) for s in (vd.BIC(), vd.DegenerateGaussian())]


def discrete_data(seed: int) -> Data:
    rng = np.random.default_rng(seed)
    n, arities = int(rng.integers(5, 400)), rng.integers(1, 5, 6)
    base = rng.integers(0, 4, n)
    codes = [np.where(rng.random(n) < 0.5, base % r, rng.integers(0, r, n)) for r in arities]
    return Data([Column.discrete(f"v{i}", c, [str(s) for s in range(arities[i])]) for i, c in enumerate(codes)])


def gaussian_data(seed: int) -> Data:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 200))
    x = rng.normal(size=(n, 6)) @ (rng.normal(size=(6, 6)) * (rng.random((6, 6)) < 0.5) + np.eye(6))
    x[:, 5] = x[:, 4] if seed % 3 == 0 else x[:, 5]
    return Data([Column.continuous(f"v{i}", x[:, i]) for i in range(6)])


def check(data: Data, test: Test, seed: int) -> None:
    rng = np.random.default_rng(seed)
    bound = test.bind(data).core
    for _ in range(12):
        x, y, *given = rng.choice(6, int(rng.integers(2, 7)), replace=False).tolist()
        evidence, independent, reliable = bound.decide(x, y, given)
        expected = vd.test(data.names[x], data.names[y], [data.names[z] for z in given], data, test)
        assert (independent, reliable) == (expected.independent, expected.reliable)
        assert bound.decide(y, x, given[::-1]) == (evidence, independent, reliable)
        if isinstance(test, vd.ScoreTest):
            assert evidence == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
        elif expected.p_value > 1e-290:
            assert evidence == pytest.approx(-np.log(expected.p_value), rel=1e-8, abs=1e-9)
        else:
            assert evidence > 600


some_seeds = pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 40), marks=pytest.mark.slow)], ids=len)


@pytest.mark.medium
@some_seeds
@pytest.mark.parametrize("test", [*DISCRETE, *SCORES], ids=repr)
def test_discrete_decisions_are_those_of_the_formula(test, seeds):
    for seed in seeds:
        check(discrete_data(seed), test, seed)


@pytest.mark.parametrize(
    "test", [*GAUSSIAN, vd.ScoreTest(vd.BIC(gamma=1)), vd.ScoreTest(vd.BGe(), vd.Fair())], ids=repr
)
@some_seeds
def test_gaussian_decisions_are_those_of_the_formula(test, seeds):
    for seed in seeds:
        check(gaussian_data(seed), test, seed)


@pytest.mark.parametrize("test", MIXED, ids=repr)
def test_mixed_decisions_are_those_of_the_formula(test):
    for seed in range(6):
        check(mixed_data(seed, (25, 60, 200)[seed % 3], weighted=seed % 4 == 0), test, seed)


def test_weighted_rows_count_as_often_as_they_weigh():
    plain = discrete_data(1)
    repeated = Data([Column.discrete(v, np.tile(plain.column(v), 2), plain.states[v]) for v in plain.names])
    weighted = Data(
        [Column.discrete(v, plain.column(v), plain.states[v]) for v in plain.names], weights=np.full(plain.nrows, 2)
    )
    for test in (*DISCRETE, vd.ScoreTest(vd.BIC())):
        for given in ([], [3], [3, 4, 5]):
            assert test.bind(weighted).core.decide(0, 1, given) == test.bind(repeated).core.decide(0, 1, given)


def test_a_test_that_no_data_could_pass_is_not_counted_but_right():
    """Thirty conditioning variables of four states, 100 rows: the largest possible G2 has a p-value of 1."""
    rng = np.random.default_rng(1)
    data = Data([Column.discrete(f"v{i}", rng.integers(0, 4, 100), list("abcd")) for i in range(32)])
    names = data.names
    for k in (2, 3, 4, 8, 30):
        expected = vd.test(names[0], names[1], names[2 : 2 + k], data, vd.G2())
        evidence, independent, reliable = vd.G2().bind(data).core.decide(0, 1, list(range(2, 2 + k)))
        assert (independent, reliable) == (expected.independent, True)
        assert evidence == pytest.approx(-np.log(expected.p_value), abs=1e-9)


def test_tails_agree_with_scipy_and_go_on_where_it_ends():
    from scipy import stats

    for df in (1, 2, 3, 7, 40, 1000, 54321):
        for x in (1e-4, 0.3, 0.5 * df, df, 1.5 * df + 3, 5 * df + 40):
            expected = stats.chi2.logsf(x, df)
            if expected > -600:  # scipy takes the logarithm of a number that becomes 0
                assert _core.log_chi_square_tail(x, df) == pytest.approx(expected, rel=1e-9, abs=1e-13)
        for t in (1e-4, 0.1, 1, 2.5, 30):
            assert _core.log_student_tail(t, df) == pytest.approx(np.log(2 * stats.t.sf(t, df)), rel=1e-9, abs=1e-13)
    assert _core.log_chi_square_tail(1e5, 3) < _core.log_chi_square_tail(9e4, 3) < -40_000


def test_a_subclass_with_a_formula_of_its_own_does_not_run_the_compiled_one():
    class Own(vd.G2):
        def discrete(self, counts):
            return super().discrete(counts).__class__(float(counts.n), 1.0, 0.0, False)

    data = discrete_data(2)
    assert Tester(data, Own()).one(0, 1).statistic == data.n
    assert Own().bind(data).core.decide(0, 1, []) == (1000.0 + data.n, False, True)


def test_columns_are_checked():
    bound = vd.G2().bind(discrete_data(1)).core
    for x, y, given in ((0, 0, []), (0, 9, []), (0, 1, [1]), (0, 1, [2, 2])):
        with pytest.raises(ValueError, match="parent"):
            bound.decide(x, y, given)
