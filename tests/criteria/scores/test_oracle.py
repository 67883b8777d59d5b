"""Against the values of an independent implementation; see tests/oracle/README.md."""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache
from math import prod

import numpy as np
import pytest

import oracle
from veridag import Data
from veridag.counts import family_counts, family_moments
from veridag.criteria.scores import AIC, BIC, FNML, K2, QNML, BDeu, BDs, BGe, LogLik, log_complexity
from veridag.criteria.scores.base import Score
from veridag.data import Column

KNOWN = oracle.load("families")
DISCRETE = ["asia", "child", "insurance"]
SCORES: dict[str, Score] = {
    "loglik": LogLik(),
    "aic": AIC(),
    "bic": BIC(),
    "bde": BDeu(),
    "bde_iss10": BDeu(ess=10),
    "bds": BDs(),
    "bds_iss5": BDs(ess=5),
    "k2": K2(),
    "fnml": FNML(),
}


@cache
def sample(network: str) -> Data:
    columns = []
    for name, column in KNOWN[network]["columns"].items():
        if isinstance(column, list):
            columns.append(Column.continuous(name, np.array(column)))
        else:
            columns.append(Column.discrete(name, np.array([int(c, 36) for c in column["codes"]]), column["states"]))
    return Data(columns)


@pytest.mark.parametrize("network", DISCRETE)
@pytest.mark.parametrize("name", SCORES)
def test_discrete_families_agree(network: str, name: str) -> None:
    data = sample(network)
    families = KNOWN[network]["families"]
    assert len(families) == 30
    for f in families:
        value = SCORES[name].discrete(family_counts(data, f["child"], f["parents"]))
        assert value == pytest.approx(f["scores"][name], rel=1e-11), f


@pytest.mark.parametrize("network", DISCRETE)
@pytest.mark.parametrize("name", ["loglik", "aic", "bic", "bde", "bds", "k2", "fnml"])
def test_networks_agree(network: str, name: str) -> None:
    data = sample(network)
    truth = KNOWN[network]["truth"]
    parents = {v: [a for a, b in truth["arcs"] if b == v] for v in data.names}
    total = sum(SCORES[name].discrete(family_counts(data, v, parents[v])) for v in data.names)
    assert total == pytest.approx(truth["scores"][name], rel=1e-11)


def complexities(n: int, largest: int) -> list[Decimal]:
    """C(n, 1), C(n, 2), ... to 40 digits, by the recurrence of Kontkanen and Myllymäki (2007)."""
    with localcontext(prec=40):
        term = second = Decimal(1)  # the sum for two states, C(n, 2) = sum of n (n - 1) ... (n - m + 1) / n^m
        for m in range(n):
            term = term * (n - m) / n
            second += term
        known = [Decimal(1), second]
        for k in range(1, largest - 1):
            known.append(known[k] + n * known[k - 1] / k)
        return known


@pytest.mark.parametrize("network", DISCRETE)
def test_qnml_is_exact_and_near_the_listed_approximation(network: str) -> None:
    data = sample(network)
    largest = max(prod(data.arities[v] for v in (f["child"], *f["parents"])) for f in KNOWN[network]["families"])
    exact = complexities(data.n, largest)
    for f in KNOWN[network]["families"]:
        family = family_counts(data, f["child"], f["parents"])
        penalty = float((exact[family.r * family.q - 1] / exact[family.q - 1]).ln())
        value = QNML().discrete(family)
        assert value == pytest.approx(f["scores"]["loglik"] - penalty, rel=1e-12)
        assert value == pytest.approx(f["scores"]["qnml"], abs=2e-3)
        assert log_complexity(data.n, family.r) == pytest.approx(float(exact[family.r - 1].ln()), rel=1e-13)


def test_gaussian_families_agree() -> None:
    data = sample("ecoli70")
    N = len(data.names)
    scores = {"bge": BGe(), "bge_iss10": BGe(iss_mu=2, iss_w=N + 5)}
    for f in KNOWN["ecoli70"]["families"]:
        for name, score in scores.items():
            value = score.continuous(family_moments(data, f["child"], f["parents"]))
            assert value == pytest.approx(f["scores"][name], rel=1e-12), f
            assert score.local(f["child"], f["parents"], data) == pytest.approx(value, rel=1e-14)


def test_a_gaussian_network_agrees() -> None:
    data = sample("ecoli70")
    truth = KNOWN["ecoli70"]["truth"]
    parents = {v: [a for a, b in truth["arcs"] if b == v] for v in data.names}
    total = sum(BGe().continuous(family_moments(data, v, parents[v])) for v in data.names)
    assert total == pytest.approx(truth["scores"]["bge"], rel=1e-12)
