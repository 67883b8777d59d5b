"""What holds for every test, on random data: the naive versions, symmetry, invariance."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import independence as naive_tests
from naive.independence import samples, tables
from veridag import Data
from veridag.criteria import independence
from veridag.criteria.independence import G2, X2, FisherZ, ScoreTest, StudentT, Test, pair_counts, pair_moments
from veridag.criteria.independence.result import TestResult
from veridag.criteria.priors import Fair, VariableSelection
from veridag.criteria.scores import BIC, FNML, K2, BDeu, BDs, BGe
from veridag.data import Column

DISCRETE: list[Test] = [
    G2(),
    G2(df="adjusted"),
    X2(),
    X2(df="adjusted"),
    G2(df="observed"),
    X2(df="observed"),
    ScoreTest(BIC()),
    ScoreTest(BDeu(), Fair()),
    ScoreTest(K2()),
    ScoreTest(BDs()),
    ScoreTest(FNML()),
]
GAUSSIAN: list[Test] = [
    G2(),
    StudentT(),
    FisherZ(),
    ScoreTest(BIC(gamma=0.5)),
    ScoreTest(BGe(), VariableSelection(0.2)),
]
on_tables = pytest.mark.parametrize("test", DISCRETE, ids=repr)
on_samples = pytest.mark.parametrize("test", GAUSSIAN, ids=repr)


def ask(data: Data, test: Test, x: str = "A", y: str = "B") -> TestResult:
    """The first two variables given all others."""
    return independence.test(x, y, [v for v in data.names if v not in (x, y)], data, test)


def same(a: TestResult, b: TestResult, abs_tol: float = 1e-9) -> None:
    assert a.statistic == pytest.approx(b.statistic, rel=1e-9, abs=abs_tol)
    assert a.df == b.df
    assert a.p_value == pytest.approx(b.p_value, rel=1e-8)
    assert a.independent == b.independent


def pair(data: Data) -> tuple[Data, str, str, list[str]]:
    return data, "A", "B", [v for v in data.names if v not in "AB"]


# --- the naive versions ---------------------------------------------------------------------------------------------


@given(tables())
def test_g2_and_x2_agree_with_the_naive_versions(data: Data) -> None:
    df = naive_tests.plain_df(*pair(data))
    for test, naive in ((G2(), naive_tests.g2), (X2(), naive_tests.x2)):
        result = ask(data, test)
        statistic = naive(*pair(data))
        assert result.statistic == pytest.approx(statistic, rel=1e-10, abs=1e-11)
        assert result.df == df
        p_value = naive_tests.chi_square_tail(result.statistic, df) if df else 1
        assert result.p_value == pytest.approx(p_value, rel=1e-10)
        assert result.independent == (result.p_value > 0.05)


@given(tables(most_rows=150))
def test_adjusted_tests_agree_with_the_naive_versions(data: Data) -> None:
    df = naive_tests.adjusted_df(*pair(data))
    for test, naive in ((G2(df="adjusted"), naive_tests.g2), (X2(df="adjusted"), naive_tests.x2)):
        result = ask(data, test)
        enough = data.n >= 5 * naive_tests.ncells(*pair(data))
        assert result.statistic == pytest.approx(naive(*pair(data)) if enough else 0, rel=1e-10, abs=1e-11)
        assert result.df == df
        p_value = naive_tests.chi_square_tail(result.statistic, df) if df and enough else 1
        assert result.p_value == pytest.approx(p_value, rel=1e-10)


@given(tables(most_rows=150))
def test_observed_tests_agree_with_the_naive_versions(data: Data) -> None:
    df = naive_tests.adjusted_df(*pair(data))
    for test, naive in ((G2(df="observed"), naive_tests.g2), (X2(df="observed"), naive_tests.x2)):
        result = ask(data, test)
        constant = min(len(data.states[v]) for v in "AB") == 1
        assert result.reliable == (data.n >= naive_tests.ncells(*pair(data)) or constant)
        assert result.statistic == pytest.approx(naive(*pair(data)) if df else 0, rel=1e-10, abs=1e-11)
        assert result.df == df
        p_value = naive_tests.chi_square_tail(result.statistic, df) if df else 1
        assert result.p_value == pytest.approx(p_value, rel=1e-10)


@given(samples())
def test_gaussian_tests_agree_with_the_naive_versions(data: Data) -> None:
    rho = naive_tests.partial_correlation(*pair(data))
    assert pair_moments(*pair(data)).rho == pytest.approx(rho, rel=1e-8, abs=1e-10)
    z = len(data.names) - 2
    for test, naive, df in (
        (StudentT(), naive_tests.student_t, data.n - z - 2),
        (FisherZ(), naive_tests.fisher_z, data.n - z - 3),
    ):
        result = ask(data, test)
        statistic, p_value = naive(rho, data.n, z)
        assert result.statistic == pytest.approx(statistic, rel=1e-7, abs=1e-9)
        assert result.df == df
        assert result.p_value == pytest.approx(p_value, rel=1e-6)
    result = ask(data, G2())
    assert result.statistic == pytest.approx(-data.n * np.log(1 - rho**2), rel=1e-7, abs=1e-9)
    assert result.df == 1
    assert result.p_value == pytest.approx(naive_tests.chi_square_tail(result.statistic, 1), rel=1e-10)


@given(tables())
def test_counts_are_those_of_the_observed_strata(data: Data) -> None:
    counts = pair_counts(*pair(data))
    strata = naive_tests.strata(*pair(data))
    assert counts.n == data.n
    assert counts.n_xyz.shape == (len(strata), data.arities["A"], data.arities["B"])
    assert sorted(counts.n_xyz.sum(axis=(1, 2)).tolist()) == sorted(t.total() for t in strata.values())
    assert np.prod([data.arities[v] for v in data.names[2:]]) == counts.L


# --- laws -----------------------------------------------------------------------------------------------------------


@on_tables
@given(data=tables())
def test_discrete_tests_are_symmetric_to_the_last_digit(test: Test, data: Data) -> None:
    assert ask(data, test) == ask(data, test, "B", "A")


@on_samples
@given(data=samples())
def test_gaussian_tests_are_symmetric_to_the_last_digit(test: Test, data: Data) -> None:
    assert ask(data, test) == ask(data, test, "B", "A")


@on_tables
@given(data=tables(), seed=st.integers(0, 99))
def test_order_does_not_matter_to_discrete_tests(test: Test, data: Data, seed: int) -> None:
    check_order(test, data, seed)


@on_samples
@given(data=samples(), seed=st.integers(0, 99))
def test_order_does_not_matter_to_gaussian_tests(test: Test, data: Data, seed: int) -> None:
    check_order(test, data, seed)


def check_order(test: Test, data: Data, seed: int) -> None:
    result = ask(data, test)
    rng = np.random.default_rng(seed)
    same(ask(data.rows(rng.permutation(data.nrows)), test), result)
    same(ask(data.select(rng.permutation(data.names).tolist()), test), result)
    for given_z in permutations(data.names[2:]):
        assert independence.test("A", "B", given_z, data, test) == result


@on_tables
@given(data=tables().filter(lambda d: d.weights is not None))
def test_a_weight_repeats_a_row_in_discrete_tests(test: Test, data: Data) -> None:
    same(ask(repeated(data), test), ask(data, test))


@on_samples
@given(data=samples().filter(lambda d: d.weights is not None))
def test_a_weight_repeats_a_row_in_gaussian_tests(test: Test, data: Data) -> None:
    same(ask(repeated(data), test), ask(data, test))


def repeated(data: Data) -> Data:
    return Data(data.rows(np.arange(data.nrows).repeat(data.weights)).columns)


@pytest.mark.parametrize("test", [G2(), StudentT(), FisherZ(), ScoreTest(BIC())], ids=repr)
@given(data=samples())
def test_units_and_origin_do_not_matter_to_gaussian_tests(test: Test, data: Data) -> None:
    moved = Data([Column.continuous(c.name, 1e-3 * c.values + 7) for c in data.columns], data.weights)
    same(ask(moved, test), ask(data, test), abs_tol=1e-7)


@pytest.mark.parametrize("test", [t for t in DISCRETE if t != ScoreTest(BDeu(), Fair())], ids=repr)
@given(data=tables())
def test_conditioning_on_a_variable_with_one_state_changes_nothing(test: Test, data: Data) -> None:
    one = Column.discrete("one", np.zeros(data.nrows, np.uint8), ["only"])
    same(ask(Data([*data.columns, one], data.weights), test), ask(data, test))


@given(tables(smallest=2))
def test_renaming_and_reordering_states_changes_nothing(data: Data) -> None:
    turned = [
        Column.discrete(c.name, len(c.states) - 1 - c.values.astype(int), [f"t{s}" for s in c.states])
        for c in data.columns
    ]
    for test in (G2(), X2(), G2(df="adjusted"), G2(df="observed")):
        assert ask(Data(turned, data.weights), test) == ask(data, test)


@given(tables())
def test_an_unobserved_state_counts_in_plain_and_not_in_adjusted_degrees_of_freedom(data: Data) -> None:
    more = Data([Column.discrete(c.name, c.values, [*c.states, "never"]) for c in data.columns], data.weights)
    for plain, adjusted in ((G2(), G2(df="adjusted")), (X2(), X2(df="adjusted"))):
        assert ask(more, plain).statistic == ask(data, plain).statistic
        assert ask(more, plain).df == naive_tests.plain_df(*pair(more))
        assert ask(more, adjusted).df == ask(data, adjusted).df
