"""Against the values of an independent implementation; see tests/oracle/README.md."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import oracle
from veridag import Data
from veridag.criteria import independence
from veridag.criteria.independence import G2, X2, FisherZ, StudentT, Test, pair_moments
from veridag.data import Column

KNOWN = oracle.load("tests")
OBSERVED = oracle.load("observed")
SAMPLES = oracle.load("families")
DISCRETE: dict[str, Test] = {"mi": G2(), "mi-adf": G2(df="adjusted"), "x2": X2(), "x2-adf": X2(df="adjusted")}
GAUSSIAN: dict[str, Test] = {"cor": StudentT(), "zf": FisherZ(), "mi-g": G2()}


@cache
def sample(network: str) -> Data:
    columns = []
    for name, column in SAMPLES[network]["columns"].items():
        if isinstance(column, list):
            columns.append(Column.continuous(name, np.array(column)))
        else:
            columns.append(Column.discrete(name, np.array([int(c, 36) for c in column["codes"]]), column["states"]))
    return Data(columns)


@pytest.mark.parametrize("network", ["asia", "child", "insurance"])
@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_tests_agree(network: str, name: str) -> None:
    assert len(KNOWN[network]) == 40
    for known in KNOWN[network]:
        result = independence.test(known["x"], known["y"], known["given"], sample(network), DISCRETE[name])
        expected = known["tests"][name]
        assert result.statistic == pytest.approx(expected["statistic"], rel=1e-9, abs=1e-9), known
        assert result.df == expected["df"], known
        assert result.p_value == pytest.approx(expected["p"], rel=1e-9, abs=0), known
        assert result.independent == (expected["p"] > 0.05), known


@pytest.mark.parametrize("network", OBSERVED)
@pytest.mark.parametrize(("name", "test"), [("gsq", G2(df="observed")), ("chisq", X2(df="observed"))])
def test_tests_with_observed_degrees_of_freedom_agree(network: str, name: str, test: Test) -> None:
    for known in OBSERVED[network][name]["tests"]:
        result = independence.test(known["x"], known["y"], known["given"], sample(network), test)
        assert result.p_value == pytest.approx(known["p"], rel=1e-9, abs=1e-14), known


@pytest.mark.parametrize("name", GAUSSIAN)
def test_gaussian_tests_agree(name: str) -> None:
    assert len(KNOWN["ecoli70"]) == 40
    for known in KNOWN["ecoli70"]:
        pair = known["x"], known["y"], known["given"]
        result = independence.test(*pair, sample("ecoli70"), GAUSSIAN[name])
        expected = known["tests"][name]
        statistic = pair_moments(sample("ecoli70"), *pair).rho if name == "cor" else result.statistic
        assert statistic == pytest.approx(expected["statistic"], rel=1e-9, abs=0), known
        assert result.df == expected["df"], known
        assert result.p_value == pytest.approx(expected["p"], rel=1e-9, abs=0), known
        assert result.independent == (expected["p"] > 0.05), known


def test_the_values_reach_into_the_far_tail_and_hold_untested_pairs() -> None:
    """What the two tests above would otherwise not have seen."""
    smallest = min(known["tests"]["cor"]["p"] for known in KNOWN["ecoli70"])
    assert smallest < 1e-15
    untested = [k for k in KNOWN["insurance"] if k["tests"]["mi-adf"]["statistic"] == 0 < k["tests"]["mi"]["statistic"]]
    assert untested
