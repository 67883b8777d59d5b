"""Where the formulas have nothing to say: constants, empty strata, too few rows, singular data, far tails."""

from __future__ import annotations

from math import erfc, exp, inf, isfinite, lgamma, pi, sqrt

import numpy as np
import pytest

from veridag import Data, InputError
from veridag.criteria import independence
from veridag.criteria.independence import (
    G2,
    X2,
    FisherZ,
    PairCounts,
    PairMoments,
    ScoreTest,
    StudentT,
    Test,
    pair_counts,
    pair_moments,
)
from veridag.criteria.independence.result import TestResult
from veridag.criteria.scores import BIC, BDeu, BGe, LogLik
from veridag.criteria.tester import Tester
from veridag.data import Column

CONTINGENCY: list[Test] = [
    G2(),
    G2(df="adjusted"),
    G2(df="observed"),
    X2(),
    X2(df="adjusted"),
    X2(df="observed"),
]
CORRELATION: list[Test] = [G2(), StudentT(), FisherZ()]
NOTHING = TestResult(0.0, 0.0, 1.0, True)


def discrete(states: dict[str, int] | None = None, /, **codes: list[int]) -> Data:
    sizes = states or {}
    return Data([Column.discrete(v, np.array(c), map(str, range(sizes.get(v, max(c) + 1)))) for v, c in codes.items()])


def continuous(**values: object) -> Data:
    return Data([Column.continuous(v, np.asarray(c, dtype=float)) for v, c in values.items()])


def numbers(rows: int, seed: int = 0, names: str = "XYZW") -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {v: rng.normal(size=rows) for v in names}


# --- discrete -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", CONTINGENCY, ids=repr)
def test_a_variable_with_one_state_is_independent_of_all_others(test: Test) -> None:
    data = discrete(X=[0] * 40, Y=[0, 1] * 20, Z=[0, 0, 1, 1] * 10)
    for given in ([], "Z", ["Z"]):
        assert independence.test("X", "Y", given, data, test) == NOTHING
        assert independence.test("Y", "X", given, data, test) == NOTHING


@pytest.mark.parametrize("test", [G2(), X2()], ids=repr)
def test_a_constant_with_more_declared_states_keeps_its_degrees_of_freedom(test: Test) -> None:
    data = discrete({"X": 3}, X=[1] * 40, Y=[0, 1] * 20)
    assert independence.test("X", "Y", [], data, test) == TestResult(0.0, 2.0, 1.0, True)


def test_plain_strata_are_those_of_the_declared_states() -> None:
    """Two of the 3 x 4 possible configurations of Z and W occur."""
    data = discrete(
        {"Z": 3, "W": 4}, X=[0, 1, 0, 1] * 30, Y=[0, 1, 1, 1] * 30, Z=[0, 0, 1, 1] * 30, W=[2, 2, 0, 0] * 30
    )
    assert independence.test("X", "Y", ["Z", "W"], data, G2()).df == 12
    assert independence.test("X", "Y", ["Z", "W"], data, X2()).df == 12
    assert independence.test("X", "Y", ["Z", "W"], data, G2(df="adjusted")).df == 1  # Y is constant where Z is 1
    assert independence.test("X", "Y", ["Z", "W"], data, G2(df="observed")).df == 1
    assert pair_counts(data, "X", "Y", ["Z", "W"]).n_xyz.shape == (2, 2, 2)


@pytest.mark.parametrize("test", [G2(df="adjusted"), X2(df="adjusted")], ids=repr)
def test_adjusted_tests_need_five_observations_for_each_possible_cell(test: Test) -> None:
    x = [0, 1] * 10
    enough = discrete(X=x, Y=x)
    result = independence.test("X", "Y", [], enough, test)
    assert result.statistic > 0
    assert not result.independent
    one_row_less = enough.rows(slice(19))
    assert independence.test("X", "Y", [], one_row_less, test) == TestResult(0.0, 1.0, 1.0, True)
    assert not independence.test("X", "Y", [], one_row_less, type(test)()).independent


@pytest.mark.parametrize("test", [G2(df="observed"), X2(df="observed")], ids=repr)
def test_observed_tests_with_fewer_observations_than_cells_are_made_but_not_reliable(test: Test) -> None:
    x = [0, 1] * 4
    enough = discrete(X=x, Y=x, Z=[0] * 4 + [1] * 4)
    result = independence.test("X", "Y", "Z", enough, test)
    assert (result.reliable, result.independent) == (True, False)
    one_row_less = enough.rows(slice(1, 8))
    result = independence.test("X", "Y", "Z", one_row_less, test)
    assert (result.reliable, result.independent, result.df) == (False, False, 2)
    many = Tester(one_row_less, test).many([(0, 1, [2]), (0, 1, [])])
    assert many.reliable.tolist() == [False, True]
    assert many[0].reliable is False


def test_observed_degrees_of_freedom_keep_the_power_that_plain_ones_lose() -> None:
    """Three of the 27 configurations occur; in each, X and Y depend on each other as much as in the first."""
    z = [0] * 40 + [1] * 40 + [2] * 40
    data = discrete(X=[0, 0, 0, 0, 1, 1, 1, 1] * 15, Y=[0, 0, 0, 1, 0, 1, 1, 1] * 15, Z=z, W=z, V=z)
    given = ["Z", "W", "V"]
    plain, observed = (independence.test("X", "Y", given, data, G2(df=df)) for df in ("plain", "observed"))
    assert plain.statistic == observed.statistic
    assert (plain.df, observed.df) == (27, 3)
    assert (plain.independent, observed.independent) == (True, False)


@pytest.mark.parametrize("test", CONTINGENCY, ids=repr)
def test_one_row_tells_nothing(test: Test) -> None:
    result = independence.test("X", "Y", "Z", discrete({"X": 2, "Y": 2, "Z": 2}, X=[0], Y=[1], Z=[1]), test)
    assert (result.statistic, result.p_value, result.independent) == (0.0, 1.0, True)


@pytest.mark.parametrize("test", [G2(), X2()], ids=repr)
def test_exact_independence_has_statistic_zero(test: Test) -> None:
    n_xyz = np.array([np.outer([3, 7, 11], [13, 5]), np.outer([1, 0, 2], [9, 1])])
    result = test.discrete(PairCounts("X", "Y", ("Z",), n_xyz, 2))
    assert result == TestResult(0.0, 4.0, 1.0, True)


def test_large_counts_do_not_overflow() -> None:
    n_xyz = np.array([[[4, 1], [1, 4]]], dtype=np.int64) * 10**17
    expected = 2e17 * (8 * np.log(1.6) + 2 * np.log(0.4))
    assert G2().discrete(PairCounts("X", "Y", (), n_xyz, 1)).statistic == pytest.approx(expected, rel=1e-12)
    assert X2().discrete(PairCounts("X", "Y", (), n_xyz, 1)).statistic == pytest.approx(3.6e17, rel=1e-12)


def test_strata_beyond_what_a_float_can_hold() -> None:
    many = [f"Z{i}" for i in range(1100)]
    data = discrete(**{v: [0, 1, 1, 0] for v in ("X", "Y", *many)})
    assert pair_counts(data, "X", "Y", many).L == 2**1100
    result = independence.test("X", "Y", many, data, G2())
    assert (result.df, result.p_value, result.independent) == (inf, 1.0, True)
    assert independence.test("X", "Y", many, data, X2(df="adjusted")).p_value == 1


def test_a_table_too_large_for_memory_is_refused_by_name() -> None:
    rows, states = 4000, [str(i) for i in range(200)]
    code = np.arange(rows)
    data = Data(
        [
            Column.discrete("big", code % 200, states),
            Column.discrete("large", code % 199, states),
            Column.discrete("Z", code % 100, states),
            Column.discrete("W", code // 100, states),
        ]
    )
    with pytest.raises(InputError, match=r"counting 'big' and 'large' given \('Z', 'W'\) needs 4000"):
        independence.test("big", "large", ["Z", "W"], data)


@pytest.mark.parametrize(("df", "tail"), [(1, lambda s: erfc(sqrt(s / 2))), (2, lambda s: exp(-s / 2))])
@pytest.mark.parametrize("size", [3, 300, 700])
def test_chi_square_is_accurate_in_the_far_tail(df: int, tail, size: int) -> None:
    """X = Y in the one stratum that occurs, of L = 1 or 2 that are possible: so many degrees of freedom."""
    n_xyz = np.array([[[size, 0], [0, size]]])
    result = G2().discrete(PairCounts("X", "Y", (), n_xyz, df))
    assert result.statistic == pytest.approx(4 * size * np.log(2), rel=1e-14)
    assert result.p_value == pytest.approx(tail(result.statistic), rel=1e-11, abs=1e-320)


# --- Gaussian -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", CORRELATION, ids=repr)
@pytest.mark.parametrize("constant", [0.0, 0.1, 1e10 / 3])
def test_a_constant_is_independent_of_all_others(test: Test, constant: float) -> None:
    data = continuous(**{**numbers(30), "X": [constant] * 30})
    for given in ([], ["Z", "W"]):
        result = independence.test("X", "Y", given, data, test)
        assert (result.statistic, result.p_value, result.independent) == (0, 1, True)
    check_only_some_count(data, "Y", "Z", given=["X"], effective=[])


def check_only_some_count(data: Data, x: str, y: str, given: list[str], effective: list[str]) -> None:
    found, expected = pair_moments(data, x, y, given), pair_moments(data, x, y, effective)
    assert found.rho == pytest.approx(expected.rho, rel=1e-12)
    assert found.rank == expected.rank == len(effective)
    assert found.given == tuple(given)


def test_conditioning_variables_that_are_linear_functions_of_others_add_nothing() -> None:
    values = numbers(30, names="XYZ")
    data = continuous(**values, W=3 - 2 * values["Z"])
    check_only_some_count(data, "X", "Y", given=["Z", "W"], effective=["Z"])
    for test in CORRELATION:
        once, twice = (independence.test("X", "Y", given, data, test) for given in ("Z", ["Z", "W"]))
        assert once.df == twice.df
        assert once.p_value == pytest.approx(twice.p_value, rel=1e-12)


@pytest.mark.parametrize("test", [*CORRELATION, ScoreTest(BIC()), ScoreTest(LogLik())], ids=repr)
def test_a_linear_function_of_the_conditioning_variables_has_nothing_left_to_explain(test: Test) -> None:
    values = numbers(30, names="YZW")
    data = continuous(X=values["Z"] - 2 * values["W"] + 1, **values)
    for x, y in (("X", "Y"), ("Y", "X")):
        result = independence.test(x, y, ["Z", "W"], data, test)
        assert result.statistic == 0
        assert result.independent
        assert result.p_value in (0.5, 1)


@pytest.mark.parametrize("slope", [2, -2])
def test_a_perfect_correlation_is_infinitely_significant(slope: int) -> None:
    values = numbers(30, names="XZ")
    data = continuous(**values, Y=slope * values["X"] + 5, W=slope * values["X"] + values["Z"])
    sign = slope // abs(slope)
    for y, given in (("Y", []), ("Y", "Z"), ("W", "Z")):
        assert pair_moments(data, "X", y, given).rho == sign
        assert independence.test("X", y, given, data, StudentT()) == TestResult(sign * inf, 28 - len(given), 0, False)
        assert independence.test("X", y, given, data, FisherZ()) == TestResult(sign * inf, 27 - len(given), 0, False)
        assert independence.test("X", y, given, data, G2()) == TestResult(inf, 1, 0, False)
        assert independence.test("X", y, given, data, ScoreTest(BIC())) == TestResult(inf, 0, 0, False)


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_too_few_rows_reject_nothing(rows: int) -> None:
    """Given two variables, the residuals of four rows are perfectly correlated, whatever the data."""
    data = continuous(**numbers(rows))
    assert pair_moments(data, "X", "Y", ["Z", "W"]).rho == 0
    for test in CORRELATION:
        assert independence.test("X", "Y", ["Z", "W"], data, test) == NOTHING
    assert independence.test("X", "Y", ["Z", "W"], data, ScoreTest(BIC())).independent


def test_fisher_z_needs_one_row_more_than_the_others() -> None:
    data = continuous(**numbers(5))
    assert independence.test("X", "Y", ["Z", "W"], data, FisherZ()) == NOTHING
    assert independence.test("X", "Y", ["Z", "W"], data, StudentT()).df == 1
    assert independence.test("X", "Y", ["Z", "W"], continuous(**numbers(6)), FisherZ()).df == 1


@pytest.mark.parametrize("noise", [10.0**-k for k in range(1, 17)])
def test_nearly_singular_data_gives_no_root_of_a_negative_number(noise: float) -> None:
    values = numbers(50, seed=3)
    values["W"] = values["Z"] + noise * values["W"]
    values["X"] = values["Z"] + noise * values["X"]
    values["Y"] = values["X"] + noise * values["Y"]
    data = continuous(**values)
    for x, y, given in (("X", "Y", ["Z", "W"]), ("X", "Z", "W"), ("Y", "W", ["X", "Z"]), ("X", "Y", [])):
        rho = pair_moments(data, x, y, given).rho
        assert -1 <= rho <= 1
        for test in CORRELATION:
            result = independence.test(x, y, given, data, test)
            assert 0 <= result.p_value <= 1
            assert isfinite(result.statistic) or abs(rho) == 1


def test_a_correlation_is_perfect_up_to_the_share_that_counts_as_singular() -> None:
    values = numbers(50, names="XE")
    for noise, is_perfect in ((1e-3, False), (1e-4, False), (1e-6, True), (1e-7, True)):
        rho = pair_moments(continuous(X=values["X"], Y=values["X"] + noise * values["E"]), "X", "Y", []).rho
        assert (rho == 1) == is_perfect
        assert rho == pytest.approx(1, abs=noise)


def test_many_collinear_conditioning_variables_stay_accurate() -> None:
    """Powers on a short interval span the same polynomials as Legendre's, which are nearly orthogonal."""
    rng = np.random.default_rng(5)
    u = rng.uniform(-1, 1, 300)
    x, y = rng.normal(size=300), rng.normal(size=300)
    powers = {f"P{k}": (u + 3) ** k for k in range(1, 5)}
    legendre = {f"L{k}": np.polynomial.legendre.Legendre.basis(k)(u) for k in range(1, 5)}
    data = continuous(X=x + np.sin(3 * u), Y=x + y + u**3, **powers, **legendre)
    expected = pair_moments(data, "X", "Y", list(legendre))
    found = pair_moments(data, "X", "Y", list(powers))
    assert found.rank == expected.rank == 4
    assert found.rho == pytest.approx(expected.rho, rel=1e-11)


def test_collinear_conditioning_variables_cost_no_accuracy() -> None:
    """The same conditioning set in two bases; by the inverse of the covariance 8 digits would be lost."""
    values = numbers(200, seed=1)
    values["X"] = values["X"] + values["Z"] + values["W"]
    values["Y"] = values["Y"] - values["Z"] + values["W"] + values["X"]
    data = continuous(**values, V=values["Z"] + 1e-4 * values["W"])
    expected = pair_moments(data, "X", "Y", ["Z", "W"]).rho
    assert pair_moments(data, "X", "Y", ["Z", "V"]).rho == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("scale", "origin"), [(1e-200, 0), (1e200, 0), (1.7e308, 0), (1, 1e9), (1e-3, 1e6)])
def test_units_and_origin_may_be_extreme(scale: float, origin: float) -> None:
    values = {v: np.tanh(x) for v, x in numbers(30).items()}
    expected = pair_moments(continuous(**values), "X", "Y", ["Z", "W"]).rho
    moved = continuous(**{v: scale * x + origin for v, x in values.items()})
    assert pair_moments(moved, "X", "Y", ["Z", "W"]).rho == pytest.approx(expected, rel=1e-6)


def test_the_mean_is_taken_out_to_the_last_digit() -> None:
    values = {v: np.round(30 * x) for v, x in numbers(31).items()}
    moved = continuous(**{v: 2.0**51 + x for v, x in values.items()})
    expected = pair_moments(continuous(**values), "X", "Y", ["Z", "W"]).rho
    assert pair_moments(moved, "X", "Y", ["Z", "W"]).rho == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rho", [0.5, -0.9, 0.99999, 1 - 1e-9])
@pytest.mark.parametrize("n", [3, 4, 100])
def test_student_t_and_fisher_z_are_accurate_in_the_far_tail(rho: float, n: int) -> None:
    t = StudentT().continuous(PairMoments("X", "Y", (), n, rho, 0))
    s = abs(t.statistic)
    assert t.statistic == pytest.approx(rho * sqrt((n - 2) / (1 - rho**2)), rel=1e-7)
    if n == 3:
        assert t.p_value == pytest.approx(2 / pi * np.arctan(1 / s), rel=1e-11)
    if n == 4:
        assert t.p_value == pytest.approx(2 / (sqrt(2 + s * s) * (sqrt(2 + s * s) + s)), rel=1e-11)
    if n == 100:
        u = 1 - rho**2  # the p-value is the regularised incomplete beta integral of u, df / 2 and 1 / 2
        series = sum(c * u**k / (49 + k) for k, c in enumerate(_root_series(4000)))
        beta = exp(lgamma(49) + lgamma(0.5) - lgamma(49.5))
        assert t.p_value == pytest.approx(u**49 * series / beta, rel=1e-7, abs=1e-300)
    if n > 3:
        z = FisherZ().continuous(PairMoments("X", "Y", (), n, rho, 0))
        assert z.p_value == pytest.approx(erfc(abs(z.statistic) / sqrt(2)), rel=1e-12)


def _root_series(terms: int) -> list[float]:
    """The coefficients of (1 - u)^(-1/2)."""
    c = [1.0]
    for k in range(1, terms):
        c.append(c[-1] * (k - 0.5) / k)
    return c


def test_a_bayesian_score_test_of_a_perfect_correlation_is_finite() -> None:
    values = numbers(30, names="XZ")
    data = continuous(**values, Y=2 * values["X"])
    result = independence.test("X", "Y", [], data, ScoreTest(BGe()))
    assert isfinite(result.statistic)
    assert not result.independent


def test_score_tests_of_a_constant_find_nothing() -> None:
    data = discrete({"X": 1}, X=[0] * 40, Y=[0, 1] * 20, Z=[0, 0, 1, 1] * 10)
    for score in (BIC(), BDeu(), LogLik()):
        assert independence.test("X", "Y", "Z", data, ScoreTest(score)) == TestResult(0.0, 0.0, 0.5, True)
