"""Scores with extreme parameters of their priors: as exact as elsewhere, or refused.

The expected numbers were computed with mpmath at 70 digits from the formulas of the papers; for BHD, by Newton's method
on the bound itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import veridag as vd
from veridag.counts import embedded_scatter, family_moments
from veridag.counts import embedding as embedding_module
from veridag.data import Column, Data


@pytest.fixture(scope="module")
def gaussian() -> Data:
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=(12, 3)) @ [[1, 0.5, 0.2], [0, 1, 0.7], [0, 0, 1]] * 64) / 64 + [1, 2, 3]
    return Data([Column.continuous(v, x[:, i]) for i, v in enumerate("ABC")])


@pytest.fixture(scope="module")
def groups() -> Data:
    asia = vd.networks.load("asia").sample(120, seed=3)
    return Data(asia.columns, None, np.random.default_rng(0).integers(0, 3, 120).astype(np.uint8), ["a", "b", "c"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, -12.56557313264846),
        ({"iss_mu": 1e20}, -10.467836588798983),
        ({"iss_mu": 1e300}, -10.467836588798983),
        ({"iss_mu": 1e-100}, -929.1609441323251),
        ({"iss_mu": 1e-100, "T": 1.0}, -126.83954456339526),
        ({"iss_mu": 1e-300, "T": 1.0}, -357.0980538627998),
        ({"iss_w": 1000000.0}, -14.089852806101407),
        ({"iss_w": 1000000.0, "T": 1.0}, -632656.3729585576),
        ({"iss_w": 2.0000001, "T": 1.0}, -12.537492615541115),
        ({"T": 1e-140}, -1136.433623855626),
        ({"T": 1e140}, -1933.0577477219974),
        ({"iss_mu": 1e20, "iss_w": 1000000.0, "nu": [0.0, 0.0, 0.0]}, -61.10217751620111),
        ({"nu": [1000.0, -1000.0, 0.0]}, -19.40249851739308),
    ],
)
def test_bge_is_exact_for_extreme_priors(gaussian, arguments: dict[str, Any], expected):
    score = vd.BGe(**arguments)
    assert vd.local_score("C", ["A", "B"], gaussian, score) == pytest.approx(expected, rel=1e-9)
    assert score.local("C", ["A", "B"], gaussian) == pytest.approx(expected, rel=1e-9)
    learned = vd.HillClimbing(score=score).learn(gaussian)  # which has code of its own for many candidates
    assert learned.score == pytest.approx(vd.score(learned.dag, gaussian, score), rel=1e-11)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"iss_w": 1e20}, r"iss_w=1e\+20 must be a finite number above 0 and of at most 1e\+06"),
        ({"iss_w": 3, "T": "scaled"}, "iss_w=3 must be above 4 for 3 variables"),
        ({"iss_mu": 1e-300}, r"iss_mu=1e-300 gives T diagonal elements .*: give an iss_mu closer to 1"),
        ({"iss_mu": 1e-300, "T": "scaled"}, "iss_mu=1e-300 gives T diagonal elements"),
        ({"T": 1e300}, r"T=1e\+300 has diagonal elements .* outside the range of 1e-150 to 1e\+150: rescale"),
        ({"T": 1e-300}, "T=1e-300 has diagonal elements"),
        ({"nu": [1e9, 0, 0]}, r"nu gives column 'A' the prior mean 1e\+09, too far from its mean"),
        ({"nu": {"A": 0, "B": 1e200, "C": 0}}, r"column 'B' the prior mean 1e\+200.*leave nu out"),
    ],
)
def test_priors_that_leave_bge_no_digits_are_refused(gaussian, arguments: dict[str, Any], said):
    def score() -> vd.BGe:
        return vd.BGe(**arguments)

    with pytest.raises(vd.InputError, match=said):
        score().local("C", ["A", "B"], gaussian)
    with pytest.raises(vd.InputError, match=said):
        vd.HillClimbing(score=score()).learn(gaussian)
    with pytest.raises(vd.InputError, match=said):
        vd.HillClimbing(score=vd.BCG(gaussian=score())).learn(gaussian)
    if "nu" not in arguments or isinstance(arguments["nu"], dict):
        with pytest.raises(vd.InputError, match=said):
            score().continuous(family_moments(gaussian, "C", ["A", "B"]))


@pytest.mark.parametrize("score", [vd.BGe(T=1e-100), vd.BGe(iss_mu=1e-100)], ids=repr)
def test_rounding_is_not_taken_for_a_residual(gaussian, score):
    """C = A + B leaves 1e-100 of it, and rounding leaves 1e-16: the score was as good as random."""
    a, b = gaussian.column("A"), gaussian.column("B")
    data = Data([*gaussian.columns[:2], Column.continuous("C", a + b)])
    with pytest.raises(vd.InputError, match="linearly dependent up to rounding"):
        score.local("C", ["A", "B"], data)
    with pytest.raises(vd.InputError, match="linear function"):
        vd.local_score("C", ["A", "B"], data, score)
    mixed = Data([*data.columns, Column.discrete("d", np.arange(12) % 2, ["a", "b"])])
    with pytest.raises(vd.InputError, match="linear function"):
        vd.local_score("C", ["A", "B", "d"], mixed, vd.BCG(gaussian=score))


@pytest.mark.parametrize(
    ("ess", "alpha0", "alone", "with_parent"),
    [
        (1, 1, -89.164515649764226, -67.893280888398138),
        (1e-8, 1e-6, -143.02830927274587, -175.87078384377529),
        (1e-8, 1e8, -143.02830927274587, -175.87078384377529),
        (1e5, 1e-6, -83.161505921208871, -57.050139668764444),
        (1e5, 1e8, -83.17816157082801, -83.169070726128226),
        (1e5, 1, -83.161505882774804, -57.048929452003428),
        (1, 1e-6, -89.164510230119319, -67.873606135362351),
        (1, 1e8, -89.164596209129272, -68.127196914761683),
    ],
)
def test_bhd_is_exact_at_the_ends_of_what_it_takes(groups, ess, alpha0, alone, with_parent):
    score = vd.BHD(ess, alpha0)
    for parents, expected in (([], alone), (["bronc"], with_parent)):
        assert vd.local_score("dysp", parents, groups, score) == pytest.approx(expected, rel=1e-9)
        assert score.local("dysp", parents, groups) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"ess": 1e20}, r"ess=1e\+20 must be a number from 1e-08 to 100000"),
        ({"ess": 1e-300}, "ess=1e-300 must be"),
        ({"alpha0": 1e20}, r"alpha0=1e\+20 must be a number from 1e-06 to 1e\+08"),
        ({"alpha0": 1e-300}, "alpha0=1e-300 must be"),
    ],
)
def test_sizes_that_the_optimum_of_bhd_cannot_be_computed_for_are_refused(groups, arguments, said):
    with pytest.raises(vd.InputError, match=said):
        vd.BHD(**arguments)
    with pytest.raises(vd.InputError, match=said):
        vd.fit(vd.DAG.empty(groups.names), groups, method="hierarchical", **arguments)


@pytest.mark.parametrize("ess", [1e-320, 1e-300, 1e-20])
def test_bde_with_a_tiny_imaginary_sample_is_bdeu_where_its_network_is_uniform(groups, ess):
    data = Data(groups.columns)
    network = vd.fit(vd.DAG.empty(data.names), data, ess=1e14)  # as good as uniform
    parents = ["either", "bronc", "tub", "lung"]
    score = vd.local_score("dysp", parents, data, vd.BDe(ess, network))
    assert score == pytest.approx(vd.local_score("dysp", parents, data, vd.BDeu(ess)), rel=1e-7)


def test_more_indicators_than_memory_holds_are_refused(monkeypatch):
    codes = np.arange(40).astype(np.uint16)
    states = [str(k) for k in range(3000)]
    data = Data([Column.discrete("X", codes, states), Column.discrete("Y", codes % 2, ["a", "b"])])
    monkeypatch.setattr(embedding_module, "free_memory", lambda: 50_000_000)
    with pytest.raises(vd.InputError, match=r"3000 indicator columns, 2999 of them of 'X', .* merge states"):
        vd.local_score("X", ["Y"], data, vd.DegenerateGaussian())
    assert embedded_scatter(data, ["Y"], 1.0)[1] == [1]
