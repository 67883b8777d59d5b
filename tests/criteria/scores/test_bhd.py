"""BHD and the hierarchical model below it: expected values, the naive version, and laws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

import oracle
import veridag as vd
from naive import hierarchy as naive_hierarchy
from veridag import InputError
from veridag.counts import grouped_counts
from veridag.counts.hierarchy import shared_prior
from veridag.criteria.scorer import Scorer
from veridag.criteria.scores.bhd import family_prior
from veridag.data import Column, Data, DataWarning

FAMILIES = oracle.load("related")
CASES = [
    pytest.param(family, setting, id=f"{family['node']}{family['dim']}-{setting['s']:.2g}-{setting['alpha0']}")
    for family in FAMILIES
    for setting in family["settings"]
]


def data_of(family: dict) -> Data:
    """A row for each cell, with its count as weight; in the file the variable varies fastest and the group slowest."""
    *arities, groups = family["dim"]
    codes = np.array([cell[::-1] for cell in product(*(range(r) for r in (groups, *arities[::-1])))])
    names = [family["node"], *family["parents"]]
    columns = [Column.discrete(v, codes[:, i], [f"s{k}" for k in range(arities[i])]) for i, v in enumerate(names)]
    return Data(columns, np.array(family["counts"]), codes[:, -1], [f"g{f}" for f in range(groups)])


@st.composite
def grouped(draw: st.DrawFn, most: int = 3) -> Data:
    """Few rows: empty cells, unobserved states, groups of none or one, weights."""
    arities = draw(st.lists(st.integers(1, 3), min_size=2, max_size=most))
    rows, groups = draw(st.integers(1, 25)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = [
        Column.discrete("ABCD"[i], rng.choice(r, rows, p=rng.dirichlet(np.ones(r))), [f"s{k}" for k in range(r)])
        for i, r in enumerate(arities)
    ]
    group = rng.integers(0, groups, rows)
    group[:2] = [0, 1][: len(group)]
    weights = rng.integers(0, 4, rows) + (np.arange(rows) < 2) if draw(st.booleans()) else None
    return Data(columns, weights, group, [f"g{f}" for f in range(groups)])


each_weight = st.sampled_from([0.2, 1.0, 10.0])

# --- expected values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("family", "setting"), CASES)
def test_the_score_has_its_expected_value_in_python_and_in_the_core(family, setting):
    data, score = data_of(family), vd.BHD(ess=setting["s"], alpha0=setting["alpha0"])
    assert score.local(family["node"], family["parents"], data) == pytest.approx(setting["bhd"], abs=1e-8)
    assert vd.local_score(family["node"], family["parents"], data, score) == pytest.approx(setting["bhd"], abs=1e-8)


# --- the naive version ------------------------------------------------------------------------------------------------


@pytest.mark.medium
@given(grouped(), each_weight, st.sampled_from([0.5, 1.0, 20.0]), st.data())
def test_the_score_agrees_with_its_naive_version(data, ess, alpha0, choice):
    child = choice.draw(st.sampled_from(data.names))
    parents = choice.draw(st.lists(st.sampled_from([v for v in data.names if v != child]), unique=True, max_size=2))
    if len(data.observed_groups) < 2:
        return
    expected = naive_hierarchy.bhd(data, child, parents, ess, alpha0)
    assert vd.BHD(ess, alpha0).local(child, parents, data) == pytest.approx(expected, rel=1e-4, abs=1e-3)


def test_more_cells_than_any_float_can_count_are_no_obstacle():
    rng = np.random.default_rng(5)
    columns = [Column.discrete(f"P{i:03}", rng.integers(0, 10, 40), [str(k) for k in range(10)]) for i in range(400)]
    data = Data([*columns, Column.discrete("X", rng.integers(0, 2, 40), "ab")], None, np.arange(40) % 3, "xyz")
    values = []
    for number in (12, 60, 400):
        parents = [f"P{i:03}" for i in range(number)]
        values.append(vd.local_score("X", parents, data, vd.BHD()))
        assert vd.BHD().local("X", parents, data) == pytest.approx(values[-1], rel=1e-9)
    # Every row has a configuration of its own. Where BDeu gives its state 1/2, kappa leans towards what was seen.
    assert values[1] == pytest.approx(values[2], rel=1e-12)
    assert values[0] == pytest.approx(values[2], rel=1e-6)
    assert 40 * np.log(1 / 2) < values[2] < 40 * np.log(3 / 4)


def test_a_family_has_the_same_score_whatever_was_scored_before():
    data = vd.simulate.related(nodes=8, groups=4, states=3, rows=50, seed=3).data
    families = [(c, tuple(p for p in range(size + 1) if p != c)[:size]) for c in range(8) for size in range(6)]
    scorer = Scorer(data, vd.BHD())
    forwards = scorer.local_many(families)
    backwards = Scorer(data, vd.BHD()).local_many(families[::-1])[::-1]
    alone = [Scorer(data, vd.BHD()).local(*family) for family in families]
    assert forwards.tolist() == backwards.tolist() == alone


# --- what it reduces to -----------------------------------------------------------------------------------------------


def test_with_a_firm_uniform_prior_it_is_bdeu_summed_over_the_groups():
    data = vd.simulate.related(nodes=4, groups=3, states=3, rows=60, seed=1).data
    for child, parents in (("X1", []), ("X2", ["X1"]), ("X4", ["X2", "X3"])):
        expected = sum(vd.local_score(child, parents, part, vd.BDeu(ess=2)) for part in data.by_group().values())
        assert vd.BHD(ess=2, alpha0=1e8).local(child, parents, data) == pytest.approx(expected, abs=1e-3)
        assert vd.BHD(ess=2).local(child, parents, data) != pytest.approx(expected, abs=1e-2)


def test_with_one_group_it_is_bd_with_a_prior_estimated_from_the_same_data():
    data = vd.simulate.related(nodes=3, groups=1, states=3, rows=80, seed=2).data
    with pytest.warns(DataWarning, match=r"all observations are in the group 'F1'.*nothing to pool"):
        value = vd.local_score("X1", ["X2"], data, vd.BHD(ess=5))
    counts = grouped_counts(data, "X1", ["X2"])
    kappa_ijk, kappa_ij, _ = family_prior(counts, 5.0, 1.0)
    from veridag.criteria.scores.dirichlet import log_bd

    assert value == pytest.approx(log_bd(counts.family.n_ijk, np.log(5 * kappa_ijk), np.log(5 * kappa_ij)), rel=1e-10)
    with pytest.warns(DataWarning):
        firm = vd.local_score("X1", ["X2"], data, vd.BHD(ess=5, alpha0=1e8))
    assert firm == pytest.approx(vd.local_score("X1", ["X2"], Data(data.columns), vd.BDeu(ess=5)), abs=1e-3)


def test_equal_counts_make_it_bdeu_exactly():
    codes = np.array(list(product(range(2), range(3), range(4)))).T
    data = Data([Column.discrete("A", codes[0], "ab"), Column.discrete("B", codes[1], "abc")], None, codes[2], "wxyz")
    expected = sum(vd.local_score("A", ["B"], part, vd.BDeu()) for part in data.by_group().values())
    assert vd.local_score("A", ["B"], data, vd.BHD()) == pytest.approx(expected, rel=1e-13)


# --- laws -------------------------------------------------------------------------------------------------------------


@given(grouped(), st.integers(0, 2**32))
def test_the_order_of_rows_columns_groups_and_parents_does_not_matter(data, seed):
    if len(data.observed_groups) < 2:
        return
    rng = np.random.default_rng(seed)
    child, *parents = data.names
    expected = vd.local_score(child, parents, data, vd.BHD())
    mixed = data.rows(rng.permutation(data.nrows)).select([str(v) for v in rng.permutation(data.names)])
    order = rng.permutation(len(data.groups))
    relabelled = Data(mixed.columns, mixed.weights, np.argsort(order)[mixed.group], [data.groups[i] for i in order])
    assert vd.local_score(child, parents[::-1], relabelled, vd.BHD()) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(grouped())
def test_a_weight_is_so_many_rows_and_groups_without_observations_say_nothing(data):
    if len(data.observed_groups) < 2:
        return
    child, *parents = data.names
    expected = vd.local_score(child, parents, data, vd.BHD())
    weights = np.ones(data.nrows, int) if data.weights is None else data.weights
    repeated = data.rows(np.repeat(np.arange(data.nrows), weights))
    groups = ["nobody", *data.groups, "nobody either"]
    unweighted = Data(repeated.columns, None, repeated.group.astype(int) + 1, groups)
    assert vd.local_score(child, parents, unweighted, vd.BHD()) == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_cells_and_groups_that_do_not_occur_are_counted_right():
    """All 18 cells by hand: B has states, and with C configurations, without rows; the third group has weight 0."""
    a, b, c = np.array([0, 1, 1, 0, 1, 0]), np.array([0, 0, 1, 1, 0, 1]), np.array([0, 1, 0, 0, 1, 2])
    group, weights = np.array([0, 0, 0, 1, 1, 2]), np.array([4, 1, 3, 2, 5, 0])
    columns = [Column.discrete("A", a, "xy"), Column.discrete("B", b, "xyz"), Column.discrete("C", c, "xyz")]
    n = np.zeros((2, 3, 3, 2), int)
    np.add.at(n, (group[:5], b[:5], c[:5], a[:5]), weights[:5])
    alpha = 3 * shared_prior(n.reshape(2, -1).T, 3.0, 1.0).kappa.reshape(3, 3, 2)
    expected = (gammaln(alpha + n) - gammaln(alpha)).sum()
    expected -= (gammaln(alpha.sum(axis=-1) + n.sum(axis=-1)) - gammaln(alpha.sum(axis=-1))).sum()
    data = Data(columns, weights, group, "uvw")
    assert vd.BHD(ess=3).local("A", ["B", "C"], data) == pytest.approx(expected, rel=1e-11)
    assert vd.local_score("A", ["B", "C"], data, vd.BHD(ess=3)) == pytest.approx(expected, rel=1e-11)


def test_the_factors_of_the_groups_make_up_the_score():
    data = vd.simulate.related(nodes=4, groups=3, rows=50, seed=4).data
    factors = vd.BHD().by_group("X1", ["X2", "X3"], data)
    assert list(factors) == ["F1", "F2", "F3"]
    assert sum(factors.values()) == pytest.approx(vd.local_score("X1", ["X2", "X3"], data, vd.BHD()), rel=1e-11)


def test_it_is_not_score_equivalent():
    data = vd.simulate.related(nodes=2, groups=3, states=3, rows=40, seed=1).data
    there = vd.score(vd.DAG.from_arcs([("X1", "X2")]), data, vd.BHD())
    back = vd.score(vd.DAG.from_arcs([("X2", "X1")]), data, vd.BHD())
    assert not vd.BHD.equivalent
    assert abs(there - back) > 0.01


def test_declared_states_count_even_if_unobserved():
    x, g = np.array([0, 1, 1, 0, 1, 1]), np.array([0, 0, 0, 1, 1, 1])
    two, three = (Data([Column.discrete("X", x, states)], None, g, "uv") for states in ("ab", "abc"))
    assert abs(vd.local_score("X", [], two, vd.BHD()) - vd.local_score("X", [], three, vd.BHD())) > 0.1


def test_priors_and_score_tests_work_with_it():
    sample = vd.simulate.related(nodes=5, groups=4, states=2, rows=400, seed=5)
    data, prior = sample.data, vd.Fair()
    result = vd.Tabu(score=vd.BHD(), prior=prior).learn(data)
    assert result.score == pytest.approx(vd.score(result.dag, data, vd.BHD(), prior), rel=1e-10)
    x, y = sample.dag.arcs[0]
    assert not vd.test(x, y, [], data, vd.ScoreTest(vd.BHD())).independent
    tester = vd.Tester(data, vd.ScoreTest(vd.BHD(), prior))
    found = tester.one(data.names.index(x), data.names.index(y))
    assert found.statistic == pytest.approx(vd.test(x, y, [], data, vd.ScoreTest(vd.BHD(), prior)).statistic, rel=1e-8)


def test_a_score_test_sees_what_pooling_makes_up():
    """X and Y are independent in each group, but not in all together: their means differ between the groups."""
    rng = np.random.default_rng(1)
    group = np.repeat([0, 1], 500)
    x, y = ((rng.random(1000) < np.where(group == 0, 0.1, 0.9)).astype(int) for _ in range(2))
    data = Data([Column.discrete("X", x, "ab"), Column.discrete("Y", y, "ab")], None, group, ["u", "v"])
    assert vd.test("X", "Y", [], data, vd.ScoreTest(vd.BHD())).independent
    assert not vd.test("X", "Y", [], Data(data.columns), vd.ScoreTest(vd.BDeu())).independent


# --- what is refused --------------------------------------------------------------------------------------------------


def test_data_without_groups_is_an_error_that_says_what_to_do():
    data = vd.networks.load("asia").sample(20, seed=1)
    for refused in (lambda: vd.local_score("lung", [], data, vd.BHD()), lambda: vd.Tabu(score=vd.BHD()).learn(data)):
        with pytest.raises(InputError, match=r"the data has no groups: name the column .* in group="):
            refused()


def test_continuous_data_counts_and_wrong_numbers_are_errors():
    continuous = Data([Column.continuous("X", np.arange(4.0))], None, np.array([0, 0, 1, 1]), "ab")
    with pytest.raises(InputError, match="does not score continuous data"):
        vd.local_score("X", [], continuous, vd.BHD())
    with pytest.raises(InputError, match="needs the data, not counts"):
        vd.BHD().discrete(grouped_counts(data_of(FAMILIES[0]), "B", ["A"]).family)
    for wrong in ({"ess": 0}, {"alpha0": -1}, {"ess": float("nan")}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            vd.BHD(**wrong)
