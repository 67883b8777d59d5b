from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag.data import Column, Data


@pytest.fixture(scope="module")
def asia() -> Data:
    return vd.networks.load("asia").sample(300, seed=3)


def number_of_parents(child: str, parents: tuple[str, ...], data: Data) -> float:
    return float(-len(parents) - (child == "lung"))


def test_the_score_of_a_network_is_the_sum_of_its_local_scores(asia):
    dag = vd.networks.load("asia").dag
    nodes = vd.score(dag, asia, vd.BDs(), vd.Fair(), by_node=True)
    for name in dag.names:
        assert nodes[name] == pytest.approx(vd.local_score(name, dag.parents(name), asia, vd.BDs(), vd.Fair()))
    assert vd.score(dag, asia, vd.BDs(), vd.Fair()) == pytest.approx(sum(nodes.values()))
    without = vd.score(dag, asia, vd.BDs())
    assert vd.score(dag, asia, vd.BDs(), vd.Fair()) - without == pytest.approx(vd.Fair().log(dag))


def test_the_order_of_the_graphs_variables_does_not_matter(asia):
    dag = vd.networks.load("asia").dag
    assert vd.score(dag.reorder(sorted(dag.names)), asia, vd.BIC()) == vd.score(dag, asia, vd.BIC())


def test_a_users_own_score_works_like_the_others(asia):
    score = vd.CustomScore(number_of_parents)
    dag = vd.networks.load("asia").dag
    assert vd.score(dag, asia, score) == -9.0
    assert vd.local_score("xray", ["either", "tub"], asia, score) == -2.0


def test_calls_are_counted_and_families_remembered(asia):
    scorer = vd.Scorer(asia, vd.BIC())
    scorer.local_many([(0, (1, 2)), (0, (2, 1)), (3, ())])
    scorer.local(0, [1, 2])
    assert scorer.calls == 4
    assert scorer.distinct_calls == 2


def test_a_singular_family_is_never_to_be_chosen():
    x = np.random.default_rng(1).normal(size=50)
    data = Data([Column.continuous("x", x), Column.continuous("y", 2 * x), Column.continuous("z", x**2)])
    scorer = vd.Scorer(data, vd.BIC())
    assert scorer.local(1, [0]) == -np.inf
    assert np.isfinite(scorer.local(2, [0, 1]))  # y adds nothing to x
    with pytest.raises(vd.InputError, match="'y' is a linear function of its parents"):
        vd.local_score("y", ["x"], data, vd.BIC())
    assert np.isfinite(vd.local_score("y", ["x"], data, vd.BGe()))
    with pytest.raises(vd.InputError, match="'y' is a linear function of its parents"):
        vd.score(vd.DAG.from_arcs([("x", "y")], data.names), data, vd.BIC())
    # What the prior rules out is no matter of the likelihood.
    assert vd.local_score("z", ["x", "y"], data, vd.BIC(), vd.IndegreeAtMost(1)) == -np.inf


def test_bge_is_finite_where_a_variable_is_the_sum_of_its_parents():
    x = 1e5 * np.random.default_rng(1).normal(size=(200, 2))
    data = Data(
        [Column.continuous("p", x[:, 0]), Column.continuous("q", x[:, 1]), Column.continuous("t", x.sum(axis=1))]
    )
    expected = vd.BGe().local("t", ["p", "q"], data)
    assert np.isfinite(expected)
    assert vd.local_score("t", ["p", "q"], data, vd.BGe()) == pytest.approx(expected, rel=1e-2)


def test_more_columns_than_rows_can_be_scored():
    x = np.random.default_rng(2).normal(size=(10, 30))
    data = Data([Column.continuous(f"v{i}", x[:, i]) for i in range(30)])
    scorer = vd.Scorer(data, vd.BIC())
    assert np.isfinite(scorer.local(0, range(1, 9)))
    assert scorer.local(0, range(1, 30)) == -np.inf  # any data fits 29 parents


def test_a_constant_gaussian_column_is_named():
    data = Data([Column.continuous("x", np.full(9, 0.1)), Column.continuous("y", np.arange(9.0))])
    with pytest.raises(vd.InputError, match="'x' is constant"):
        vd.local_score("x", ["y"], data, vd.BIC())
    with pytest.raises(vd.InputError, match="'x' is constant"):
        vd.HillClimbing().learn(data)
    assert vd.local_score("y", ["x"], data, vd.LogLik()) == pytest.approx(vd.local_score("y", [], data, vd.LogLik()))


def test_a_prior_that_rules_a_family_out_gives_minus_infinity(asia):
    assert vd.local_score("lung", ["smoke", "asia"], asia, vd.BIC(), vd.IndegreeAtMost(1)) == -np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: vd.local_score("lungs", [], d, vd.BIC()), "did you mean 'lung'"),
        (lambda d: vd.local_score("lung", ["lung"], d, vd.BIC()), "different from it"),
        (lambda d: vd.local_score("lung", ["tub", "tub"], d, vd.BIC()), "different from it"),
        (lambda d: vd.local_score("lung", "tub", d, vd.BIC()), "give a list"),
        (lambda d: vd.local_score("lung", [], d, vd.BGe()), "does not score discrete data"),
        (lambda d: vd.score(vd.DAG.empty(["lung"]), d, vd.BIC()), "is only in the data"),
        (lambda d: vd.local_score("lung", [], d.rows([]), vd.BIC()), "no rows"),
        (lambda d: vd.score(vd.networks.load("asia").dag.cpdag(), d, vd.BIC()), "a DAG is needed, not a PDAG"),
        (lambda d: vd.Fair().log(vd.networks.load("asia").dag.cpdag()), "a DAG is needed, not a PDAG"),
        (lambda d: vd.local_score("lung", [], d.to_pandas(), vd.BIC()), "a Data is needed, not a DataFrame"),
        (lambda d: vd.local_score("lung", [], d, vd.BIC), "must be a score"),
        (lambda d: vd.local_score("lung", [], d, vd.BIC(), "fair"), "must be a structure prior"),
        (lambda d: vd.Scorer(d, vd.BIC(), jobs=0), "jobs=0"),
    ],
)
def test_a_mistake_is_named(asia, call, message):
    with pytest.raises(vd.InputError, match=message):
        call(asia)


@pytest.mark.parametrize("number", [12, 100, 400])
def test_a_family_with_more_configurations_than_atoms_is_scored(number):
    rng = np.random.default_rng(4)
    states = [str(k) for k in range(10)]
    columns = [Column.discrete(f"v{i}", rng.integers(0, 10, 500, dtype=np.uint8), states) for i in range(number + 1)]
    data = Data(columns)
    parents = [f"v{i}" for i in range(1, number + 1)]
    for score in (vd.BDeu(), vd.BDs(), vd.K2(), vd.FNML(), vd.QNML(), vd.BIC()):
        value = vd.local_score("v0", parents, data, score)
        assert value == pytest.approx(score.local("v0", parents, data), rel=1e-10)


def test_the_core_scores_a_family_whose_dense_counts_would_not_fit():
    states = [str(k) for k in range(60_000)]
    codes = np.arange(60_000, dtype=np.uint16)
    data = Data([Column.discrete("a", codes, states), Column.discrete("b", codes[::-1].copy(), states)])
    assert np.isfinite(vd.local_score("a", ["b"], data, vd.BDeu()))  # it counts only what occurs


def test_the_core_refuses_what_it_could_not_work_with():
    from veridag import _core

    column = np.zeros(5, np.uint8)
    with pytest.raises(ValueError, match="one weight a row"):
        _core.Table([column], [2], np.ones(3, np.int64))
    with pytest.raises(ValueError, match="arity"):
        _core.Table([column[:0]], [0], None)
    with pytest.raises(ValueError, match="square"):
        _core.gaussian_scorer(np.zeros((3, 1)), 5.0, "loglik", [])
    with pytest.raises(ValueError, match="square"):
        _core.bge_scorer(np.eye(3), np.zeros((3, 1)), 5.0, 1.0, 5.0)
    with pytest.raises(TypeError):
        _core.Table([column.astype(np.int64)], [2], None)
    columns = [column.copy() for _ in range(3)]
    table = _core.Table(columns, [1, 1, 1], None)
    columns.clear()
    assert table.family_counts(0, [1, 2])[0].tolist() == [5]
    assert np.isnan(_core.log_gamma(-1e18))
