"""Data with interventions: every score, test and algorithm leaves out the rows in which a variable was set."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest

import naive.graphs
import naive.interventions as by_hand
import veridag as vd
from learners import ALGORITHMS, AVERAGES, CONSTRAINT_BASED, LEARNERS
from strategies.interventions import chain, random_data, with_targets
from veridag.criteria.score_table.table import _score_table
from veridag.criteria.scorer import Scorer
from veridag.criteria.tester import Tester
from veridag.data import Column, Data
from veridag.simulate.gaps import remove_values

DISCRETE = [vd.LogLik(), vd.AIC(), vd.BIC(gamma=0.5), vd.K2(), vd.BDeu(ess=3), vd.BDs(), vd.BDJeffreys(), vd.FNML()]
DISCRETE += [vd.QNML(), vd.PNAL()]
GAUSSIAN = [vd.LogLik(), vd.AIC(), vd.BIC(), vd.BGe(), vd.PNAL(), vd.DegenerateGaussian()]
MIXED = [vd.BIC(), vd.AIC(), vd.BCG(), vd.DegenerateGaussian(), vd.PNAL()]
SCORES = [("discrete", s) for s in DISCRETE] + [("continuous", s) for s in GAUSSIAN] + [("mixed", s) for s in MIXED]
TESTS = [("discrete", t) for t in (vd.G2(), vd.X2(), vd.G2(df="observed"), vd.ScoreTest(vd.BDeu(), vd.Fair()))]
TESTS += [("continuous", t) for t in (vd.StudentT(), vd.FisherZ(), vd.G2(), vd.ScoreTest(vd.BIC()))]
TESTS += [("mixed", t) for t in (vd.G2(), vd.DegenerateG2(), vd.ScoreTest(vd.BCG()))]
REFUSES = {"ges", "ges-phases", "ges-turning", "rsmax2"}


def families(p: int) -> list[tuple[int, tuple[int, ...]]]:
    return [(v, own) for v in range(p) for k in (0, 1, 2) for own in combinations([u for u in range(p) if u != v], k)]


@cache
def data_of(kind: str) -> Data:
    return random_data(kind, seed=5)


# --- scores -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "score"), SCORES, ids=lambda v: v if isinstance(v, str) else repr(v))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_core_the_formula_and_a_table_without_the_rows_give_the_same_score(kind, score, weighted):
    data = random_data(kind, seed=3, weighted=weighted)
    assert len(data.targets.names) > 1
    wanted = families(4)
    compiled = Scorer(data, score).unbounded_many(wanted)
    names = data.names
    formula = [score.local(names[v], [names[p] for p in own], data) for v, own in wanted]
    filtered = [by_hand.local(score, names[v], [names[p] for p in own], data) for v, own in wanted]
    np.testing.assert_allclose(compiled, formula, rtol=1e-9)
    np.testing.assert_allclose(formula, filtered, rtol=1e-9)
    everything = Scorer(replace(data, targets=None), score).unbounded_many(wanted)
    set_somewhere = np.array([names[v] in data.targets.names for v, _ in wanted])
    assert not np.isclose(compiled, everything)[set_somewhere & np.isfinite(compiled)].any()
    np.testing.assert_allclose(compiled[~set_somewhere], everything[~set_somewhere], rtol=1e-12)


def count_of_ones(child: str, parents: tuple[str, ...], data: Data) -> float:
    """A score of the user, in Python: how often the variable has its first state."""
    return -float((data.column(child) == 0).sum()) - len(parents)


def test_scores_that_run_in_python_see_only_the_rows_that_count():
    data = data_of("discrete")
    score = vd.CustomScore(count_of_ones)
    for name in data.names:
        rows = by_hand.rows_without(data, [name])
        assert vd.local_score(name, [], data, score) == -float((rows.column(name) == 0).sum())
    uniform = vd.fit(vd.DAG.empty(data.names), data)
    family = (data.names[0], [data.names[1]])
    expected = by_hand.local(vd.BDe(2.0, uniform), *family, data)
    assert vd.local_score(*family, data, vd.BDe(2.0, uniform)) == pytest.approx(expected)


def test_related_data_sets_leave_out_the_rows_of_each_group():
    data = data_of("discrete")
    grouped = replace(data, group=np.arange(data.nrows) % 3, groups=("a", "b", "c"))
    for v, own in families(4)[:14]:
        child, parents = data.names[v], [data.names[p] for p in own]
        expected = by_hand.local(vd.BHD(), child, parents, grouped)
        assert vd.local_score(child, parents, grouped, vd.BHD()) == pytest.approx(expected)
        assert vd.BHD().local(child, parents, grouped) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("kind", "score"), [("discrete", s) for s in DISCRETE[1:]] + [("continuous", vd.BIC())], ids=repr
)
def test_score_tables_hold_the_same_sets_with_bounds_and_without(kind, score):
    data = random_data(kind, seed=11, p=6, n=300)
    wanted = (data, score, vd.Uniform(), None, None, 1, None, None)
    tables = [_score_table(*wanted, bounded=bounded) for bounded in (True, False)]
    np.testing.assert_array_equal(tables[0].offsets, tables[1].offsets)
    np.testing.assert_allclose(tables[0].scores, tables[1].scores, rtol=1e-12)
    np.testing.assert_array_equal(tables[0].parents, tables[1].parents)
    for v, name in enumerate(data.names):
        row = int(tables[0].offsets[v])
        best = [data.names[p] for p in tables[0].row_parents(row)]
        assert tables[0].scores[row] == pytest.approx(by_hand.local(score, name, best, data), rel=1e-9)


def test_structure_priors_go_by_the_number_of_all_rows():
    data = data_of("discrete")
    dag = vd.DAG.from_arcs([("v0", "v1"), ("v1", "v2")], names=data.names)
    for prior in (vd.DataSize(), vd.Fair(), vd.Edge()):
        score = vd.score(dag, data, vd.BIC(), prior)
        assert score == pytest.approx(vd.score(dag, data, vd.BIC()) + prior.log(dag, data.n))
        searched = vd.Tabu(score=vd.BIC(), prior=prior, start=dag, max_iter=0).learn(data)
        assert searched.dag == dag
        assert searched.score == pytest.approx(score)


def test_a_variable_that_was_set_in_every_row_is_refused_by_name():
    data = replace(data_of("discrete"), targets=[("v1",)] * data_of("discrete").nrows)
    with pytest.raises(vd.InputError, match=r"'v1' was set in every row.*forbid arcs into it"):
        vd.Tabu(score=vd.BIC()).learn(data)
    with pytest.raises(vd.InputError, match="'v1' was set in every row"):
        vd.local_score("v1", [], data, vd.BIC())
    with pytest.raises(vd.InputError, match="'v1' was set in every row"):
        vd.fit(vd.DAG.empty(data.names), data)


def test_a_variable_may_be_constant_where_it_was_set_but_not_where_it_was_not():
    data = random_data("continuous", seed=2, n=100)
    name = data.targets.names[0]
    forced = data.targets.is_set([name])

    def with_values(where: np.ndarray) -> Data:
        columns = [
            Column.continuous(c.name, np.where(where, 1.0, c.values)) if c.name == name else c for c in data.columns
        ]
        return replace(data, columns=columns)

    result = vd.HillClimbing(score=vd.BIC()).learn(with_values(forced))
    assert np.isfinite(result.score)
    with pytest.raises(vd.InputError, match=f"'{name}' is constant in the rows where it was not set"):
        vd.HillClimbing(score=vd.BIC()).learn(with_values(~forced))


# --- tests ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "test"), TESTS, ids=lambda v: v if isinstance(v, str) else repr(v))
def test_tests_take_the_rows_in_which_neither_variable_was_set(kind, test):
    data = data_of(kind)
    triples = [(x, y, z) for x, y in combinations(range(4), 2) for z in ((), (3,), (2, 3)) if not {x, y} & set(z)]
    tester = Tester(data, test)
    together = tester.many(triples)
    for i, (x, y, z) in enumerate(triples):
        names = data.names[x], data.names[y], [data.names[v] for v in z]
        expected = vd.test(*names, by_hand.rows_without(data, names[:2]), test)
        for found in (together[i], vd.test(*names, data, test)):
            assert found.statistic == pytest.approx(expected.statistic, rel=1e-8, abs=1e-9)
            assert (found.df, found.independent, found.reliable) == (
                expected.df,
                expected.independent,
                expected.reliable,
            )
        assert tester._bound.core.decide(x, y, list(z))[1] == expected.independent


def test_a_pair_without_rows_counts_as_independent():
    data = replace(data_of("discrete"), targets=[("v0",), ("v1",)] * (data_of("discrete").nrows // 2))
    found = vd.test("v0", "v1", [], data)
    assert (found.statistic, found.p_value, found.independent) == (0.0, 1.0, True)
    assert vd.test("v0", "v1", [], data, vd.ScoreTest(vd.BIC())).independent
    assert Tester(data, vd.G2()).many([(0, 1, ()), (2, 3, ())])[0].independent
    assert ("v0", "v1") not in vd.PCStable().learn(data).graph.skeleton().edges


# --- algorithms -------------------------------------------------------------------------------------------------------


def recomputed(dag: vd.DAG, score: object, data: Data) -> float:
    return sum(by_hand.local(score, v, dag.parents(v), data) for v in data.names)


@pytest.mark.parametrize("kind", ["discrete", "continuous"])
@pytest.mark.parametrize("name", list(LEARNERS))
def test_every_learner_takes_interventions_or_refuses_in_one_sentence(name, kind):
    data = random_data(kind, seed=8, n=400)
    algorithm = LEARNERS[name]
    if name in REFUSES:
        with pytest.raises(vd.InputError, match=r"GES is not for data with interventions, and .* learn with BOSS"):
            algorithm.learn(data)
        return
    result = algorithm.learn(data)
    assert set(result.dag.names) == set(data.names)
    if name in CONSTRAINT_BASED:
        assert result.targets == ()
        return
    assert result.targets == data.target_sets
    assert result.cpdag == result.dag.interventional_cpdag(data.target_sets)
    if name in AVERAGES:
        assert result.graph == result.cpdag
    elif not isinstance(algorithm, vd.SearchSpacePenalty):
        assert result.score == pytest.approx(recomputed(result.dag, algorithm.score, data), rel=1e-9)


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in REFUSES])
def test_the_order_of_columns_and_rows_and_names_change_nothing(name):
    data = random_data("discrete", seed=21, n=300, p=5)
    rng = np.random.default_rng(1)
    shuffled = data.select(list(rng.permutation(data.names))).rows(rng.permutation(data.nrows))
    found, again = ALGORITHMS[name].learn(data), ALGORITHMS[name].learn(shuffled, jobs=2)
    assert again.score == pytest.approx(found.score, rel=1e-9)
    assert again.cpdag.reorder(data.names) == found.cpdag
    new = {old: f"w{i}" for i, old in enumerate(reversed(data.names))}
    renamed = Data(
        [replace(c, name=new[c.name]) for c in data.columns],
        targets=[tuple(new[v] for v in own) for own in data.targets],
    )
    arcs = {(new[u], new[v]) for u, v in found.cpdag.arcs}
    assert set(ALGORITHMS[name].learn(renamed).cpdag.arcs) == arcs


@pytest.mark.parametrize("name", list(LEARNERS))
def test_targets_that_name_nothing_change_nothing(name):
    data = replace(data_of("discrete"), targets=None)
    marked = replace(data, targets=[()] * data.nrows)
    assert marked.targets is None
    one, other = (replace(LEARNERS[name].learn(own), seconds=0.0) for own in (data, marked))
    assert one == other


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("kind", "score"), [("discrete", vd.BDeu()), ("continuous", vd.BIC()), ("mixed", vd.DegenerateGaussian())]
)
def test_exact_search_finds_the_best_of_all_dags(kind, score, seed):
    data = random_data(kind, seed=40 + seed)
    ranked = sorted((total(kind, 40 + seed, score, dag) for dag in naive.graphs.all_dags(4)), reverse=True)
    assert vd.Exact(score=score).learn(data).score == pytest.approx(ranked[0], rel=1e-9)
    table = vd.score_table(data, score)
    for method in ("integer", "dynamic"):
        assert vd.solve(table, method=method).score == pytest.approx(ranked[0], rel=1e-9)
    assert vd.BOSS(score=score).learn(data).score == pytest.approx(ranked[0], rel=1e-9)
    best = vd.best_networks(data, score, k=20)
    np.testing.assert_allclose([one.score for one in best], ranked[:20], rtol=1e-9)
    for one in best[:3]:
        assert one.score == pytest.approx(total(kind, 40 + seed, score, by_place(one.dag, data)), rel=1e-9)


@cache
def local(kind: str, seed: int, score: object, v: int, parents: tuple[int, ...]) -> float:
    data = random_data(kind, seed)
    return by_hand.local(score, data.names[v], [data.names[p] for p in parents], data)


def total(kind: str, seed: int, score: object, dag: naive.graphs.Arcs) -> float:
    """The score of a DAG on the data of this kind and seed, by definition."""
    return sum(local(kind, seed, score, v, tuple(sorted(u for u, w in dag if w == v))) for v in range(4))


def by_place(dag: vd.DAG, data: Data) -> naive.graphs.Arcs:
    return frozenset((data.names.index(u), data.names.index(v)) for u, v in dag.arcs)


def test_members_of_an_interventional_class_have_the_same_score():
    data = random_data("discrete", seed=13)
    sets = [frozenset(data.names.index(v) for v in own) for own in data.target_sets]
    for score in (vd.BDeu(), vd.BIC()):
        for dag in naive.graphs.all_dags(4)[::29]:
            own = {
                round(total("discrete", 13, score, member), 6) for member in by_hand.interventional_class(4, dag, sets)
            }
            assert len(own) == 1


def test_the_best_classes_are_those_that_interventions_leave():
    data = random_data("discrete", seed=13)
    sets = [frozenset(data.names.index(v) for v in own) for own in data.target_sets]
    by_class: dict[object, float] = {}
    for dag in naive.graphs.all_dags(4):
        by_class.setdefault(
            frozenset(by_hand.interventional_class(4, dag, sets)), total("discrete", 13, vd.BDeu(), dag)
        )
    best = vd.best_networks(data, vd.BDeu(), k=15, classes=True)
    np.testing.assert_allclose([one.score for one in best], sorted(by_class.values(), reverse=True)[:15], rtol=1e-9)
    assert len({one.cpdag for one in best}) == 15


def test_the_exact_posterior_weighs_all_dags_by_the_interventional_score():
    data = random_data("discrete", seed=17)
    dags = naive.graphs.all_dags(4)
    logs = np.array([total("discrete", 17, vd.BDeu(), dag) for dag in dags])
    weights = np.exp(logs - logs.max())
    expected = np.tensordot(weights / weights.sum(), [naive.graphs.matrix(4, dag) for dag in dags], 1)
    found = vd.posterior(data, score=vd.BDeu(), prior=vd.Uniform(), method="exact")
    np.testing.assert_allclose(found.arcs, expected, atol=1e-9)


@pytest.mark.medium
def test_draws_from_the_posterior_are_from_the_interventional_one():
    data = random_data("discrete", seed=17)
    exact = vd.posterior(data, score=vd.BDeu(), prior=vd.Uniform(), method="exact")
    drawn = vd.posterior(data, score=vd.BDeu(), prior=vd.Uniform(), method="sample", draws=2000, seed=1)
    np.testing.assert_allclose(drawn.arcs, exact.arcs, atol=0.05)


# --- what interventions tell ------------------------------------------------------------------------------------------

LEARNS_CHAIN = [
    vd.HillClimbing(score=vd.BDeu()),
    vd.Tabu(score=vd.BIC()),
    vd.BOSS(score=vd.BDeu()),
    vd.Exact(score=vd.BIC()),
    vd.SearchSpacePenalty(vd.Tabu(score=vd.BIC(), max_indegree=2)),
    vd.RSMAX2(vd.PCStable(), vd.Tabu(score=vd.BIC())),
    vd.Averaged(vd.Tabu(score=vd.BIC()), repeats=10),
    vd.PosteriorMedian(draws=20),
    vd.MMHC(score=vd.BIC()),
    vd.H2PC(score=vd.BIC()),
    vd.OrderAnnealing(score=vd.BIC(), max_indegree=2, candidates=2),
]


@pytest.mark.parametrize("algorithm", LEARNS_CHAIN, ids=lambda a: type(a).__name__)
def test_setting_the_middle_of_a_chain_shows_its_directions(algorithm):
    data = chain(2000, seed=4)
    result = algorithm.learn(data)
    assert set(result.cpdag.arcs) == {("A", "B"), ("B", "C")}
    assert result.cpdag.edges == ()
    observed = algorithm.learn(chain(2000, seed=4, set_b=False))
    assert observed.cpdag.arcs == ()
    assert {frozenset(edge) for edge in observed.cpdag.edges} == {frozenset("AB"), frozenset("BC")}


def test_rows_taken_for_observations_mislead():
    """Without targets, the rows in which B was set hide that A causes it, and weaken the arc."""
    data = chain(2000, seed=4)

    def gain_a_row(own: Data) -> float:
        gain = vd.local_score("B", ["A"], own, vd.LogLik()) - vd.local_score("B", [], own, vd.LogLik())
        return gain / own.not_set("B").n

    assert gain_a_row(data) > 2 * gain_a_row(replace(data, targets=None))


def test_the_bootstrap_counts_directions_that_interventions_tell():
    data = chain(600, seed=4)
    found = vd.bootstrap(data, vd.BOSS(score=vd.BDeu()), repeats=20, seed=1)
    a, b, c = (found.names.index(v) for v in "ABC")
    assert found.strength[a, b] == found.direction[a, b] == found.direction[b, c] == 1.0
    without = vd.bootstrap(replace(chain(600, seed=4, set_b=False)), vd.BOSS(score=vd.BDeu()), repeats=20, seed=1)
    assert without.direction[a, b] == 0.5


def test_learn_and_validation_take_interventions_and_assessment_refuses_them():
    data = chain(600, seed=4)
    result = vd.learn(data)
    assert set(result.cpdag.arcs) == {("A", "B"), ("B", "C")}
    with pytest.raises(vd.InputError, match=r"assess is not for data with interventions, and 300 rows have targets"):
        vd.assess(data)
    learners = [vd.Tabu(score=vd.BIC()), vd.HillClimbing(score=vd.BDeu())]
    found = vd.intersection_validation(data, learners, sizes=[200], repeats=2)
    assert not found.failures


def test_structural_em_refuses_interventions_with_gaps():
    data = with_targets(vd.networks.load("asia").sample(300, seed=1), seed=3)
    holes = remove_values(data, 0.1, seed=2)
    assert holes.targets == data.targets
    with pytest.raises(vd.InputError, match=r"StructuralEM is not for data with interventions.*PNAL"):
        vd.StructuralEM(vd.Tabu()).learn(holes)
    result = vd.Tabu(score=vd.PNAL()).learn(holes)
    expected = sum(
        vd.PNAL().local(v, result.dag.parents(v), holes.rows(~holes.targets.is_set([v]))) for v in holes.names
    )
    assert result.score == pytest.approx(expected, rel=1e-9)
