"""Which method exact search takes, and when it changes over; dynamic programming that leaves sets out."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive import exact as naive_tables
from veridag.criteria.score_table import ScoreTable
from veridag.search.exact import method as exact_method
from veridag.search.exact import search as exact_search
from veridag.search.exact.method import Cost, Patience
from veridag.search.exact.search import Search, best_first


def tied_table(n: int, seed: int, sets: int) -> ScoreTable:
    """Scores are small integers, so that many networks tie; every third variable needs a parent."""
    rng = np.random.default_rng(seed)
    table = []
    for v in range(n):
        own: dict[tuple[int, ...], float] = {} if v % 3 == 2 else {(): -20.0}
        for _ in range(sets):
            others = [u for u in range(n) if u != v]
            chosen = rng.choice(others, int(rng.integers(1, min(3, n - 1) + 1)), replace=False)
            own[tuple(sorted(map(int, chosen)))] = float(-20 + 2 * len(chosen) + rng.integers(0, 4))
        table.append(sorted(((value, s) for s, value in own.items()), key=lambda row: -row[0]))
    return ScoreTable.from_sets(tuple(f"v{i:02d}" for i in range(n)), table)


@pytest.fixture
def unreduced(monkeypatch):
    """Nothing is ruled out beforehand, and the first network is a poor one."""
    monkeypatch.setattr(exact_search, "ASCENTS", 0)
    monkeypatch.setattr(exact_search, "CLIMB_ROUNDS", 0)


@pytest.fixture
def methods(monkeypatch):
    """The methods that were taken, in their order; with what they were allowed."""
    taken: list[tuple[str, object]] = []

    def record(name: str) -> None:
        real = getattr(Search, name)

        def recorded(self, part, allowed):
            taken.append((name.removeprefix("_solve_"), allowed))
            return real(self, part, allowed)

        monkeypatch.setattr(Search, name, recorded)

    record("_solve_dynamic")
    record("_solve_integer")
    return taken


# The choice, on descriptions alone.


def test_many_candidates_of_few_variables_make_integer_programming_the_dearer_one():
    dense, sparse = Cost(28, 90_000), Cost(28, 1_000)
    assert dense.dynamic(0.01) < dense.integer
    assert sparse.dynamic(0.1) > sparse.integer


def test_the_cost_of_dynamic_programming_grows_with_what_it_keeps():
    cost = Cost(30, 5_000)
    assert cost.dynamic(0.5) == pytest.approx(50 * cost.dynamic(0.01))
    assert cost.memory(0.5) == pytest.approx(50 * cost.memory(0.01))
    assert Cost(31, 5_000 * 31 // 30).dynamic(0.5) == pytest.approx(2 * cost.dynamic(0.5), rel=0.01)


def test_dynamic_programming_is_tried_first_where_there_are_few_variables_for_the_candidates():
    assert Cost(12, 50).suits_dynamic
    assert Cost(28, 90_000).suits_dynamic
    assert Cost(34, 5_000).suits_dynamic
    assert not Cost(37, 2_500).suits_dynamic
    assert not Cost(45, 100_000).suits_dynamic


def test_a_trial_is_longer_where_the_other_method_is_expected_to_take_longer():
    assert Cost(28, 90_000).trial(0.2) > Cost(28, 10_000).trial(0.2) > Cost(28, 100).trial(0.2)
    assert Cost(28, 10_000).trial(5) > Cost(28, 10_000).trial(0.2)
    assert Cost(28, 100).trial(0.2) == exact_method.LEAST_SETS


def patience(seconds: float) -> Patience:
    return Patience(Cost(30, 10_000), seconds)


def test_patience_lasts_as_long_as_the_other_method_would_take():
    cost = Cost(30, 10_000)
    assert not patience(10.0).is_over(1_000, 500.0)
    assert patience(10.0).is_over(int(11.0 / cost.spent(1)), 500.0)


def test_a_bound_that_stalls_ends_patience_and_one_that_falls_does_not():
    unit = int(1.0 / Cost(30, 10_000).spent(1)) + 1  # iterations of a second
    stalled, falling = patience(10.0), patience(10.0)
    for second in range(10):
        assert not stalled.is_over(second * unit, 100.0)
        assert not falling.is_over(second * unit, 100.0 - 9 * second)
    assert stalled.is_over(10 * unit, 100.0)
    assert not falling.is_over(10 * unit, 10.0)
    assert not falling.is_over(11 * unit, 1.0)
    assert falling.is_over(30 * unit, 1.0)  # it did not go on so


def test_a_bound_that_falls_too_slowly_ends_patience():
    unit = int(1.0 / Cost(30, 10_000).spent(1)) + 1
    slow = patience(10.0)
    assert not any(slow.is_over(second * unit, 100.0 - second) for second in range(10))
    assert slow.is_over(10 * unit, 90.0)


# The same, on tables.


def test_a_small_part_is_left_to_dynamic_programming(methods):
    assert vd.solve(tied_table(12, 1, 10)).optimal
    assert {name for name, _ in methods} <= {"dynamic"}


@pytest.mark.usefixtures("unreduced")
def test_where_the_trial_gives_up_the_cheaper_method_goes_on(monkeypatch, methods):
    monkeypatch.setattr(exact_method, "LEAST_SETS", 1)
    monkeypatch.setattr(exact_method, "TRIAL", 0.0)
    table = naive_tables.random_table(14, 3, sets=8)
    monkeypatch.setattr(exact_method, "SECONDS_A_ROW", 1e9)
    first = vd.solve(table)
    assert methods == [("dynamic", 1), ("dynamic", None)]
    methods.clear()
    monkeypatch.setattr(exact_method, "SECONDS_A_ROW", 0.0)
    monkeypatch.setattr(exact_method, "PATIENCE", 1e9)
    monkeypatch.setattr(Cost, "suits_dynamic", True)
    other = vd.solve(table)
    assert [name for name, _ in methods] == ["dynamic", "integer"]
    assert first.optimal
    assert other.optimal
    assert other.score == pytest.approx(first.score, rel=1e-9)


@pytest.mark.usefixtures("unreduced")
def test_integer_programming_that_stalls_is_followed_by_dynamic_programming(monkeypatch, methods):
    monkeypatch.setattr(exact_method, "LEAST_SETS", 1)
    monkeypatch.setattr(exact_method, "SECONDS_A_ROW", 0.0)
    monkeypatch.setattr(exact_method, "PATIENCE", 0.0)  # over at the first look
    monkeypatch.setattr(Cost, "suits_dynamic", True)
    for seed in range(3):
        table = naive_tables.random_table(14, seed, sets=10)
        methods.clear()
        result = vd.solve(table)
        assert [name for name, _ in methods] == ["dynamic", "integer", "dynamic"]
        assert result.optimal
        assert result.score == pytest.approx(vd.solve(table, method="dynamic").score, rel=1e-12)


@pytest.mark.usefixtures("unreduced")
def test_integer_programming_goes_on_from_where_it_was_left(monkeypatch, methods):
    """It is expected to be the quicker one, takes longer, and dynamic programming turns out to need too much memory."""
    monkeypatch.setattr(exact_method, "LEAST_SETS", 1)
    monkeypatch.setattr(exact_method, "SECONDS_A_ROW", 0.0)
    monkeypatch.setattr(exact_method, "PATIENCE", 0.0)
    monkeypatch.setattr(exact_search, "WAIT", 0.0)
    monkeypatch.setattr(Cost, "suits_dynamic", False)
    monkeypatch.setattr(Cost, "memory", lambda self, share: 1e30)
    for seed in range(3):
        table = naive_tables.random_table(14, seed, sets=10)
        methods.clear()
        result = vd.solve(table)
        assert [name for name, _ in methods] == ["integer", "dynamic", "integer"]
        assert methods[-1] == ("integer", None)
        assert result.optimal
        assert result.score == pytest.approx(vd.solve(table, method="integer").score, rel=1e-9)


@pytest.mark.usefixtures("unreduced")
def test_integer_programming_is_not_given_up_where_the_other_has_no_memory(monkeypatch, methods):
    monkeypatch.setattr(exact_method, "LEAST_SETS", 1)
    monkeypatch.setattr(exact_method, "SECONDS_A_ROW", 0.0)
    monkeypatch.setattr(Cost, "suits_dynamic", True)
    monkeypatch.setattr(Cost, "memory", lambda self, share: 1e30)
    table = naive_tables.random_table(14, 1, sets=8)
    assert vd.solve(table).optimal
    assert methods[1:] == [("integer", None)]
    with pytest.raises(vd.InputError, match=r"method='dynamic': a component of 14 variables .* needs about 1e\+21 GB"):
        vd.solve(table, method="dynamic")


# Dynamic programming.


@pytest.mark.medium
@pytest.mark.parametrize("method", ["dynamic", "integer"])
def test_of_many_ties_the_score_is_that_of_trying_everything(method):
    for seed in range(15):
        table = tied_table(5, seed, 4)
        best = naive_tables.optimum(table)
        if best == -np.inf:
            with pytest.raises(vd.InputError, match="allow no DAG"):
                vd.solve(table, method=method)
        else:
            assert vd.solve(table, method=method).score == best


@pytest.mark.slow
@pytest.mark.usefixtures("unreduced")
def test_the_methods_agree_where_many_networks_tie():
    for seed in range(4):
        table = tied_table(14, seed, 8)
        assert vd.solve(table, method="integer").score == pytest.approx(vd.solve(table, method="dynamic").score)


def test_the_number_of_jobs_changes_nothing():
    for seed in range(3):
        table = tied_table(16, seed, 12)
        first, other = (vd.solve(table, method="dynamic", jobs=jobs) for jobs in (1, 2))
        assert first.dag == other.dag
        assert (first.score, first.steps) == (other.score, other.steps)
    with pytest.raises(vd.InputError, match="jobs=0"):
        vd.solve(table, jobs=0)


def test_knowledge_is_obeyed_by_both_methods_at_the_same_score():
    data = vd.networks.load("child").sample(300, seed=1)
    truth = vd.networks.load("child").dag
    (a, b), (c, d) = truth.arcs[0], truth.arcs[5]
    knowledge = vd.Knowledge(required=[(b, a)], forbidden=[(c, d), (d, c)])
    table = vd.score_table(data, vd.BDeu(), max_indegree=3, knowledge=knowledge)
    dynamic, integer = (vd.solve(table, method=method) for method in ("dynamic", "integer"))
    assert knowledge.allows(dynamic.dag)
    assert dynamic.score == pytest.approx(integer.score, rel=1e-10)


def test_an_interrupt_of_dynamic_programming_leaves_a_bound_that_holds(monkeypatch, methods):
    monkeypatch.setattr(exact_search, "CLIMB_ROUNDS", 0)
    table = naive_tables.random_table(18, 2, sets=60, most=4)
    best = vd.solve(table, method="dynamic").score
    methods.clear()

    def interrupt(*report):
        if methods:
            raise KeyboardInterrupt

    with pytest.raises(vd.Interrupted) as stop:
        vd.solve(table, method="dynamic", progress=interrupt)
    result = stop.value.result
    assert not result.optimal
    assert result.score <= best + 1e-9 <= result.score + result.gap + 2e-9


def test_orders_come_best_first_and_those_that_tie_as_they_were():
    reached = [(-5.0, [0]), (-3.0, [1]), (-3.0 + 1e-14, [2]), (-np.inf, [3]), (-4.0, [4])]
    assert best_first(reached) == [[1], [2], [4], [0], [3]]
