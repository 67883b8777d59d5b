"""The pattern of missing values: how many, where, together with what, and what is said of it."""

from __future__ import annotations

import json
from math import comb, sqrt
from statistics import NormalDist

import numpy as np
import pytest

import veridag as vd
from veridag.data import Column, Data
from veridag.data.missingness import counting
from veridag.data.missingness.testing import holm, two_by_two, weighted_ranks, with_numbers, with_states
from veridag.data.missingness.words import UNSEEN, percent


def discrete(name: str, codes, gone=(), states="ab") -> Column:
    observed = np.ones(len(codes), bool)
    observed[list(gone)] = False
    return Column.discrete(name, np.asarray(codes), states, observed=observed)


def numbers(name: str, values, gone=None) -> Column:
    return Column.continuous(name, values, observed=None if gone is None else ~gone)


def small() -> Data:
    """Six rows: A misses rows 0, 1 and 2, B rows 1 and 2, and C nothing."""
    return Data(
        [discrete("C", [0, 1] * 3), discrete("B", [0, 1] * 3, [1, 2]), discrete("A", [0, 0, 1, 1, 0, 1], [0, 1, 2])]
    )


def random_data(n: int, gone_with_age: bool, seed: int = 1) -> Data:
    """Income is missing in a third of the rows, of the old if it goes with age; sex and age are complete."""
    rng = np.random.default_rng(seed)
    age = rng.normal(50, 10, n)
    gone = rng.random(n) < (1 / (1 + np.exp(-(age - 57) / 3)) if gone_with_age else 0.3)
    return Data(
        [
            numbers("age", age),
            discrete("sex", rng.integers(0, 2, n), states=("m", "f")),
            numbers("income", rng.normal(size=n), gone),
        ]
    )


def test_shares_combinations_and_complete_rows_are_counted():
    pattern = small().missing_pattern()
    assert (pattern.n, pattern.complete, pattern.complete_share) == (6, 3, 0.5)
    assert dict(pattern.counts) == {"C": 0, "B": 2, "A": 3}
    assert pattern.shares["A"] == 0.5
    assert pattern.share == 5 / 18
    assert pattern.variables == ("A", "B")
    assert [(c.variables, c.n) for c in pattern.combinations] == [(("B", "A"), 2), (("A",), 1)]
    assert pattern.n_combinations == 2


def test_a_row_counts_as_often_as_its_weight_says():
    rng = np.random.default_rng(2)
    weights = rng.integers(0, 4, 300)
    data = random_data(300, True)
    part = Data([*data.columns, discrete("X", rng.integers(0, 2, 300), np.flatnonzero(rng.random(300) < 0.2))])
    weighted = Data(part.columns, weights).missing_pattern()
    repeated = part.rows(np.repeat(np.arange(300), weights)).missing_pattern()
    assert weighted.to_dict() == repeated.to_dict()
    assert weighted.dependences


def test_combinations_beyond_the_first_hundred_are_counted():
    gone = np.array([[i >> j & 1 for j in range(8)] for i in range(1, 256)], bool)
    data = Data([discrete(f"X{j}", np.zeros(255, int), np.flatnonzero(gone[:, j])) for j in range(8)])
    pattern = data.missing_pattern()
    assert (len(pattern.combinations), pattern.n_combinations, pattern.complete) == (100, 255, 0)
    assert pattern.excerpt(2, 50) == (
        ("X0", "X1"),
        tuple(c for c in pattern.combinations if {*c.variables} <= {"X0", "X1"}),
    )


def test_without_gaps_there_is_nothing_to_say():
    pattern = small().select(["C"]).missing_pattern()
    assert pattern.verdict == ("No value is missing.",)
    assert str(pattern) == pattern.brief() == "no values are missing"
    assert (pattern.variables, pattern.complete, pattern.tests) == ((), 6, 0)


def test_a_dependence_on_a_measurement_is_found_and_said():
    pattern = random_data(500, True).missing_pattern()
    (found,) = pattern.dependences
    assert (found.variable, found.other) == ("income", "age")
    assert found.p_value < 1e-10
    assert 0.3 < found.correlation < 0.9
    assert found.how.startswith("its median is 58.")
    assert pattern.tests == 2
    first, methods, unseen = pattern.verdict
    assert first == "Whether 'income' is missing depends on 'age'."
    assert "missing at random" in methods
    assert "Leaving out incomplete rows would bias" in methods
    assert unseen == UNSEEN
    assert not pattern.complete_cases_suffice


def test_a_dependence_on_a_state_names_the_state():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, 600)
    gone = np.flatnonzero(rng.random(600) < np.array([0.1, 0.1, 0.5])[codes])
    data = Data([discrete("X", codes, states="abc"), discrete("Y", rng.integers(0, 2, 600), gone)])
    (found,) = data.missing_pattern().dependences
    inside = np.mean(codes[gone] == 2) * len(gone) / np.sum(codes == 2)
    outside = np.sum(codes[gone] != 2) / np.sum(codes != 2)
    assert found.how == f"{inside:.0%} are missing where it is 'c', and {outside:.0%} elsewhere"


def test_being_missing_may_go_with_the_group():
    rng = np.random.default_rng(7)
    site = np.arange(300) % 3
    gone = np.flatnonzero(rng.random(300) < np.where(site == 2, 0.5, 0.05))
    column = discrete("X", rng.integers(0, 2, 300), gone)
    pattern = Data([column], None, site, ("north", "south", "west")).missing_pattern()
    (found,) = pattern.dependences
    assert (found.variable, found.other) == ("X", "group")
    assert "where it is 'west'" in found.how
    assert (pattern.tests, [*pattern.counts]) == (1, ["X"])
    assert not Data([column]).missing_pattern().tests


def test_gaps_at_random_are_no_dependence():
    pattern = random_data(500, False).missing_pattern()
    assert not pattern.dependences
    assert pattern.verdict[0].startswith("No sign that missing values depend on the other columns")
    assert pattern.verdict[1].startswith(f"But only {pattern.complete} of 500 rows")
    assert pattern.verdict[-1] == UNSEEN


def test_it_is_said_when_complete_rows_are_enough():
    data = random_data(500, False)
    gone = np.arange(500) % 12 == 0
    pattern = Data([*data.columns[:2], numbers("income", np.arange(500.0), gone)]).missing_pattern()
    assert pattern.complete_cases_suffice
    assert "458 of 500 rows (92 %) are complete, which is enough" in pattern.verdict[1]


def test_few_gaps_and_no_complete_rows_are_said():
    few = Data([discrete("A", [0, 1] * 50, [3]), discrete("B", [0, 0, 1, 1] * 25)]).missing_pattern()
    assert "Only 1 row with missing values: too few to detect a weak dependence." in few.verdict
    none = Data([discrete("A", [0, 1], [0]), discrete("B", [0, 1], [1])]).missing_pattern()
    assert none.verdict[0] == "This table does not allow a test of whether missing values depend on the other columns."
    assert none.verdict[1].startswith("No row is complete")


def test_a_dependence_in_few_rows_cannot_distort_by_much():
    age = np.arange(1000.0)
    pattern = Data([numbers("age", age), numbers("x", age, age >= 980)]).missing_pattern()
    assert [one.other for one in pattern.dependences] == ["age"]
    assert "But the bias is small: 980 of 1000 rows (98 %) are complete." in pattern.verdict


def test_what_is_missing_together_is_found_only_if_it_is_more_than_chance():
    rng = np.random.default_rng(4)
    block = rng.random(400) < 0.2
    gaps = [block | (rng.random(400) < 0.05), block | (rng.random(400) < 0.05), rng.random(400) < 0.2]
    pattern = Data(
        [numbers(name, np.zeros(400), gone) for name, gone in zip("ABC", gaps, strict=True)]
    ).missing_pattern()
    (pair,) = pattern.together
    assert {pair.first, pair.second} == {"A", "B"}
    assert pair.n == np.sum(gaps[0] & gaps[1])
    assert pair.expected == pytest.approx(gaps[0].sum() * gaps[1].sum() / 400)
    assert f"({pair.n} rows, {pair.expected:.0f} by chance)" in pattern.brief()


def test_columns_that_are_never_missing_together_are_not_called_so():
    data = Data([discrete("A", [0] * 200, range(100)), discrete("B", [0] * 200, range(100, 200))])
    assert not data.missing_pattern().together


def test_the_brief_text_has_at_most_ten_lines_and_the_json_has_all():
    pattern = random_data(500, True).missing_pattern()
    assert len(pattern.brief().splitlines()) <= 10
    told = json.loads(pattern.to_json())
    assert told["counts"] == dict(pattern.counts)
    assert told["dependences"][0]["other"] == "age"
    assert told["verdict"] == [*pattern.verdict]
    assert "<td" in pattern._repr_html_()
    for sentence in pattern.verdict:
        assert sentence in str(pattern)


def test_with_very_many_columns_those_with_most_gaps_are_tested(monkeypatch):
    monkeypatch.setattr(counting, "_MOST_PAIRS", 30)
    rng = np.random.default_rng(5)
    columns = [
        discrete(f"X{j}", rng.integers(0, 2, 20), rng.choice(20, 2 + (j == 9), replace=False)) for j in range(12)
    ]
    pattern = Data(columns).missing_pattern()
    assert len(pattern.untested) == 12 - 30 // 11
    assert "X9" not in pattern.untested
    assert "not tested, because there are too many columns" in str(pattern)


# --- the tests themselves -------------------------------------------------------------------------------------------


def naive_exact(k: int, t: int, m: int, n: int) -> float:
    """Twice the smaller tail, from binomial coefficients."""
    weights = {x: comb(t, x) * comb(n - t, m - x) for x in range(max(0, m + t - n), min(m, t) + 1)}
    total = sum(weights.values())
    low, high = (sum(w for x, w in weights.items() if side * x <= side * k) / total for side in (1, -1))
    return min(1.0, 2 * min(low, high))


@pytest.mark.parametrize(("k", "t", "m", "n"), [(3, 10, 5, 60), (0, 7, 9, 30), (9, 10, 50, 60), (25, 26, 27, 30)])
def test_small_tables_are_tested_exactly(k, t, m, n):
    found = two_by_two(np.array([float(k)]), np.array([float(t)]), m, n)[0]
    assert found == pytest.approx(naive_exact(k, t, m, n), rel=1e-9)


def test_large_tables_are_tested_by_g2():
    k, t, m, n = 150, 400, 300, 1000
    frame = {"A": [0] * 400 + [1] * 600, "B": [1] * k + [0] * (t - k) + [1] * (m - k) + [0] * (n - t - m + k)}
    expected = vd.test("A", "B", [], Data([discrete(v, x) for v, x in frame.items()]), vd.G2()).p_value
    assert two_by_two(np.array([float(k)]), np.array([float(t)]), m, n)[0] == pytest.approx(expected, rel=1e-9)


def test_constant_variables_are_not_tested():
    assert with_states(np.array([3.0, 0.0]), np.array([9.0, 0.0])) is None
    assert with_states(np.array([3.0, 6.0]), np.array([3.0, 6.0])) is None
    assert with_numbers(9.0, 0.0, 3.0, 15.0) is None


def test_the_rank_test_counts_pairs_in_which_the_one_is_larger():
    rng = np.random.default_rng(6)
    x = np.round(rng.normal(size=80), 1)  # with ties
    gone = rng.random(80) < 0.4
    ranks = weighted_ranks(x, np.ones(80))
    found = with_numbers(80.0, float(np.sum((ranks - 40.5) ** 2)), float(gone.sum()), float(ranks[gone].sum()))
    a, b = x[gone], x[~gone]
    u = np.sum(a[:, None] > b) + np.sum(a[:, None] == b) / 2
    _, ties = np.unique(x, return_counts=True)
    variance = len(a) * len(b) / 12 * (81 - np.sum(ties**3 - ties) / (80 * 79))
    z = (abs(u - len(a) * len(b) / 2) - 0.5) / sqrt(variance)
    assert found.p_value == pytest.approx(2 * NormalDist().cdf(-z), rel=1e-9)
    assert found.correlation == pytest.approx(np.corrcoef(gone, ranks)[0, 1])


def test_holm_multiplies_the_smallest_by_the_number_of_tests():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0 %"), (1, "100 %"), (0.0004, "<0.1 %"), (0.9996, ">99.9 %"), (0.031, "3.1 %"), (0.25, "25 %")],
)
def test_shares_are_rounded_to_neither_nothing_nor_all(share, shown):
    assert percent(share) == shown
