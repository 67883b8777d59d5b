"""The penalised node-average likelihood: scores of data with missing values."""

from __future__ import annotations

from functools import cache
from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import veridag as vd
from naive import missing as naive
from naive.mixed import unbiased
from strategies.mixed import mixed_data
from veridag.counts import family_moments, family_strata
from veridag.criteria.scores.pnal import least_observed
from veridag.data import Column, Data

KNOWN = oracle.load("mixed_missing")


@cache
def sample() -> Data:
    columns = []
    for name, column in KNOWN["columns"].items():
        if isinstance(column, list):
            values = np.array([np.nan if v is None else v for v in column])
            columns.append(Column.continuous(name, values, observed=np.isfinite(values)))
        else:
            codes = np.array([0 if c == "." else int(c) for c in column["codes"]], np.uint8)
            observed = np.array([c != "." for c in column["codes"]])
            columns.append(Column.discrete(name, codes, column["states"], observed=observed))
    return Data(columns)


@pytest.mark.parametrize("kind", ["-cg", "", "-g"])
def test_families_agree_with_an_independent_implementation(kind):
    wanted = {"-cg": ("discrete", "continuous"), "": ("discrete",), "-g": ("continuous",)}[kind]
    data = sample().select([v for v in sample().names if sample().kinds[v] in wanted])
    compared = 0
    for graph in KNOWN["graphs"]:
        for v in data.names:
            parents = [a for a, b in graph["arcs"] if b == v and a in data.names]
            average = graph["scores"][f"nal{kind}"][v]
            penalised = vd.PNAL(KNOWN["k"]).local(v, parents, data)
            part = data.where_observed((*parents, v))
            if data.kinds[v] == "continuous":  # the variance there is divided by another number
                discrete = any(data.kinds[p] == "discrete" for p in parents)
                strata = family_strata(part, v, parents).strata if discrete else [family_moments(part, v, parents)]
                fit = sum(s.log_likelihood for s in strata)
                assert sum(map(unbiased, strata)) / part.n == pytest.approx(average, rel=1e-11)
            else:
                fit = average * part.n
            lost = graph["scores"][f"nal{kind}"][v] - graph["scores"][f"pnal{kind}"][v]
            assert penalised / data.n == pytest.approx(fit / part.n - lost, rel=1e-11)
            compared += 1
    assert compared == len(KNOWN["graphs"]) * len(data.names)


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([0.0, 0.7, 3.5]), st.sampled_from(["cdcd", "ddd", "ccc"]))
def test_families_agree_with_the_naive_version(seed, weighted, k, kinds):
    data = naive.with_gaps(mixed_data(seed, 60, weighted=weighted, kinds=kinds), 0.2, seed)
    for child in data.names:
        of_discrete = data.kinds[child] == "discrete"
        others = [v for v in data.names if v != child and not (of_discrete and data.kinds[v] == "continuous")]
        for parents in ([], others[:1], others[1:], others):
            score = vd.PNAL(k).local(child, parents, data)
            if score == inf:  # a stratum without residuals, which a sum of squares misses by its rounding
                assert not of_discrete
                continue
            assert score == pytest.approx(naive.pnal(data, child, parents, k), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("kinds", ["dddd", "cccc", "dcdc"])
def test_complete_data_has_bic(kinds):
    data = mixed_data(3, 80, kinds=kinds)
    for child in data.names:
        parents = [v for v in data.names if v != child][:2]
        bic = vd.BIC().local(child, parents, data)
        assert vd.PNAL().local(child, parents, data) == pytest.approx(bic, rel=1e-12)
        assert vd.PNAL(log(data.n) / 2).local(child, parents, data) == pytest.approx(bic, rel=1e-12)
        assert vd.local_score(child, parents, data, vd.PNAL()) == pytest.approx(bic, rel=1e-10)


def test_the_default_penalty_grows_with_what_is_missing_as_consistency_asks():
    def penalty(n: int, share: float) -> float:
        gaps = np.arange(n) < round(share * n)
        columns = [Column.discrete(v, np.arange(n) % 2, ("a", "b"), observed=~gaps) for v in "XY"]
        return vd.PNAL().penalty(Data(columns))

    data = naive.with_gaps(mixed_data(1, 100, kinds="dcdc"), 0.2, 1)
    of_kind = [vd.PNAL().penalty(data.select(names)) for names in (["v0", "v2"], ["v0", "v1"], ["v1", "v3"])]
    assert of_kind == sorted(of_kind)
    assert penalty(1000, 0) == log(1000) / 2
    assert penalty(1000, 0.05) < penalty(1000, 0.3)
    sizes = [10**4, 10**5, 10**6]
    grows = [(penalty(n, 0.2) - log(n) / 2) / n**0.5 for n in sizes]
    vanishes = [penalty(n, 0.2) / n for n in sizes]
    assert grows == sorted(grows)
    assert grows[0] < grows[-1]
    assert vanishes == sorted(vanishes, reverse=True)
    assert vanishes[-1] < 0.001


def test_a_family_that_is_hardly_ever_observed_does_not_win():
    """Five rows in which Y copies X would otherwise stand for a thousand."""
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 2, 1000), rng.integers(0, 2, 1000)
    y[:5] = x[:5]
    both = np.arange(1000) < 5
    data = Data(
        [
            Column.discrete("X", x, ("a", "b"), observed=both | (np.arange(1000) % 2 == 0)),
            Column.discrete("Y", y, ("a", "b"), observed=both | (np.arange(1000) % 2 == 1)),
        ]
    )
    assert vd.PNAL().local("Y", ["X"], data) == -inf
    assert vd.PNAL().local("Y", [], data) > -inf
    assert vd.local_score("Y", ["X"], data, vd.PNAL()) == -inf
    assert not vd.HillClimbing(score=vd.PNAL()).learn(data).dag.arcs
    assert [least_observed(n) for n in (1, 2, 1000)] == [1, 2, 2000 / log(1000)]


@pytest.mark.parametrize("kinds", ["dddd", "cccc", "dcdc"])
def test_names_places_rows_and_weights_make_no_difference(kinds):
    data = naive.with_gaps(mixed_data(8, 200, weighted=True, kinds=kinds), 0.1, 8)
    rng = np.random.default_rng(2)
    shuffled = data.select(data.names[::-1]).rows(rng.permutation(data.nrows))
    repeated = data.rows(np.repeat(np.arange(data.nrows), data.weights))
    repeated = Data(repeated.columns)
    turned = []
    for c in data.columns:
        codes = len(c.states) - 1 - c.values if c.kind == "discrete" else c.values
        turned.append(Column(f"other {c.name}", c.kind, codes, c.states[::-1], observed=c.observed))
    renamed = Data(turned, data.weights)
    for child in data.names:
        parents = [v for v in data.names if v != child and not (data.kinds[child] == "discrete" != data.kinds[v])]
        own = vd.PNAL().local(child, parents, data)
        assert own > -inf
        for other in (shuffled, repeated):
            assert vd.PNAL().local(child, parents[::-1], other) == pytest.approx(own, rel=1e-9)
            assert vd.local_score(child, parents[::-1], other, vd.PNAL()) == pytest.approx(own, rel=1e-9)
        same = vd.PNAL().local(f"other {child}", [f"other {p}" for p in parents], renamed)
        assert same == pytest.approx(own, rel=1e-9)


def test_what_stands_at_missing_places_makes_no_difference():
    data = naive.with_gaps(mixed_data(4, 80, kinds="ddd"), 0.2, 4)
    rng = np.random.default_rng(1)
    other = []
    for c in data.columns:
        codes = np.where(c.observed, c.values, rng.integers(0, len(c.states), 80))
        other.append(Column.discrete(c.name, codes, c.states, observed=c.observed))
    family = ("v0", ["v1", "v2"])
    assert vd.local_score(*family, Data(other), vd.PNAL()) == vd.local_score(*family, data, vd.PNAL())


@pytest.mark.parametrize("learner", [vd.HillClimbing, vd.Tabu, vd.BOSS, vd.Exact])
@pytest.mark.parametrize("kinds", ["dddd", "cccc", "dcdc"])
def test_searches_find_the_score_they_report(learner, kinds):
    data = naive.with_gaps(mixed_data(5, 300, kinds=kinds), 0.1, 5)
    found = learner(score=vd.PNAL()).learn(data)
    assert found.score == pytest.approx(vd.score(found.dag, data, vd.PNAL()))
    assert found.score > vd.score(vd.DAG.empty(data.names), data, vd.PNAL())


def test_its_penalty_is_a_setting():
    assert vd.parse("pnal(k=3)", "score") == vd.PNAL(3.0)
