"""Data with missing values: C++ versions give the numbers of the formulas, and every learner learns from it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from learners import LEARNERS
from naive.missing import with_gaps
from strategies import few
from strategies.mixed import mixed_data
from veridag.criteria.scorer import Scorer
from veridag.criteria.tester import Tester
from veridag.data import Column, Data
from veridag.search import Algorithm
from veridag.specs import members

POLICIES = ("plain", "adjusted", "observed")
TESTS = {
    "dddddd": [test(df=df) for test in (vd.G2, vd.X2) for df in POLICIES],
    "cccccc": [vd.G2(), vd.StudentT(), vd.FisherZ()],
    "dcdcdc": [vd.G2(df=df) for df in POLICIES],
}
CASES = [(kinds, test) for kinds, tests in TESTS.items() for test in tests]


def random_tests(p: int, seed: int, number: int) -> list[tuple[int, int, list[int]]]:
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(p, int(rng.integers(2, min(p, 5) + 1)), replace=False).tolist() for _ in range(number)]
    return [(x, y, sorted(others)) for x, y, *others in chosen]


def check_test(test: vd.Test, data: Data, seed: int) -> None:
    """Both forms of the C++ version, results and decisions, against the readable one."""
    tests = random_tests(len(data.names), seed, 8)
    many, core = Tester(data, test).many(tests), test.bind(data).core
    for i, (x, y, others) in enumerate(tests):
        expected = test.evaluate(data, data.names[x], data.names[y], [data.names[z] for z in others])
        found = many[i]
        assert (found.df, found.independent, found.reliable) == (expected.df, expected.independent, expected.reliable)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-8, abs=1e-8)
        assert found.p_value == pytest.approx(expected.p_value, rel=1e-6, abs=1e-12)
        evidence, independent, reliable = core.decide(x, y, others)
        assert (independent, reliable) == (expected.independent, expected.reliable)
        if expected.p_value > 1e-300:
            assert evidence == pytest.approx(-np.log(expected.p_value), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(("kinds", "test"), CASES)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
def test_the_core_tests_what_is_observed_as_the_formula_does(kinds, test, share):
    for seed in range(3):
        check_test(test, with_gaps(mixed_data(seed, 120, 6, weighted=seed == 1, kinds=kinds), share, seed), seed)


@st.composite
def tables_with_gaps(draw):
    """States from 1 to 300, of which some columns have gaps, and weights, some of them zero."""
    n, p = draw(st.integers(2, 150)), draw(st.integers(3, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = []
    for v in range(p):
        r = int(rng.choice([1, 2, 3, 15, 16, 17, 256, 300], p=[0.05, 0.3, 0.25, 0.1, 0.1, 0.1, 0.05, 0.05]))
        codes = rng.integers(0, min(r, 5), n)
        observed = rng.random(n) >= rng.choice([0.0, 0.1, 0.6])
        observed[:2] = True
        columns.append(Column.discrete(f"v{v}", codes, [f"s{k}" for k in range(r)], observed=observed))
    return Data(columns, rng.integers(0, 3, n) + (np.arange(n) < 2) if draw(st.booleans()) else None)


@pytest.mark.parametrize("test", TESTS["dddddd"], ids=repr)
@few
@given(data=tables_with_gaps(), seed=st.integers(0, 2**32))
def test_the_core_counts_what_is_observed_however_many_states_there_are(test, data, seed):
    check_test(test, data, seed)


@few
@given(data=tables_with_gaps(), seed=st.integers(0, 2**32))
def test_the_core_scores_what_is_observed_however_many_states_there_are(data, seed):
    rng, score = np.random.default_rng(seed), vd.PNAL()
    p = len(data.names)
    chosen = [rng.choice(p, int(rng.integers(1, min(p, 5) + 1)), replace=False).tolist() for _ in range(8)]
    found = Scorer(data, score).unbounded_many([(child, sorted(parents)) for child, *parents in chosen])
    expected = [score.local(data.names[c], [data.names[p] for p in parents], data) for c, *parents in chosen]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("test", TESTS["cccccc"], ids=repr)
def test_columns_that_are_constant_where_they_are_observed_together_tell_nothing(test):
    """Seen over all rows they vary, and by so much that sums over all rows have no digits left for a few."""
    rng = np.random.default_rng(3)
    n = 400
    x, y = rng.normal(size=(2, n))
    early = np.arange(n) < 60
    x[~early] *= 1e9
    z = np.where(early, 0.1, rng.normal(size=n))
    columns = [
        Column.continuous("X", x),
        Column.continuous("Y", y + np.where(early, x, 0.0), observed=early),
        Column.continuous("Z", z),
    ]
    data = Data(columns)
    bound = test.bind(data)
    for a, b, others in ((0, 1, []), (0, 1, [2]), (1, 2, []), (0, 2, [1])):
        expected = test.evaluate(data, data.names[a], data.names[b], [data.names[v] for v in others])
        found = bound.many([(a, b, tuple(others))], 1)[0]
        assert (found.df, found.independent) == (expected.df, expected.independent)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-8)
    assert bound.many([(1, 2, ())], 1)[0].statistic == 0


@dataclass(frozen=True)
class ReadableG2(vd.G2):
    """G2 without its C++ version."""


@pytest.mark.parametrize("kinds", TESTS)
def test_searches_find_the_same_by_the_core_as_by_the_formula(kinds):
    data = with_gaps(mixed_data(8, 250, 6, kinds=kinds), 0.15, 8)
    for learner in (vd.PCStable, vd.HPC):
        compiled, readable = (learner(test(df="observed")).learn(data, jobs=1) for test in (vd.G2, ReadableG2))
        assert compiled.graph == readable.graph
        assert compiled.calls == readable.calls


@pytest.mark.parametrize("kinds", TESTS)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_search_sums_up_the_scores_of_its_families(kinds, weighted):
    """It asks for all candidates at once, which are counted side by side."""
    score = vd.PNAL(k=1)
    for share in (0.05, 0.2):
        data = with_gaps(mixed_data(4, 300, 8, weighted=weighted, kinds=(kinds * 2)[:8]), share, 4)
        found = vd.HillClimbing(score=score, max_indegree=3).learn(data)
        assert len(found.dag.arcs) > 2
        expected = sum(score.local(v, found.dag.parents(v), data) for v in data.names)
        assert found.score == pytest.approx(expected, rel=1e-9)


def with_pnal(learner: Algorithm) -> Algorithm:
    """The learner, and those that it is made of, with PNAL as the score."""

    def changed(name: str, value: object) -> object:
        if isinstance(value, tuple):
            return tuple(changed("", each) for each in value)
        return vd.PNAL() if name == "score" else with_pnal(value) if isinstance(value, Algorithm) else value

    return replace(learner, **{f.name: changed(f.name, getattr(learner, f.name)) for f in fields(learner)})


def goes_by_a_score(learner: Algorithm) -> bool:
    return with_pnal(learner) != learner


def test_every_algorithm_is_among_the_learners():
    by_completions = {vd.StructuralEM, vd.Imputed}
    assert {type(learner) for learner in LEARNERS.values()} | by_completions == set(members("algorithm").values())


@pytest.mark.parametrize("kinds", TESTS)
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_learns_from_incomplete_data_or_says_what_to_do(name, kinds):
    data = with_gaps(mixed_data(5, 200, 6, kinds=kinds), 0.1, 5)
    learner = LEARNERS[name]
    if goes_by_a_score(learner):
        with pytest.raises(vd.InputError, match=r"needs complete data.*complete_cases\(\).*PNAL"):
            learner.learn(data)
    found = with_pnal(learner).learn(data)
    assert set(found.graph.names) == set(data.names)
    assert found.calls > 0


def test_the_degenerate_test_takes_the_rows_in_which_its_variables_are_observed():
    data = with_gaps(mixed_data(5, 200, 4, kinds="dcdc"), 0.1, 5)
    test = vd.DegenerateG2()
    seen = data.where_observed(["v0", "v1", "v3"])
    own, expected = (vd.test("v3", "v0", ["v1"], d, test) for d in (data, seen))
    assert (own.statistic, own.df, own.p_value) == pytest.approx((expected.statistic, expected.df, expected.p_value))
    assert vd.PCStable(test).learn(data).calls > 0
