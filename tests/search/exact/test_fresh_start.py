"""Integer programs that are written anew with the rows that are left, and networks found on the way."""

from __future__ import annotations

import networkx as nx
import pytest

import veridag as vd
from naive import exact as naive_tables
from veridag.criteria.score_table import ScoreTable
from veridag.search.exact import fresh_start, rounding
from veridag.search.exact import search as exact_search
from veridag.search.exact.search import Search


@pytest.fixture
def poor_start(monkeypatch):
    """Nothing is ruled out beforehand, and the first network is a poor one."""
    monkeypatch.setattr(exact_search, "ASCENTS", 0)
    monkeypatch.setattr(exact_search, "CLIMB_ROUNDS", 0)


@pytest.fixture
def starts(monkeypatch):
    """The bound and the score with which each fresh start is made, whatever share of the rows is left."""
    monkeypatch.setattr(fresh_start, "SMALL_SHARE", 1.0)
    seen: list[tuple[float, float]] = []
    real = Search._go_on

    def recorded(self, part, keep, clusters):
        seen.append((part.bound, part.score))
        if len(seen) > 2:
            monkeypatch.setattr(fresh_start, "SMALL_SHARE", 0.0)
        real(self, part, keep, clusters)

    monkeypatch.setattr(Search, "_go_on", recorded)
    return seen


def checked_score(result: vd.Result, table: ScoreTable) -> float:
    """The score of the graph, which is acyclic and made of rows of the table, recomputed."""
    assert nx.is_directed_acyclic_graph(result.dag.to_networkx())
    rows = [{frozenset(parents): value for value, parents in reversed(own)} for own in naive_tables.rows_of(table)]
    at = {name: i for i, name in enumerate(table.names)}
    score = sum(rows[at[name]][frozenset(at[p] for p in result.dag.parents(name))] for name in table.names)
    assert result.score == pytest.approx(score, rel=1e-12)
    return score


@pytest.mark.parametrize(
    ("n", "sets"), [pytest.param(14, 14, marks=pytest.mark.medium), pytest.param(16, 20, marks=pytest.mark.slow)]
)
@pytest.mark.usefixtures("poor_start")
def test_a_fresh_start_ends_at_the_same_optimum(starts, n, sets):
    table = naive_tables.random_table(n, 3, sets=sets)
    result = vd.solve(table, method="integer")
    assert result.optimal
    assert checked_score(result, table) == pytest.approx(vd.solve(table, method="dynamic").score, abs=1e-6)
    assert starts
    assert all(bound >= score for bound, score in starts)


@pytest.mark.usefixtures("poor_start", "starts")
def test_small_tables_have_the_optimum_that_trying_everything_finds():
    for n in (4, 5):
        for seed in range(8):
            table = naive_tables.random_table(n, seed)
            result = vd.solve(table, method="integer")
            assert checked_score(result, table) == pytest.approx(naive_tables.optimum(table), rel=1e-12)


@pytest.mark.usefixtures("poor_start")
def test_every_fresh_start_has_fewer_rows_than_the_one_before(monkeypatch):
    real = Search._go_on

    def shrinking(self, part, keep, clusters):
        assert keep.mean() <= fresh_start.SMALL_SHARE
        assert keep[part.choice].all()
        real(self, part, keep, clusters)

    monkeypatch.setattr(Search, "_go_on", shrinking)
    for seed in range(6):
        table = naive_tables.random_table(6, seed, sets=3)
        assert vd.solve(table, method="integer").optimal


@pytest.mark.slow
@pytest.mark.usefixtures("poor_start")
def test_a_stop_right_after_a_fresh_start_keeps_the_bound(monkeypatch, starts):
    """The ascents that the new parts begin with show less than the linear programs did."""
    monkeypatch.setattr(Search, "_finish", lambda self, part: self._solve_integer(part, None) if not starts else None)
    table = naive_tables.random_table(14, 3, sets=14)
    result = vd.solve(table, method="integer")
    assert starts
    assert not result.optimal
    bound, score = starts[0]
    assert result.score >= score - 1e-9
    best = vd.solve(table, method="dynamic").score
    assert best <= result.score + result.gap + 1e-6
    assert result.score + result.gap <= bound + 1e-6


@pytest.mark.usefixtures("poor_start")
def test_orders_from_the_linear_programs_find_better_networks(monkeypatch):
    """Each is better than the one before, and none better than the best."""
    found: list[float] = []
    real = rounding.Rounding._is_taken

    def recorded(self, choice, score):
        taken = real(self, choice, score)
        if taken:
            found.append(score)
        return taken

    monkeypatch.setattr(rounding.Rounding, "_is_taken", recorded)
    improved = 0
    for seed in range(6):
        table = naive_tables.random_table(10, seed, sets=10)
        found.clear()
        best = vd.solve(table, method="integer")
        checked_score(best, table)
        assert found == sorted(found)
        assert all(score <= best.score + 1e-9 for score in found)
        improved += bool(found)
    assert improved > 0
