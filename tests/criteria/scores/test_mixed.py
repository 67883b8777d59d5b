"""Scores of data with discrete and continuous columns."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import veridag as vd
from naive import mixed as naive
from naive.graphs import equivalence_classes
from naive.mixed import unbiased
from strategies import few
from strategies.mixed import mixed_data, mixed_tables
from veridag.counts import family_strata
from veridag.criteria.scores.base import Score
from veridag.data import Column, Data

KNOWN = oracle.load("mixed")
EQUIVALENT = [
    vd.LogLik(),
    vd.AIC(),
    vd.BIC(gamma=0.5),
    vd.BCG(),
    vd.DegenerateGaussian(),
    vd.DegenerateGaussian(1, 0.5),
]


@cache
def sample(name: str) -> Data:
    columns = []
    for variable, column in KNOWN[name]["columns"].items():
        if isinstance(column, list):
            columns.append(Column.continuous(variable, np.array(column)))
        else:
            codes = np.array([int(c) for c in column["codes"]], np.uint8)
            columns.append(Column.discrete(variable, codes, column["states"]))
    return Data(columns)


@pytest.mark.parametrize("name", ["mixed", "mixed_small"])
def test_conditional_gaussian_families_agree_with_an_independent_implementation(name):
    data, compared = sample(name), 0
    for graph in KNOWN[name]["graphs"]:
        parents = {v: [a for a, b in graph["arcs"] if b == v] for v in data.names}
        for v in data.names:
            known = graph["scores"]["loglik-cg"][v]
            if data.kinds[v] == "continuous":
                strata = family_strata(data, v, parents[v]).strata
                if not isinstance(known, float) or min(s.n - len(s.parents) - 1 for s in strata) <= 0:
                    assert vd.LogLik().local(v, parents[v], data) == inf
                    continue
                assert sum(map(unbiased, strata)) == pytest.approx(known, rel=1e-11)
            else:
                assert vd.LogLik().local(v, parents[v], data) == pytest.approx(known, rel=1e-11)
            fit = vd.LogLik().local(v, parents[v], data)
            for score, label in ((vd.AIC(), "aic-cg"), (vd.BIC(), "bic-cg")):
                penalty = graph["scores"][label][v] - known
                assert score.local(v, parents[v], data) - fit == pytest.approx(penalty, rel=1e-9)
            compared += 1
    assert compared > (40 if name == "mixed" else 25)


def families(data: Data, most: int = 3) -> list[tuple[str, list[str]]]:
    return [
        (x, list(p))
        for x in data.names
        for size in range(most + 1)
        for p in combinations([v for v in data.names if v != x], size)
    ]


@few
@given(data=mixed_tables(), choice=st.data())
def test_likelihoods_agree_with_their_naive_versions(data, choice):
    child, parents = choice.draw(st.sampled_from(families(data)))
    without = naive.joint_loglik(data, parents)
    joint = naive.joint_loglik(data, [*parents, child])
    fit = vd.LogLik().local(child, parents, data)
    if inf in (without, joint):
        assert fit == inf
        return
    size = naive.joint_nparams(data, [*parents, child]) - naive.joint_nparams(data, parents)
    near = {"rel": 1e-8, "abs": 1e-6}
    assert fit == pytest.approx(joint - without, **near)
    assert vd.AIC().local(child, parents, data) == pytest.approx(joint - without - size, **near)
    each = log(data.n) / 2 + 0.5 * log(len(data.names))
    assert vd.BIC(gamma=0.5).local(child, parents, data) == pytest.approx(joint - without - size * each, **near)
    if data.kinds[child] == "continuous":
        assert fit == pytest.approx(naive.conditional_gaussian(data, child, parents, 0.0), **near)
        assert vd.AIC().local(child, parents, data) == pytest.approx(
            naive.conditional_gaussian(data, child, parents, 1.0), **near
        )


@few
@given(data=mixed_tables(), choice=st.data(), ess=st.sampled_from([0.3, 1.0, 10.0]))
def test_bcg_is_the_marginal_likelihood_of_the_family_less_that_of_the_parents(data, choice, ess):
    child, parents = choice.draw(st.sampled_from(families(data)))
    score = vd.BCG(vd.BDeu(ess))
    expected = naive.bcg_of_set(data, [*parents, child], ess) - naive.bcg_of_set(data, parents, ess)
    assert score.local(child, parents, data) == pytest.approx(expected, rel=1e-8, abs=1e-7)


@few
@given(data=mixed_tables(), choice=st.data(), ess=st.sampled_from([0.5, 1.0]))
def test_the_degenerate_gaussian_agrees_with_its_naive_version(data, choice, ess):
    child, parents = choice.draw(st.sampled_from(families(data)))
    penalty = log(data.n) / 2 + log(len(data.names))
    sets = (naive.degenerate_gaussian_of_set(data, names, penalty, ess) for names in ([*parents, child], parents))
    expected = next(sets) - next(sets)
    score = vd.DegenerateGaussian(gamma=1, ess=ess)
    assert score.local(child, parents, data) == pytest.approx(expected, rel=1e-7, abs=1e-6)


@pytest.mark.parametrize("score", EQUIVALENT, ids=repr)
def test_equivalent_dags_have_the_same_score_in_whichever_direction_arcs_point(score: Score):
    assert score.equivalent
    for seed in range(4):
        data = mixed_data(seed, 200, kinds="dcdc"[: 3 + seed % 2])
        size = len(data.names)
        for first, *others in list(equivalence_classes(size).values())[seed::7]:
            expected = total(score, data, first)
            for other in others:
                assert total(score, data, other) == pytest.approx(expected, rel=1e-9)


def total(score: Score, data: Data, arcs: frozenset[tuple[int, int]]) -> float:
    v = data.names
    return sum(score.local(v[i], [v[a] for a, b in arcs if b == i], data) for i in range(len(v)))


def test_bcg_with_a_score_that_is_not_equivalent_is_not_equivalent():
    assert vd.BCG().equivalent
    assert not vd.BCG(vd.BDs()).equivalent
    assert not vd.BCG(vd.K2()).equivalent


def test_on_data_of_one_kind_the_scores_are_those_of_that_kind():
    discrete = vd.networks.load("asia").sample(200, seed=1)
    continuous = mixed_data(3, 80, kinds="cccc")
    for child, parents in families(discrete.select(discrete.names[:4])):
        assert vd.BCG().local(child, parents, discrete) == vd.BDeu().local(child, parents, discrete)
    for child, parents in families(continuous):
        scaled = vd.BGe(T="scaled").local(child, parents, continuous)
        assert vd.BCG().local(child, parents, continuous) == pytest.approx(scaled, rel=1e-12)
        plain = vd.BIC(gamma=0.3).local(child, parents, continuous)
        assert vd.DegenerateGaussian(gamma=0.3).local(child, parents, continuous) == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("score", [vd.BIC(), vd.BCG(), vd.DegenerateGaussian()], ids=repr)
def test_a_row_of_weight_w_counts_w_times(score):
    data = mixed_data(5, 60, weighted=True)
    repeated = Data([c.take(np.repeat(np.arange(60), data.weights)) for c in data.columns])
    for child, parents in families(data, 2):
        assert score.local(child, parents, data) == pytest.approx(score.local(child, parents, repeated), rel=1e-9)


@pytest.mark.parametrize("score", [vd.BIC(), vd.BCG(), vd.DegenerateGaussian()], ids=repr)
def test_units_do_not_change_differences_between_families(score):
    data = mixed_data(8, 100, kinds="dcdc")
    moved = Data([c if c.kind == "discrete" else Column.continuous(c.name, 1e4 * c.values + 7) for c in data.columns])
    for child, parents in families(data):
        gain, other = (score.local(child, parents, d) - score.local(child, [], d) for d in (data, moved))
        assert gain == pytest.approx(other, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("score", [vd.BIC(), vd.BCG(), vd.DegenerateGaussian()], ids=repr)
def test_names_and_order_of_states_change_nothing(score):
    data = mixed_data(2, 100, kinds="dcdcd")
    columns = []
    for c in data.columns:
        r = len(c.states)
        turned = [f"t{k}" for k in range(r)]
        discrete = c.kind == "discrete"
        columns.append(Column.discrete(c.name, (r - 1 - c.values).astype(np.uint8), turned) if discrete else c)
    other = Data(columns)
    for child, parents in families(data, 2):
        assert score.local(child, parents, data) == pytest.approx(score.local(child, parents, other), rel=1e-9)


def test_a_configuration_that_fits_any_data_has_a_likelihood_without_bound():
    rng = np.random.default_rng(1)
    codes = np.array([0] * 20 + [1] * 20 + [2] * 2, np.uint8)
    data = Data(
        [
            Column.discrete("D", codes, "abc"),
            Column.continuous("X", rng.normal(size=42)),
            Column.continuous("Y", rng.normal(size=42)),
        ]
    )
    assert np.isfinite(vd.LogLik().local("Y", ["D"], data))  # two rows have a variance
    assert vd.LogLik().local("Y", ["D", "X"], data) == inf  # and lie on a line
    assert vd.Scorer(data, vd.BIC()).local(2, [0, 1]) == -inf  # never to be chosen
    with pytest.raises(vd.InputError, match="unbounded"):
        vd.local_score("Y", ["D", "X"], data, vd.BIC())
    assert np.isfinite(vd.local_score("Y", ["D", "X"], data, vd.BCG()))


def test_scores_for_one_kind_refuse_mixed_data_and_name_those_that_take_it():
    data = mixed_data(1, 30)
    for score in (vd.BDeu(), vd.BGe(), vd.QNML()):
        with pytest.raises(vd.InputError, match=r"does not score mixed data; use BCG, BIC.*discretize"):
            score.check(data)


def test_the_prior_mean_and_matrix_of_bcg_are_for_the_continuous_columns():
    data = mixed_data(4, 50, kinds="dcdc")
    matrix = [[2.0, 0.3], [0.3, 1.0]]
    by_name = vd.BCG(gaussian=vd.BGe(nu={"v1": 1.0, "v3": 2.0}, T=matrix))
    by_place = vd.BCG(gaussian=vd.BGe(nu=[1.0, 2.0], T=matrix))
    families = [("v3", ["v0", "v1"]), ("v1", []), ("v1", ["v2"]), ("v3", ["v1"])]
    for child, parents in families:
        assert by_name.local(child, parents, data) == by_place.local(child, parents, data)
    with pytest.raises(vd.InputError, match="T has 3 rows, but the data 2 columns"):
        vd.BCG(gaussian=vd.BGe(T=np.eye(3))).check(data)
