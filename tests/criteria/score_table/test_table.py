from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive.score_table import naive_table, undominated
from strategies import few
from veridag.criteria.score_table import ScoreTable, score_table
from veridag.criteria.score_table.table import _score_table
from veridag.data import Column, Data
from veridag.work.memory import checked_limit, free_memory

DISCRETE = [vd.LogLik(), vd.AIC(), vd.BIC(), vd.BIC(gamma=0.7), vd.K2(), vd.BDeu(), vd.BDeu(ess=20), vd.BDs()]
DISCRETE += [vd.BDs(ess=5), vd.BDJeffreys(), vd.FNML(), vd.QNML()]
GAUSSIAN = [vd.LogLik(), vd.AIC(), vd.BIC(), vd.BIC(gamma=0.5), vd.BGe()]
PRIORS = [
    vd.Uniform(),
    vd.Edge(0.05),
    vd.Edge(0.9),
    vd.Fair(),
    vd.DataSize(),
    vd.Factorial(),
    vd.MarginalUniform(),
    vd.VariableSelection(),
    vd.IndegreeAtMost(2),
    vd.IndegreeEquals({"v0": 0, "v1": 1, "v2": 2, "v3": 1, "v4": 3}),
    vd.CasteloSiebes({("v0", "v1"): 0.9, ("v2", "v3"): 0.001, ("v4", "v2"): 0.0}),
]


def discrete_data(seed: int, p: int = 5, n: int = 120, weighted: bool = False, arities: tuple[int, ...] = ()) -> Data:
    """Variables that depend on those before them, with a state that never occurs and, now and then, a constant."""
    rng = np.random.default_rng(seed)
    columns: list[Column] = []
    codes: list[np.ndarray] = []
    for v in range(p):
        r = int(arities[v]) if arities else int(rng.choice([1, 2, 2, 3, 4], p=[0.05, 0.35, 0.2, 0.25, 0.15]))
        own = rng.integers(0, max(1, r - (rng.random() < 0.2)), n)
        if codes and rng.random() < 0.7:
            other = codes[int(rng.integers(len(codes)))]
            own = np.where(rng.random(n) < 0.7, other % r, own)
        codes.append(own)
        kind = np.uint8 if r <= 256 else np.uint16
        columns.append(Column.discrete(f"v{v}", own.astype(kind), [f"s{k}" for k in range(r)]))
    weights = rng.integers(0, 4, n) + (np.arange(n) == 0) if weighted else None
    return Data(columns, weights=weights)


def gaussian_data(seed: int, p: int = 5, n: int = 60) -> Data:
    rng = np.random.default_rng(seed)
    mixing = np.eye(p) + np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.5), 1)
    x = rng.normal(size=(n, p)) @ mixing + 10
    return Data([Column.continuous(f"v{i}", x[:, i]) for i in range(p)])


def named(table: ScoreTable) -> dict[str, dict[tuple[str, ...], float]]:
    return {
        name: {tuple(sorted(table.names[p] for p in parents)): score for score, parents in table.sets(v)}
        for v, name in enumerate(table.names)
    }


def check(data, score, prior, max_indegree=None, knowledge=None):
    """The table has just the sets that no subset beats; where rounding decides, either is right."""
    table = score_table(data, score, prior, max_indegree, knowledge)
    assert table.names == data.names
    every = naive_table(data, score, prior, max_indegree, knowledge)
    for child, found in named(table).items():
        clear, close = undominated(every[child], 1e-8)
        assert clear <= set(found) <= clear | close
        for parents, value in found.items():
            assert value == pytest.approx(every[child][parents], rel=1e-9, abs=1e-8)
    return table


@pytest.mark.parametrize("score", DISCRETE, ids=repr)
@few
@given(seed=st.integers(0, 2**32), n=st.sampled_from([1, 20, 200, 1500]), weighted=st.booleans())
def test_the_table_is_the_one_of_all_sets_under_every_discrete_score(score, seed, n, weighted):
    check(discrete_data(seed, n=n, weighted=weighted), score, vd.Uniform())


@pytest.mark.parametrize("score", GAUSSIAN, ids=repr)
@few
@given(seed=st.integers(0, 2**32), n=st.sampled_from([8, 60, 3000]))
def test_the_table_is_the_one_of_all_sets_under_every_gaussian_score(score, seed, n):
    check(gaussian_data(seed, n=n), score, vd.Uniform())


@pytest.mark.medium
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
@pytest.mark.parametrize("score", [vd.BIC(), vd.BDeu(), vd.K2(), vd.FNML(), vd.LogLik()], ids=repr)
def test_the_table_is_the_one_of_all_sets_under_every_prior(score, prior):
    for seed in range(4):
        check(discrete_data(seed), score, prior)


@pytest.mark.parametrize("score", [vd.BIC(), vd.BDeu(), vd.QNML()], ids=repr)
def test_dominated_sets_are_kept_if_they_are_asked_for(score):
    knowledge = vd.Knowledge(required=[("v1", "v0")], forbidden=[("v5", "v1")], max_indegree={"v2": 1})
    data = discrete_data(2, p=6)
    table = score_table(data, score, vd.Fair(), 3, knowledge, dominated=True)
    every = naive_table(data, score, vd.Fair(), 3, knowledge)
    for child, found in named(table).items():
        assert found == pytest.approx(every[child], rel=1e-9, abs=1e-8)
    assert len(table) > len(score_table(data, score, vd.Fair(), 3, knowledge))


@pytest.mark.parametrize("score", [vd.BIC(), vd.AIC(), vd.BDeu(), vd.K2(), vd.QNML()], ids=repr)
@few
@given(seed=st.integers(0, 2**32), n=st.sampled_from([5, 12, 40]))
def test_arcs_that_are_probable_keep_a_set_alive(score, seed, n):
    """With little data and strong expectations the prior decides, and bounds must leave room for it."""
    rng = np.random.default_rng(seed)
    expected = {(f"v{i}", f"v{j}"): float(rng.choice([0.99, 0.9, 0.5, 0.05])) for i in range(5) for j in range(i)}
    check(discrete_data(seed, n=n), score, vd.CasteloSiebes(expected))


@pytest.mark.parametrize("score", [vd.BIC(), vd.BDeu(), vd.BDs(), vd.QNML(), vd.FNML()], ids=repr)
@few
@given(seed=st.integers(0, 2**32))
def test_knowledge_is_respected(score, seed):
    knowledge = vd.Knowledge(
        required=[("v1", "v0"), ("v2", "v0"), ("v4", "v3")],
        forbidden=[("v3", "v4"), ("v5", "v1"), ("v0", "v5")],
        max_indegree={"v0": 3, "v5": 1},
    )
    data = discrete_data(seed, p=6)
    table = check(data, score, vd.Fair(), 4, knowledge)
    assert all({"v1", "v2"} <= set(parents) for parents in named(table)["v0"])
    assert ("v1", "v2") in named(table)["v0"]


def test_a_variable_may_have_as_many_required_parents_as_there_are_others():
    knowledge = vd.Knowledge(required=[(f"v{i}", "v5") for i in range(5)])
    check(discrete_data(3, p=6), vd.BIC(), vd.Uniform(), None, knowledge)


@pytest.mark.parametrize("max_indegree", [0, 1, 2, 3])
def test_the_indegree_is_limited(max_indegree):
    table = check(discrete_data(1, p=6), vd.LogLik(), vd.Uniform(), max_indegree)
    assert np.diff(table.parent_offsets).max() <= max_indegree
    assert table.max_indegree == max_indegree


@pytest.mark.parametrize(
    "score", [vd.BIC(), vd.AIC(), vd.BDeu(), vd.BDs(), vd.K2(), vd.BDJeffreys(), vd.FNML(), vd.QNML()]
)
@pytest.mark.parametrize("prior", [vd.Uniform(), vd.Fair(), vd.Edge(0.7)], ids=repr)
@pytest.mark.parametrize(
    ("network", "n"),
    [
        *(pytest.param(*network, marks=pytest.mark.medium) for network in (("insurance", 150), ("child", 1000))),
        ("asia", 5000),
    ],
)
def test_bounds_change_nothing(score, prior, network, n):
    data = vd.networks.load(network).sample(n, seed=4)
    bounded, whole = (_score_table(data, score, prior, 3, None, 1, None, None, bounded=b) for b in (True, False))
    for name in ("offsets", "parent_offsets", "parents"):
        np.testing.assert_array_equal(getattr(bounded, name), getattr(whole, name))
    np.testing.assert_allclose(bounded.scores, whole.scores, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("score", [vd.BIC(), vd.AIC()], ids=repr)
def test_bounds_alone_stop_the_enumeration(score):
    data = vd.networks.load("insurance").sample(300, seed=1)  # 27 variables: 2^26 sets each
    calls = []
    table = score_table(data, score, progress=lambda what, done, total, extra: calls.append((done, total)))
    deepest = int(np.diff(table.parent_offsets).max())
    deeper = score_table(data, score, max_indegree=deepest + 1)
    np.testing.assert_array_equal(table.parents, deeper.parents)
    np.testing.assert_array_equal(table.scores, deeper.scores)


def test_rich_and_wide_variables_are_counted():
    """More states than bit rows are made for, and than fit in a byte."""
    check(discrete_data(2, arities=(17, 2, 300, 3, 2), n=700), vd.BDeu(), vd.Uniform(), 3)
    check(discrete_data(2, arities=(17, 2, 300, 3, 2), n=700), vd.BIC(), vd.Uniform(), 3)


def test_a_user_function_and_a_prior_network_work_too():
    data = vd.networks.load("asia").sample(200, seed=1).select(["asia", "tub", "smoke", "lung", "either"])
    check(data, vd.CustomScore(favour_the_alphabet), vd.Fair(), 3)
    network = vd.fit(vd.DAG.empty(data.names), data)
    check(data, vd.BDe(2, network), vd.Uniform(), 2)


def favour_the_alphabet(child, parents, data):
    return float(sum((1 if p > child else -0.5) for p in parents)) - 0.3 * len(parents) ** 2 + 0.001 * data.n


def test_an_error_in_a_user_function_arrives():
    data = vd.networks.load("asia").sample(20, seed=1)
    with pytest.raises(ZeroDivisionError):
        score_table(data, vd.CustomScore(divide_by_zero), max_indegree=1)


def divide_by_zero(child, parents, data):
    return 1 / 0


@pytest.mark.parametrize("score", [vd.BIC(), vd.BDeu(), vd.BDs(), vd.FNML()])
def test_the_order_of_columns_and_the_number_of_threads_change_nothing(score):
    data = vd.networks.load("child").sample(400, seed=3)
    table = score_table(data, score, max_indegree=3)
    same = score_table(data, score, max_indegree=3, jobs=3)
    other = score_table(data.select(data.names[::-1]), score, max_indegree=3)
    for name in ("offsets", "scores", "parent_offsets", "parents"):
        np.testing.assert_array_equal(getattr(same, name), getattr(table, name))
    assert named(other) == named(table)
    assert other.names == data.names[::-1]


@pytest.mark.medium
def test_every_kind_of_instructions_counts_the_same():
    from veridag import _core

    before = _core.bit_kernels()
    data = vd.networks.load("insurance").sample(700, seed=2)
    expected = score_table(data, vd.BDeu(), max_indegree=3).scores
    for kernels in ("portable", "popcnt", "avx2", "avx512"):
        if not _core.use_bit_kernels(kernels):
            continue
        try:
            assert (score_table(data, vd.BDeu(), max_indegree=3).scores == expected).all()
        finally:
            assert _core.use_bit_kernels(before)


def test_sets_are_the_best_first():
    table = score_table(vd.networks.load("child").sample(500, seed=1), vd.BDeu(), max_indegree=3)
    for v in range(len(table.names)):
        scores = [score for score, _ in table.sets(v)]
        assert scores == sorted(scores, reverse=True)
        assert () in [parents for _, parents in table.sets(v)]
    assert sum(len(table.sets(v)) for v in range(20)) == len(table)
    assert table.nbytes > 8 * len(table)


def test_a_larger_limit_only_adds_sets():
    data = vd.networks.load("asia").sample(300, seed=5)
    small, large = (named(score_table(data, vd.BDeu(), max_indegree=k)) for k in (2, 4))
    for child, sets in small.items():
        assert sets == {parents: score for parents, score in large[child].items() if len(parents) <= 2}


def test_a_linear_function_of_its_parents_is_no_candidate():
    data = gaussian_data(1)
    columns = [*(Column.continuous(n, data.column(n)) for n in data.names)]
    columns.append(Column.continuous("sum", data.column("v0") + 2 * data.column("v1")))
    table = named(score_table(Data(columns), vd.BIC()))
    assert not any({"v0", "v1"} <= set(parents) for parents in table["sum"])


def test_a_constant_gaussian_column_is_refused():
    data = Data([Column.continuous("a", np.arange(5.0)), Column.continuous("b", np.ones(5))])
    with pytest.raises(vd.InputError, match="'b' is constant"):
        score_table(data, vd.BIC())


def test_too_large_a_table_is_refused_before_it_is_made():
    data = vd.networks.load("alarm").sample(1000, seed=1)
    with pytest.raises(
        MemoryError, match=r"needs about .* MB for sets of \d parents, above the limit of 20 MB: lower max"
    ):
        score_table(data, vd.BDeu(), max_indegree=6, memory_limit=20e6)


def test_the_default_limit_is_a_share_of_the_free_memory(monkeypatch):
    assert free_memory() > 0
    monkeypatch.setattr("veridag.work.memory.free_memory", lambda: 1000)
    assert checked_limit(None) == 750
    assert checked_limit(2e9) == 2_000_000_000


@pytest.mark.medium
def test_progress_neither_falls_nor_passes_the_total():
    seen: list[tuple[int, int]] = []
    data = vd.networks.load("insurance").sample(400, seed=1)
    score_table(data, vd.BDeu(), max_indegree=4, progress=lambda what, done, total, extra: seen.append((done, total)))
    assert seen
    assert all(done <= total for done, total in seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_an_interrupt_stops_the_work(ctrl_c):
    data = vd.networks.load("alarm").sample(2000, seed=1)
    with pytest.raises(KeyboardInterrupt):
        score_table(data, vd.QNML(), max_indegree=6, progress=ctrl_c(2))


def test_an_error_in_progress_arrives():
    def fail(*report):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        score_table(vd.networks.load("alarm").sample(1000, seed=1), vd.BDeu(), max_indegree=4, progress=fail)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_indegree": -1}, "max_indegree=-1 must be an integer of at least 0"),
        ({"jobs": 0}, "jobs=0 must be an integer from 1"),
        ({"memory_limit": 0}, "memory_limit=0 must be a number of bytes above 0"),
        ({"prior": vd.BIC()}, "must be a structure prior"),
        (
            {"max_indegree": 1, "knowledge": vd.Knowledge(required=[("asia", "tub"), ("xray", "tub")])},
            "'tub' has 2 required",
        ),
        (
            {
                "prior": vd.IndegreeEquals({n: i for i, n in enumerate(vd.networks.load("asia").names)}),
                "max_indegree": 2,
            },
            "no parent set of",
        ),
    ],
)
def test_mistakes_are_named(arguments, message):
    data = vd.networks.load("asia").sample(20, seed=1)
    with pytest.raises(vd.InputError, match=message):
        score_table(data, vd.BIC(), **arguments)


# ---- the table itself


def test_a_table_is_made_from_sets_in_any_order():
    table = ScoreTable.from_sets(
        ["a", "b", "c"], [[(-3, ()), (-1, (2, 1))], [(-2.5, [])], [(-7, [0]), (-7, [])]], "mine", 2
    )
    assert table.sets(0) == [(-1.0, (1, 2)), (-3.0, ())]
    assert table.sets(2) == [(-7.0, ()), (-7.0, (0,))]
    assert len(table) == 5
    assert table.settings == "mine"
    assert "5 parent sets, mine" in repr(table)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([[(-1, ())], []], "'b' has no parent set"),
        ([[(-1, ())], [(-1, (1,))]], "'b' is its own parent"),
        ([[(-1, ())], [(-1, (2,))]], "outside 0 ... 1"),
        ([[(-1, ())], [(-1, (0,)), (-2, (0,))]], "'b' appears twice"),
        ([[(-1, ())], [(-1, (0, 0))]], "ascending and different"),
        ([[(float("-inf"), ())], [(-1, ())]], "not finite"),
        ([[(float("nan"), ())], [(-1, ())]], "not finite"),
    ],
)
def test_impossible_tables_are_refused(sets, message):
    with pytest.raises(vd.InputError, match=message):
        ScoreTable.from_sets(["a", "b"], sets)


def test_arrays_out_of_step_are_refused():
    good = ScoreTable.from_sets(["a", "b"], [[(-1, ()), (-2, (1,))], [(-1, ())]])
    with pytest.raises(vd.InputError, match="the best first"):
        ScoreTable(good.names, good.offsets, good.scores[[1, 0, 2]], good.parent_offsets, good.parents)
    with pytest.raises(vd.InputError, match="offsets: 3 non-decreasing numbers from 0 to 3"):
        ScoreTable(good.names, good.offsets[:2], good.scores, good.parent_offsets, good.parents)
    with pytest.raises(ValueError, match="read-only"):
        good.scores[0] = 1


def test_variables_can_be_put_into_another_order():
    table = score_table(discrete_data(2, p=6), vd.BDeu(), vd.Fair(), 3)
    names = ("v3", "v0", "v5", "v1", "v4", "v2")
    moved = table.reorder(names)
    assert moved.names == names
    assert named(moved) == named(table)
    assert moved.settings == table.settings
    assert (moved.reorder(table.names).parents == table.parents).all()
    assert table.reorder(table.names) is table


@pytest.mark.parametrize("most", [0, 1, 2, 5])
def test_large_sets_can_be_left_out(most):
    table = score_table(discrete_data(2, p=6), vd.LogLik(), vd.Uniform(), 3)
    left = table.at_most(most)
    small = {v: {ps: s for ps, s in sets.items() if len(ps) <= most} for v, sets in named(table).items()}
    assert named(left) == small
    assert left.max_indegree == min(most, 3)
