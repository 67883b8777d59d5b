"""Tests of discrete and continuous variables together."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import inf, isnan, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import veridag as vd
from naive import mixed as naive
from strategies import few
from strategies.mixed import mixed_data, mixed_tables
from veridag.criteria.independence import Test, pair_strata
from veridag.criteria.independence.conditional_gaussian import _regression
from veridag.criteria.independence.result import TestResult
from veridag.criteria.independence.strata import Moments, merged
from veridag.criteria.tester import Tester
from veridag.data import Column, Data

KNOWN = oracle.load("mixed")
RULES = ("plain", "adjusted", "observed")
EACH = [vd.G2(), vd.G2(df="observed"), vd.DegenerateG2(), vd.ScoreTest(vd.BIC()), vd.ScoreTest(vd.BCG())]
each_test = pytest.mark.parametrize("test", EACH, ids=repr)
NOTHING = TestResult(0.0, 0.0, 1.0, True)


def triples(data: Data, most: int = 2) -> list[tuple[str, str, list[str]]]:
    return [
        (x, y, list(z))
        for x, y in combinations(data.names, 2)
        for size in range(most + 1)
        for z in combinations([v for v in data.names if v not in (x, y)], size)
    ]


def is_mixed(data: Data, x: str, y: str, z: list[str]) -> bool:
    return len({data.kinds[v] for v in (x, y, *z)}) == 2


def same(a: TestResult, b: TestResult) -> None:
    assert a.statistic == pytest.approx(b.statistic, rel=1e-6, abs=1e-6)
    assert (a.df, a.independent, a.reliable) == (b.df, b.independent, b.reliable)
    assert a.p_value == pytest.approx(b.p_value, rel=1e-5, abs=1e-12)


def discrete(name: str, codes: object, states: str = "abc") -> Column:
    return Column.discrete(name, np.array(codes, np.uint8), states)


# --- values ---------------------------------------------------------------------------------------------------------


@cache
def sample(name: str) -> Data:
    columns = []
    for variable, column in KNOWN[name]["columns"].items():
        if isinstance(column, list):
            columns.append(Column.continuous(variable, np.array(column)))
        else:
            columns.append(discrete(variable, [int(c) for c in column["codes"]], column["states"]))
    return Data(columns)


def unbiased(moments: Moments) -> float:
    """What the oracle has for n log(residual sum of squares / n): divided by rows - parents - 1, in both terms."""
    rank, residual = _regression(moments)
    rest = moments.n - rank - 1
    return moments.n * log(residual / rest) + rest


@pytest.mark.parametrize("name", ["mixed", "mixed_small"])
def test_g2_agrees_with_an_independent_implementation(name):
    data, compared = sample(name), 0
    for known in KNOWN[name]["tests"]:
        x, y, z = known["x"], known["y"], known["given"]
        if "error" in known or data.kinds[x] == data.kinds[y] == "discrete":
            continue  # not tested there, or by another formula
        found = vd.test(x, y, z, data, vd.G2())
        assert found.df == known["df"]
        if known["p"] == 1:  # a cell has too few rows
            assert vd.test(x, y, z, data, vd.G2(df="observed")).df < known["df"]
            continue
        pair = pair_strata(data, x, y, z)
        if data.kinds[x] == data.kinds[y]:  # the regression of one on the other: one more slope in each stratum
            more = sum(_both(cell.moments) for cell in pair.cells)
        else:
            more = sum(
                unbiased(merged([cell.moments for cell in cells])) - sum(unbiased(cell.moments) for cell in cells)
                for cells in pair.strata
            )
        assert more == pytest.approx(known["statistic"], rel=1e-9)
        assert abs(found.statistic - more) < 1.5  # and what it differs from G2 by is small
        compared += 1
    assert compared >= 7


def _both(moments: Moments) -> float:
    last = len(moments.mean) - 1
    return unbiased(moments.of([*range(last - 1), last])) - unbiased(moments)


@few
@given(data=mixed_tables(), choice=st.data())
def test_g2_agrees_with_its_naive_version(data, choice):
    x, y, z = choice.draw(st.sampled_from([t for t in triples(data) if is_mixed(data, *t)]))
    statistic, df = naive.g2(data, x, y, z)
    names = [x, y, *z]
    q = int(np.prod([len(data.states[v]) for v in names if data.kinds[v] == "discrete"]))
    needed = q * (1 + sum(data.kinds[v] == "continuous" for v in names))
    f = [naive.joint_nparams(data, s) for s in (names, z, [x, *z], [y, *z])]
    for rule in RULES:
        found = vd.test(x, y, z, data, vd.G2(df=rule))
        if df == 0:
            assert (found.statistic, found.df, found.p_value, found.independent) == (0, 0, 1, True)
            continue
        skipped = rule == "adjusted" and data.n < 5 * needed
        assert found.statistic == (0 if skipped else pytest.approx(statistic, rel=1e-7, abs=1e-6))
        assert found.df == (f[0] + f[1] - f[2] - f[3] if rule == "plain" else df)
        assert found.reliable == (rule != "observed" or data.n >= needed)
        assert found.independent == (found.p_value > 0.05)
        assert not isnan(found.p_value)


def test_with_rows_enough_g2_is_the_likelihood_ratio_of_four_joint_distributions():
    for seed in range(3):
        data, compared = mixed_data(seed, 400, kinds="dcdc"), 0
        for x, y, z in triples(data):
            h = [naive.joint_loglik(data, s) for s in ([x, y, *z], z, [x, *z], [y, *z])]
            if not is_mixed(data, x, y, z) or inf in h:
                continue
            expected = max(2 * (h[0] + h[1] - h[2] - h[3]), 0.0)
            assert vd.test(x, y, z, data, vd.G2()).statistic == pytest.approx(expected, rel=1e-8, abs=1e-6)
            compared += 1
        assert compared > 5


@few
@given(data=mixed_tables(), choice=st.data(), ess=st.sampled_from([0.5, 1.0]))
def test_degenerate_g2_agrees_with_its_naive_version(data, choice, ess):
    x, y, z = choice.draw(st.sampled_from(triples(data)))
    found = vd.test(x, y, z, data, vd.DegenerateG2(ess=ess))
    a, b = (1 if data.kinds[v] == "continuous" else len(data.states[v]) - 1 for v in (x, y))
    assert found.statistic == pytest.approx(naive.degenerate_g2(data, x, y, z, ess), rel=1e-6, abs=1e-5)
    assert found.df == a * b


def test_degenerate_g2_of_continuous_data_is_g2():
    for seed in range(4):
        data = mixed_data(seed, (4, 8, 30)[seed % 3], kinds="cccc", weighted=seed == 3)
        twice = Data([*data.columns, Column.continuous("twice", 2 * data.column("v0") + 1)], data.weights)
        for x, y, z in triples(twice, 3):
            same(vd.test(x, y, z, twice, vd.DegenerateG2()), vd.test(x, y, z, twice, vd.G2()))


@pytest.mark.parametrize("rule", RULES)
def test_variables_of_one_kind_in_a_mixed_table_are_tested_as_that_kind(rule):
    data = mixed_data(1, 80, kinds="ddcdcc", weighted=True)
    tester = Tester(data, vd.G2(df=rule))
    for kind in ("discrete", "continuous"):
        part = data.select([v for v in data.names if data.kinds[v] == kind])
        for x, y, z in triples(part, 1):
            expected = vd.test(x, y, z, part, vd.G2(df=rule))
            assert vd.test(x, y, z, data, vd.G2(df=rule)) == expected
            same(tester.one(*(data.names.index(v) for v in (x, y)), [data.names.index(v) for v in z]), expected)


def test_many_tests_of_all_kinds_come_back_in_their_order():
    data = mixed_data(2, 90, kinds="dcdcdc")
    tester = Tester(data, vd.G2(df="observed"))
    tests = [
        (x, y, z) for x, y in combinations(range(6), 2) for z in ([], [v for v in range(6) if v not in (x, y)][:2])
    ]
    together = tester.many(tests)
    for i, (x, y, z) in enumerate(tests):
        assert together[i] == tester.one(y, x, z[::-1])
    assert len(tester.many([])) == 0


# --- laws -----------------------------------------------------------------------------------------------------------


@each_test
def test_exchange_order_units_and_names_of_states_change_nothing(test: Test):
    data = mixed_data(3, 120, kinds="dcdcd")
    rng = np.random.default_rng(1)
    shuffled = data.rows(rng.permutation(120)).select(rng.permutation(data.names).tolist())
    moved = []
    for c in data.columns:
        turned = [f"t{k}" for k in range(len(c.states))]
        codes = (len(c.states) - 1 - c.values).astype(np.uint8) if c.kind == "discrete" else c.values
        is_discrete = c.kind == "discrete"
        moved.append(discrete(c.name, codes, turned) if is_discrete else Column.continuous(c.name, 1e3 * codes - 7))
    for x, y, z in triples(data, 1 if isinstance(test, vd.ScoreTest) else 2):
        found = vd.test(x, y, z, data, test)
        assert vd.test(y, x, z[::-1], data, test) == found
        same(vd.test(x, y, z, shuffled, test), found)
        if test != vd.ScoreTest(vd.BCG()):  # whose prior is for variables on the scale of the data
            same(vd.test(x, y, z, Data(moved), test), found)


@each_test
def test_a_row_of_weight_w_counts_w_times(test: Test):
    data = mixed_data(5, 60, kinds="dcdc", weighted=True)
    repeated = Data([c.take(np.repeat(np.arange(60), data.weights)) for c in data.columns])
    for x, y, z in triples(data):
        same(vd.test(x, y, z, data, test), vd.test(x, y, z, repeated, test))


def test_a_condition_with_one_state_changes_nothing():
    data = mixed_data(6, 100, kinds="dcdc")
    more = Data([*data.columns, discrete("one", [0] * 100, "a")])
    for x, y, z in triples(data, 1):
        if is_mixed(data, x, y, z):
            for test in (vd.G2(), vd.DegenerateG2()):
                same(vd.test(x, y, [*z, "one"], more, test), vd.test(x, y, z, data, test))
    assert vd.test("v1", "one", [], more) == NOTHING
    assert vd.test("v1", "one", [], more, vd.DegenerateG2()) == NOTHING


def test_score_test_with_loglik_gains_half_of_g2():
    data = mixed_data(7, 300, kinds="dcdc")
    for x, y, z in triples(data, 1):
        g2, gain = (vd.test(x, y, z, data, t).statistic for t in (vd.G2(), vd.ScoreTest(vd.LogLik())))
        assert gain in (inf, 0.0) or g2 == pytest.approx(max(2 * gain, 0), rel=1e-6, abs=1e-5)


# --- what is rare, constant or singular -----------------------------------------------------------------------------

RNG = np.random.default_rng(4)
NOISE = RNG.normal(size=60)
CODES = np.arange(60) % 2


def check_everywhere(data: Data, x: str, y: str, z: list[str], test: Test) -> TestResult:
    """The readable formula, many at a time, and as a search has it."""
    found = vd.test(x, y, z, data, test)
    at_x, at_y, *at_z = (data.names.index(v) for v in (x, y, *z))
    same(Tester(data, test).one(at_x, at_y, at_z), found)
    evidence, independent, reliable = test.bind(data).core.decide(at_x, at_y, at_z)
    assert (independent, reliable) == (found.independent, found.reliable)
    assert not isnan(evidence)
    return found


@pytest.mark.parametrize("rule", RULES)
def test_a_cell_with_too_few_rows_tells_nothing(rule):
    """State c has one row, which has no variance: the test is that of a and b."""
    codes = np.array([*CODES, 2])
    y = np.array([*(NOISE + 0.3 * CODES), 100.0])
    data = Data([discrete("D", codes), Column.continuous("Y", y)])
    without = Data([discrete("D", CODES), Column.continuous("Y", y[:-1])])
    found, expected = (check_everywhere(d, "D", "Y", [], vd.G2(df=rule)) for d in (data, without))
    same(found, expected)
    assert found.df == (4 if rule == "plain" else 2)


def test_without_cells_to_compare_nothing_is_tested():
    lonely = Data([discrete("D", [0] * 59 + [1]), Column.continuous("Y", NOISE), Column.continuous("W", NOISE**2)])
    for x, y, z in (("D", "Y", []), ("D", "Y", ["W"])):
        found = check_everywhere(lonely, x, y, z, vd.G2())
        assert (found.statistic, found.df, found.p_value, found.independent) == (0, 0, 1, True)
    each_its_own = Data([discrete("D", range(60), [f"s{i}" for i in range(60)]), *lonely.columns[1:]])
    for test in (vd.G2(df=rule) for rule in RULES):
        found = check_everywhere(each_its_own, "Y", "W", ["D"], test)
        assert (found.statistic, found.df, found.p_value, found.independent) == (0, 0, 1, True)
    few = check_everywhere(lonely.rows(range(57, 60)), "D", "Y", ["W"], vd.DegenerateG2())
    assert few == NOTHING


def test_a_variable_that_a_category_makes_constant_depends_on_it():
    data = Data([discrete("D", CODES), Column.continuous("Y", np.where(CODES == 0, 3.7, NOISE))])
    found = check_everywhere(data, "D", "Y", [], vd.G2(df="observed"))
    assert (found.statistic, found.p_value, found.independent) == (inf, 0, False)


def test_a_few_equal_values_may_be_chance():
    """State c has three rows with the same value, as one row that was drawn three times."""
    data = Data([discrete("D", [*CODES, 2, 2, 2]), Column.continuous("Y", [*NOISE, 0.1, 0.1, 0.1])])
    without = Data([discrete("D", CODES), Column.continuous("Y", NOISE)])
    same(*(check_everywhere(d, "D", "Y", [], vd.G2(df="observed")) for d in (data, without)))


def test_copies_of_each_other_depend_and_constants_tell_nothing():
    columns = [discrete("D", CODES), Column.continuous("Y", NOISE), Column.continuous("W", 2 * NOISE + 1)]
    data = Data([*columns, Column.continuous("one", np.ones(60)), Column.continuous("by", 1.0 * CODES)])
    for test in (vd.G2(), vd.G2(df="observed"), vd.DegenerateG2()):
        copies = check_everywhere(data, "Y", "W", ["D"], test)
        assert (copies.statistic, copies.p_value, copies.independent) == (inf, 0, False)
        for x, y, z in (("D", "one", []), ("one", "Y", ["D"]), ("D", "Y", ["W"]), ("Y", "by", ["D"])):
            found = check_everywhere(data, x, y, z, test)
            assert found.independent
            if y != "by" or isinstance(test, vd.G2):  # imaginary observations leave a little of a copy of D
                assert (found.statistic, found.p_value) == (0, 1)
    same(
        check_everywhere(data, "D", "Y", ["one"], vd.G2(df="observed")),
        check_everywhere(data, "D", "Y", [], vd.G2(df="observed")),
    )


def test_a_combination_that_never_occurs_is_evidence_beside_continuous_conditions():
    """Nobody is in state b of both: 15 of 60 are expected, whatever the measurement."""
    x, y = np.array([0, 1, 0] * 20), np.array([0, 0, 1] * 20)
    data = Data([discrete("X", x, "ab"), discrete("Y", y, "ab"), Column.continuous("W", NOISE)])
    found = check_everywhere(data, "X", "Y", ["W"], vd.G2(df="observed"))
    assert (found.df, found.independent) == (1, False)


def test_a_rare_combination_that_is_left_out_makes_no_dependence():
    counts = {(0, 0): 243, (0, 1): 27, (1, 0): 27, (1, 1): 3}  # independent to the last digit
    codes = np.array([at for at, n in counts.items() for _ in range(n)])
    rng = np.random.default_rng(8)
    w = [Column.continuous(f"W{i}", rng.normal(size=300)) for i in range(3)]
    data = Data([discrete("X", codes[:, 0], "ab"), discrete("Y", codes[:, 1], "ab"), *w])
    found = check_everywhere(data, "X", "Y", ["W0", "W1", "W2"], vd.G2(df="observed"))
    assert found.df == 1  # three cells of four have a Gaussian: no parameters to compare but those of the counts
    assert found.independent


def test_a_condition_that_one_category_makes_constant_tells_all_there():
    """Cigarettes a day are 0 of everyone who does not smoke: given them, nothing is left to say about smoking."""
    cigarettes = np.where(CODES == 0, 0.0, 10 + NOISE)
    other = (np.arange(60) // 2 % 2) ^ (np.arange(60) % 7 == 0)
    data = Data([discrete("smoker", CODES, "ny"), discrete("Y", other, "ab"), Column.continuous("W", cigarettes)])
    assert check_everywhere(data, "smoker", "Y", ["W"], vd.G2(df="observed")).independent


@pytest.mark.parametrize("score", [vd.BIC(), vd.LogLik(), vd.BCG(), vd.DegenerateGaussian()], ids=repr)
def test_a_rare_configuration_is_no_perfect_fit_to_a_score(score):
    codes = np.array([*CODES[:-1], 2])  # c once: one row has no variance
    data = Data([discrete("D", codes), Column.continuous("Y", NOISE), Column.continuous("W", NOISE**2)])
    assert np.isfinite(check_everywhere(data, "D", "Y", ["W"], vd.ScoreTest(score)).statistic)
    assert check_everywhere(data, "Y", "W", ["D"], vd.ScoreTest(score)).statistic < 20
    copy = Data([discrete("D", CODES), Column.continuous("Y", NOISE), Column.continuous("W", 3 * NOISE)])
    assert not check_everywhere(copy, "Y", "W", ["D"], vd.ScoreTest(score)).independent


# --- power and directions -------------------------------------------------------------------------------------------


def test_g2_sees_variances_and_slopes_and_degenerate_g2_sees_means():
    rng = np.random.default_rng(3)
    code, w = rng.integers(0, 2, 400), rng.normal(size=400)
    shifted, spread = code + rng.normal(size=400), (1 + code) * rng.normal(size=400)
    slope = np.where(code == 0, w, -w) + rng.normal(size=400)
    values = {"W": w, "mean": shifted, "spread": spread, "slope": slope}
    data = Data([discrete("D", code), *(Column.continuous(name, v) for name, v in values.items())])
    for test, seen in ((vd.G2(), ("mean", "spread", "slope")), (vd.DegenerateG2(), ("mean",))):
        assert tuple(v for v in list(values)[1:] if not vd.test("D", v, ["W"], data, test).independent) == seen


def test_of_independent_variables_about_alpha_depend():
    """Of 400 pairs with 30 rows in each cell about 20 are expected."""
    rng = np.random.default_rng(11)
    n, found = 180, dict.fromkeys(("G2", "DegenerateG2"), 0)
    for _ in range(400):
        codes = rng.permutation(np.arange(n) % 6)
        data = Data(
            [
                discrete("X", codes % 2, "ab"),
                Column.continuous("Y", rng.normal(size=n) + codes // 2),
                discrete("D", codes // 2),
                Column.continuous("W", rng.normal(size=n)),
            ]
        )
        for test in (vd.G2(df="observed"), vd.DegenerateG2()):
            found[type(test).__name__] += not Tester(data, test).one(0, 1, (2, 3)).independent
    assert all(5 < count < 45 for count in found.values()), found


def test_tests_for_one_kind_refuse_mixed_data_and_name_those_that_take_it():
    data = mixed_data(1, 30, kinds="dcdc")
    for test in (vd.X2(), vd.StudentT(), vd.FisherZ()):
        for refused in (lambda t=test: t.check(data), lambda t=test: vd.test("v0", "v1", [], data, t)):
            with pytest.raises(vd.InputError, match="does not test mixed data; use G2, DegenerateG2 or ScoreTest"):
                refused()


def test_directions_are_those_of_the_test():
    rng = np.random.default_rng(1)
    code = rng.integers(0, 2, 300)
    data = Data([Column.continuous("Y", code + 0.5 * rng.normal(size=300)), discrete("D", code, "ab")])
    for test, both in ((vd.G2(df="observed"), False), (vd.DegenerateG2(), True)):
        assert test.both_directions == both
        found = vd.PCStable(test=test).learn(data)
        assert (found.graph.arcs, len(found.graph.edges)) == (((), 1) if both else ((("D", "Y"),), 0))
    assert vd.ScoreTest(vd.DegenerateGaussian()).both_directions
    assert not vd.ScoreTest(vd.BCG()).both_directions
    known = vd.Knowledge(required=[("Y", "D")])
    for learn in (vd.PCStable().learn, lambda d, k: vd.markov_blanket(d, "D", knowledge=k)):
        with pytest.raises(vd.InputError, match="leads from a continuous to a discrete variable"):
            learn(data, known)
    assert vd.neighbours(data, "D") == vd.markov_blanket(data, "D") == ("Y",)
