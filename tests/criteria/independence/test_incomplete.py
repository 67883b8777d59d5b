"""Tests of independence where values are missing: from the rows in which all variables of a test are observed."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive.missing import where_complete, with_gaps
from strategies.mixed import mixed_data
from veridag.criteria.tester import Tester
from veridag.data import Column, Data

DISCRETE = [t(df=df) for t in (vd.G2, vd.X2) for df in ("plain", "adjusted", "observed")]
CONTINUOUS = [vd.G2(), vd.StudentT(), vd.FisherZ()]


@pytest.mark.parametrize(("kinds", "test"), [*(("dddd", t) for t in DISCRETE), *(("cccc", t) for t in CONTINUOUS)])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_test_sees_the_rows_in_which_its_variables_are_observed(kinds, test, weighted):
    data = with_gaps(mixed_data(6, 200, weighted=weighted, kinds=kinds), 0.2, 6)
    bound = Tester(data, test)
    for x, y, given in (("v0", "v1", []), ("v3", "v1", ["v2"]), ("v2", "v0", ["v3", "v1"])):
        expected = vd.test(x, y, given, where_complete(data, [x, y, *given]), test)
        own = vd.test(x, y, given, data, test)
        assert (own.df, own.independent, own.reliable) == (expected.df, expected.independent, expected.reliable)
        assert (own.statistic, own.p_value) == pytest.approx((expected.statistic, expected.p_value), rel=1e-9)
        places = [data.names.index(v) for v in (x, y, *given)]
        many = bound.many([(places[0], places[1], places[2:])])[0]
        assert (many.statistic, many.p_value) == pytest.approx((expected.statistic, expected.p_value), rel=1e-9)


def test_variables_that_are_never_observed_together_count_as_independent():
    first = np.arange(20) < 10
    codes = np.arange(20) % 2
    data = Data([Column.discrete(v, codes, "ab", observed=m) for v, m in (("X", first), ("Y", ~first))])
    result = vd.test("X", "Y", [], data, vd.G2())
    assert (result.statistic, result.df, result.p_value, result.independent) == (0, 0, 1, True)


def test_a_score_is_a_test_of_incomplete_data():
    data = with_gaps(mixed_data(2, 300, kinds="dddd"), 0.1, 2)
    test = vd.ScoreTest(vd.PNAL())
    gains = [
        vd.local_score(a, ["v2", b], data, vd.PNAL()) - vd.local_score(a, ["v2"], data, vd.PNAL())
        for a, b in (("v0", "v1"), ("v1", "v0"))
    ]
    result = vd.test("v0", "v1", ["v2"], data, test)
    assert result.statistic == pytest.approx(max(gains))
    assert result.independent == (max(gains) <= 0)
    assert Tester(data, test).one(0, 1, [2]).statistic == pytest.approx(max(gains))


@pytest.mark.parametrize(
    ("kinds", "test"),
    [("dddd", vd.G2(df="observed")), ("cccc", vd.StudentT()), ("dcdc", vd.ScoreTest(vd.PNAL()))],
)
def test_constraint_based_algorithms_run(kinds, test):
    data = with_gaps(mixed_data(5, 300, kinds=kinds), 0.1, 5)
    assert vd.PCStable(test=test).learn(data).calls > 0
    assert vd.MMHC(test=test, score=vd.PNAL()).learn(data).dag.names == data.names
