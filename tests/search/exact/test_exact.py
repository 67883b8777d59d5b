"""Exact search against trying everything, dynamic programming and integer programming against each other."""

from __future__ import annotations

import math
import signal
import threading
from functools import cache
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest

import veridag as vd
from naive import exact as naive_tables
from naive import search as naive_search
from veridag.criteria.score_table import ScoreTable
from veridag.search.exact import acyclicity
from veridag.search.exact import search as exact_search
from veridag.search.exact.integer_program import AcyclicGraph, SolverFailure

CHILD = vd.networks.load("child").sample(500, seed=3)


@pytest.fixture
def unreduced(monkeypatch):
    """Nothing is ruled out beforehand, and the first network is a poor one: all is left to the search itself."""
    monkeypatch.setattr(exact_search, "ASCENTS", 0)
    monkeypatch.setattr(exact_search, "CLIMB_ROUNDS", 0)


def check(result: vd.Result, table: ScoreTable) -> None:
    """The graph is acyclic, made of rows of the table, and has the score it claims."""
    assert nx.is_directed_acyclic_graph(result.dag.to_networkx())
    rows = [{frozenset(parents): value for value, parents in reversed(own)} for own in naive_tables.rows_of(table)]
    at = {name: i for i, name in enumerate(table.names)}
    values = [rows[at[name]][frozenset(at[p] for p in result.dag.parents(name))] for name in table.names]
    assert result.score == pytest.approx(sum(values), rel=1e-12)
    assert result.gap >= 0
    assert not result.optimal or result.gap == 0


TABLES = [naive_tables.random_table(12, seed, sets=12) for seed in range(6)]


@pytest.fixture(params=[(0, 100), (60, 0), (60, 3), (10**6, 100)], ids=str)
def constraints(request, monkeypatch):
    """How many entries the program may have from the start, and how many facets."""
    monkeypatch.setattr(acyclicity, "MOST_ENTRIES", request.param[0])
    monkeypatch.setattr(acyclicity, "MOST_FACETS", request.param[1])


def check_integer(table: ScoreTable) -> None:
    result = vd.solve(table, method="integer")
    check(result, table)
    assert result.optimal
    assert result.score == pytest.approx(vd.solve(table, method="dynamic").score, abs=1e-6)


@pytest.mark.medium
@pytest.mark.usefixtures("constraints", "unreduced")
def test_whatever_constraints_it_starts_from_and_adds_the_optimum_is_the_same():
    for seed in range(3):
        check_integer(naive_tables.random_table(10, seed, sets=10))


@pytest.mark.slow
@pytest.mark.usefixtures("constraints")
def test_whatever_constraints_it_starts_from_the_optimum_of_27_variables_is_the_same():
    check_integer(vd.score_table(vd.networks.load("insurance").sample(200, seed=2), vd.BDeu(), max_indegree=3))


@pytest.mark.medium
@pytest.mark.parametrize("method", ["auto", "dynamic", "integer"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_it_finds_what_trying_everything_finds(n, method):
    for seed in range(12):
        table = naive_tables.random_table(n, seed)
        result = vd.solve(table, method=method)
        check(result, table)
        assert result.optimal
        assert result.score == pytest.approx(naive_tables.optimum(table), rel=1e-12)


@pytest.mark.medium
@pytest.mark.parametrize("method", ["dynamic", "integer"])
@pytest.mark.usefixtures("unreduced")
def test_the_searches_do_so_without_any_reduction(method):
    for n in (4, 5):
        for seed in range(100, 110):
            table = naive_tables.random_table(n, seed)
            result = vd.solve(table, method=method)
            check(result, table)
            assert result.score == pytest.approx(naive_tables.optimum(table), rel=1e-12)


@pytest.mark.parametrize(
    "n", [8, 12, pytest.param(16, marks=pytest.mark.medium), pytest.param(20, marks=pytest.mark.slow)]
)
def test_integer_and_dynamic_programming_agree_on_random_tables(n):
    for seed in range(2):
        table = naive_tables.random_table(n, seed, sets=8)
        integer, dynamic = vd.solve(table, method="integer"), vd.solve(table, method="dynamic")
        check(integer, table)
        check(dynamic, table)
        assert integer.optimal
        assert dynamic.optimal
        assert integer.score == pytest.approx(dynamic.score, rel=1e-10)


@pytest.mark.medium
@pytest.mark.usefixtures("unreduced")
def test_they_agree_without_any_reduction():
    for seed in range(3):
        table = naive_tables.random_table(12, seed, sets=10)
        integer, dynamic = vd.solve(table, method="integer"), vd.solve(table, method="dynamic")
        check(integer, table)
        assert integer.score == pytest.approx(dynamic.score, rel=1e-10)


@pytest.mark.medium
@pytest.mark.parametrize("score", [vd.BIC(), vd.AIC(), vd.BDeu(), vd.BDs(), vd.K2(), vd.FNML(), vd.QNML()], ids=repr)
def test_integer_and_dynamic_programming_agree_on_real_tables_of_20_variables(score):
    table = vd.score_table(CHILD, score, max_indegree=2)
    integer, dynamic = vd.solve(table, method="integer"), vd.solve(table, method="dynamic")
    check(integer, table)
    assert integer.optimal
    assert dynamic.optimal
    assert integer.score == pytest.approx(dynamic.score, rel=1e-10)
    assert integer.score == pytest.approx(vd.score(integer.dag, CHILD, score), rel=1e-10)


def test_the_learner_finds_the_best_network_of_the_data():
    data = vd.networks.load("asia").sample(300, seed=2)
    for score, prior in ((vd.BDeu(), vd.Uniform()), (vd.BIC(), vd.Fair()), (vd.QNML(), vd.Edge())):
        found = vd.Exact(score, prior, max_indegree=3).learn(data)
        assert found.optimal
        assert found.gap == 0
        assert found.score == pytest.approx(naive_search.optimum(data, score, prior, 3), rel=1e-10)


def test_knowledge_is_obeyed_at_the_least_cost():
    data = vd.networks.load("asia").sample(300, seed=2).select(["asia", "tub", "lung", "smoke", "either"])
    knowledge = vd.Knowledge(required=[("either", "smoke")], forbidden=[("lung", "either")], max_indegree=2)
    found = vd.Exact(vd.BDeu()).learn(data, knowledge)
    scorer = vd.Scorer(data, vd.BDeu())
    choices = [[(v, s) for k in range(3) for s in combinations([u for u in range(5) if u != v], k)] for v in range(5)]
    table = ScoreTable.from_sets(
        data.names, [sorted(((scorer.local(v, s), s) for v, s in own), key=lambda r: -r[0]) for own in choices]
    )
    at = {name: i for i, name in enumerate(data.names)}
    allowed = [
        [
            (value, s)
            for value, s in own
            if not (v == at["smoke"] and at["either"] not in s) and not (v == at["either"] and at["lung"] in s)
        ]
        for v, own in enumerate(naive_tables.rows_of(table))
    ]
    assert found.score == pytest.approx(naive_tables.optimum(ScoreTable.from_sets(data.names, allowed)), rel=1e-10)
    assert knowledge.allows(found.dag)


@pytest.mark.medium
def test_tables_without_empty_sets_are_solved_or_refused():
    solved = refused = 0
    for seed in range(30):
        table = naive_tables.random_table(5, seed, sets=3, most=2, empty=False)
        rows = naive_tables.rows_of(table)
        rows[0].append((-40.0, ()))  # without any empty set there is no acyclic graph at all
        table = ScoreTable.from_sets(table.names, rows)
        best = naive_tables.optimum(table)
        for method in ("dynamic", "integer"):
            if best == -np.inf:
                refused += 1
                with pytest.raises(vd.InputError, match="allow no DAG"):
                    vd.solve(table, method=method)
            else:
                solved += 1
                assert vd.solve(table, method=method).score == pytest.approx(best, rel=1e-12)
    assert solved
    assert refused


def test_the_order_of_the_variables_changes_nothing():
    table = naive_tables.random_table(9, 4, sets=10)
    order = [3, 8, 0, 1, 7, 5, 2, 6, 4]
    place = {v: i for i, v in enumerate(order)}
    rows = naive_tables.rows_of(table)
    shuffled = ScoreTable.from_sets(
        tuple(table.names[v] for v in order),
        [[(value, tuple(sorted(place[u] for u in parents))) for value, parents in rows[v]] for v in order],
    )
    for method in ("dynamic", "integer"):
        first, other = vd.solve(table, method=method), vd.solve(shuffled, method=method)
        assert other.dag.names == shuffled.names
        assert set(other.dag.arcs) == set(first.dag.arcs)
        assert other.score == pytest.approx(first.score, rel=1e-14)


def test_of_equal_optima_one_is_taken_whose_covered_arcs_go_by_name():
    data = vd.networks.load("asia").sample(1000, seed=1)
    dag = vd.Exact(vd.BDeu()).learn(data).dag
    for u, v in dag.arcs:
        if set(dag.parents(v)) == {*dag.parents(u), u}:
            assert u < v


# What must never happen: a wrong answer.


def wrong_or_refused(table: ScoreTable, best: float) -> bool:
    """Whether the search was refused; an answer must be the right one."""
    try:
        result = vd.solve(table, method="integer")
    except SolverFailure:
        return True
    check(result, table)
    assert result.score == pytest.approx(best, rel=1e-9)
    return False


@pytest.mark.usefixtures("unreduced")
def test_cycles_that_no_cut_has_ruled_out_are_cut_off_when_a_solution_is_enforced(monkeypatch):
    for limit in ("MOST_CLUSTERS", "MOST_FACETS", "MOST_ENTRIES"):
        monkeypatch.setattr(acyclicity, limit, 0)
    for seed in range(2):
        check_integer(naive_tables.random_table(7, seed, sets=8))


@pytest.mark.medium
@pytest.mark.usefixtures("unreduced")
def test_a_handler_that_lets_cycles_pass_is_caught(monkeypatch):
    from pyscipopt import SCIP_RESULT

    feasible = {"result": SCIP_RESULT.FEASIBLE}
    monkeypatch.setattr(AcyclicGraph, "conssepalp", lambda self, *_: {"result": SCIP_RESULT.DIDNOTFIND})
    monkeypatch.setattr(AcyclicGraph, "consenfolp", lambda self, *_: feasible)
    monkeypatch.setattr(AcyclicGraph, "consenfops", lambda self, *_: feasible)
    monkeypatch.setattr(AcyclicGraph, "conscheck", lambda self, *_: feasible)
    bests = [vd.solve(table, method="dynamic").score for table in TABLES]
    refused = [wrong_or_refused(table, best) for table, best in zip(TABLES, bests, strict=True)]
    assert any(refused)


@pytest.mark.medium
@pytest.mark.usefixtures("unreduced")
def test_a_handler_without_locks_is_caught(monkeypatch):
    """SCIP would fix variables by their objective alone, and prove an optimum that is none."""
    monkeypatch.setattr(AcyclicGraph, "conslock", lambda self, *_: None)
    for table in TABLES:
        with pytest.raises(SolverFailure, match="lacks the locks"):
            vd.solve(table, method="integer")


@pytest.mark.usefixtures("unreduced")
def test_locks_of_one_direction_do_not_do(monkeypatch):
    def lock(self, constraint, locktype, positive, negative):
        for variable in self.variables:
            self.model.addVarLocksType(variable, locktype, 0, positive + negative)

    monkeypatch.setattr(AcyclicGraph, "conslock", lock)
    with pytest.raises(SolverFailure, match="lacks the locks"):
        vd.solve(TABLES[0], method="integer")


@pytest.mark.usefixtures("unreduced")
def test_a_cut_that_cuts_off_good_networks_is_caught(monkeypatch):
    def too_strong(core, cluster):
        outside = core.cluster_rows(cluster, True).tolist()
        return outside, 1.5, None

    for module in ("acyclicity", "integer_program"):
        monkeypatch.setattr(f"veridag.search.exact.{module}.cluster_constraint", too_strong)
    bests = [vd.solve(table, method="dynamic").score for table in TABLES]
    refused = [wrong_or_refused(table, best) for table, best in zip(TABLES, bests, strict=True)]
    assert any(refused)


@pytest.mark.parametrize("callback", ["_separate", "_enforce", "_judge"])
@pytest.mark.usefixtures("unreduced")
def test_an_exception_in_a_callback_comes_out_as_it_is(monkeypatch, callback):
    def fail(self, *_):
        raise ZeroDivisionError("within the callback")

    monkeypatch.setattr(AcyclicGraph, callback, fail)
    if callback == "_enforce":  # which is asked only if separation leaves a cycle
        monkeypatch.setattr(AcyclicGraph, "_separate", lambda self: 2)
    with pytest.raises(ZeroDivisionError, match="within the callback"):
        vd.solve(naive_tables.random_table(12, 1, sets=12), method="integer")


# Limits.


@cache
def hard_table() -> ScoreTable:
    return naive_tables.random_table(45, 1, sets=60, most=4)


@pytest.mark.medium
def test_a_time_limit_gives_the_best_so_far_with_its_gap():
    table = hard_table()
    result = vd.solve(table, time_limit=0.5)
    check(result, table)
    assert not result.optimal
    assert result.gap > 0


@pytest.mark.slow
def test_many_candidates_of_few_variables_are_left_to_dynamic_programming(monkeypatch):
    table = naive_tables.random_table(18, 3, sets=400, most=4)
    expected = vd.solve(table, method="dynamic")
    monkeypatch.setattr("veridag.search.exact.search.Search._solve_integer", None)
    result = vd.solve(table)
    assert result.optimal
    assert result.score == pytest.approx(expected.score, rel=1e-12)


def test_no_time_at_all_gives_a_network_too():
    table = naive_tables.random_table(16, 1, sets=12)
    result = vd.solve(table, time_limit=0)
    check(result, table)
    assert result.score + result.gap >= vd.solve(table).score - 1e-6


@pytest.mark.slow
def test_the_bound_falls_and_the_best_rises():
    seen = []
    vd.solve(
        hard_table(),
        time_limit=2.0,
        progress=lambda what, done, total, extra: seen.append((done, extra["score"], extra["bound"])),
    )
    bests, bounds = [best for _, best, _ in seen], [bound for _, _, bound in seen]
    assert bests == sorted(bests)
    assert all(a >= b - 1e-6 for a, b in pairwise(bounds))
    assert all(best <= bound + 1e-6 for _, best, bound in seen)


@pytest.mark.medium
def test_learning_that_runs_out_of_time_within_the_table_gives_what_tabu_finds():
    data = vd.networks.load("hepar2").sample(2000, seed=1)
    result = vd.Exact(vd.BDeu(), max_indegree=6, time_limit=0.3).learn(data)  # the whole table takes minutes
    assert result.dag == vd.Tabu(vd.BDeu(), max_indegree=6).learn(data).dag
    assert (result.optimal, result.gap) == (False, math.inf)
    assert result.settings == "Exact(score=BDeu(ess=1.0), prior=Uniform(), max_indegree=6, time_limit=0.3)"


@pytest.mark.parametrize("score", [vd.BIC(), vd.BDeu(), vd.QNML()])
def test_without_a_proof_the_score_and_the_bound_enclose_the_best(score):
    data = vd.networks.load("insurance").sample(300, seed=1)
    quick, best = (vd.Exact(score, max_indegree=3, prove=prove).learn(data) for prove in (False, True))
    assert quick.score <= best.score + 1e-9 <= quick.score + quick.gap + 2e-9
    assert quick.score == pytest.approx(vd.score(quick.dag, data, score))
    assert best.steps > quick.steps or quick.optimal
    assert quick.settings == best.settings.removesuffix(")") + ", prove=False)"


def test_a_prior_that_rules_out_the_empty_graph_is_no_hindrance():
    data = vd.networks.load("cancer").sample(300, seed=1)
    prior = vd.IndegreeEquals(dict(zip(data.names, [0, 1, 1, 2, 1], strict=True)))
    result = vd.Exact(prior=prior, time_limit=60).learn(data)
    assert result.optimal
    assert [len(result.dag.parents(v)) for v in data.names] == [0, 1, 1, 2, 1]


def test_an_interrupt_within_the_table_carries_what_tabu_finds():
    data = vd.networks.load("hepar2").sample(2000, seed=1)

    def interrupt(*report):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stop:
        vd.Exact(vd.BDeu(), max_indegree=6).learn(data, progress=interrupt)
    result = stop.value.result
    assert (result.interrupted, result.optimal, result.gap) == (True, False, math.inf)
    assert result.score == pytest.approx(vd.score(result.dag, data, vd.BDeu()), rel=1e-10)


def test_progress_is_told_of_the_table_and_then_of_the_bound():
    data = vd.networks.load("insurance").sample(500, seed=1)
    told = []
    best = vd.Exact(max_indegree=3).learn(data, progress=lambda *report: told.append(report)).score
    stages = list(dict.fromkeys(what for what, *_ in told))
    assert stages[-1] == "exact search"
    assert stages[:-1] in ([], ["parent sets"])  # which may be found before there is anything to tell
    assert told[-1][3]["bound"] >= best - 1e-6
    assert all(extra["score"] <= best + 1e-6 for *_, extra in told)


@pytest.mark.medium
@pytest.mark.parametrize("after", [1, pytest.param(15, marks=pytest.mark.slow)])
def test_an_interrupt_carries_the_best_so_far(after):
    table = hard_table()
    asked = []

    def interrupt(*report):
        asked.append(report)
        if len(asked) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stop:
        vd.solve(table, progress=interrupt)
    check(stop.value.result, table)
    assert stop.value.result.interrupted
    assert not stop.value.result.optimal


@pytest.mark.parametrize(
    "after",
    [
        1,
        pytest.param(5, marks=pytest.mark.medium),
        *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3, 10, 20, 40)),
    ],
)
def test_ctrl_c_at_any_moment_carries_the_best_so_far(after, ctrl_c):
    """The later ones reach the integer program."""
    table = hard_table()
    with pytest.raises(KeyboardInterrupt) as stop:
        vd.solve(table, progress=ctrl_c(after))
    check(stop.value.result, table)
    assert stop.value.result.interrupted
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.medium
@pytest.mark.parametrize("after", [1, pytest.param(15, marks=pytest.mark.slow)])
def test_another_exception_of_progress_comes_out_as_it_is(after):
    asked = []

    def fail(*report):
        asked.append(report)
        if len(asked) == after:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        vd.solve(hard_table(), progress=fail)
    assert threading.active_count() < 10


@pytest.mark.medium
def test_a_memory_limit_stops_the_search_with_a_warning():
    with pytest.warns(RuntimeWarning, match="memory limit of 8 MiB"):
        result = vd.solve(hard_table(), memory_limit=8 * 2**20, time_limit=60)
    assert not result.optimal
    assert result.gap > 0


@pytest.mark.medium
def test_dynamic_programming_is_refused_where_it_does_not_fit():
    with pytest.raises(vd.InputError, match="method='dynamic'"):
        vd.solve(hard_table(), method="dynamic")


def test_the_penalty_of_the_search_space_shares_one_table(monkeypatch):
    from veridag.search import space_penalty
    from veridag.search.exact import exact

    made = []
    real = exact.score_table
    monkeypatch.setattr(exact, "score_table", lambda *args: made.append(args) or real(*args))
    data = vd.networks.load("asia").sample(100, seed=4)
    found = vd.SearchSpacePenalty(vd.Exact(vd.AIC(), max_indegree=3)).learn(data)
    assert len(made) == 1
    assert found.optimal
    best = max(naive_search.optimum(data, vd.AIC(), None, d) - space_penalty.log_size(8, d) for d in range(4))
    assert found.score == pytest.approx(best, rel=1e-10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"time_limit": -1}, "time_limit=-1"),
        ({"time_limit": "soon"}, "time_limit='soon'"),
        ({"method": "magic"}, "method='magic'"),
        ({"memory_limit": 0}, "memory_limit=0"),
    ],
)
def test_a_mistake_is_named(arguments, message):
    with pytest.raises(vd.InputError, match=message):
        vd.solve(naive_tables.random_table(3, 1), **arguments)


def test_a_variable_without_candidates_is_named():
    with pytest.raises(vd.InputError, match="'b' has no"):
        vd.solve(ScoreTable.from_sets(("a", "b"), [[(0.0, ())], []]))
    with pytest.raises(vd.InputError, match="ScoreTable is needed, not a list"):
        vd.solve([])


def test_it_has_a_spec():
    spec = "exact(score=bdeu(ess=2), max_indegree=5, time_limit=60)"
    assert vd.parse(spec, "algorithm") == vd.Exact(vd.BDeu(2), max_indegree=5, time_limit=60)
