"""BDs and BDeu on the examples and by the theorems of Scutari (2017)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from naive import scores as naive_scores
from veridag import Data, InputError
from veridag.counts import family_counts
from veridag.criteria.scores import BDeu, BDs, d_edf, d_ep, posterior_entropy
from veridag.criteria.scores.base import Score
from veridag.data import Column


def table(rows: str) -> Data:
    """Binary data, a row as its states of X, Z, W, Y."""
    codes = np.array([[int(c) for c in row] for row in rows.split()])
    return Data([Column.discrete(v, codes[:, i], ["0", "1"]) for i, v in enumerate("XZWY")])


A = table("1000 0000 0000 0010 1010 1010 0100 1100 1100 1111 0111 0111")
B = table("0000 0000 0000 1010 1010 1010 1100 1100 1100 0111 0111 0111")
SPARSE, DENSE = ["Z", "W"], ["Z", "W", "Y"]


def probability(score: Score, data: Data, parents: list[str]) -> float:
    return float(np.exp(score.discrete(family_counts(data, "X", parents))))


@pytest.fixture(params=[1, 2, 3, 4])
def random_data(request: pytest.FixtureRequest) -> Data:
    rng = np.random.default_rng(request.param)
    return Data([Column.discrete(v, rng.integers(0, 4, 12), "abcde") for v in "XZWY"])


def test_exhibit_a_bdeu_prefers_the_sparse_graph_and_bds_neither() -> None:
    sparse, dense = (1 / 40) ** 4, (1 / 72) ** 4  # the slide's quotients of gamma functions, cancelled by hand
    assert (f"{sparse:.3e}", f"{dense:.3e}") == ("3.906e-07", "3.721e-08")
    assert probability(BDeu(), A, SPARSE) == pytest.approx(sparse, rel=1e-13)
    assert probability(BDeu(), A, DENSE) == pytest.approx(dense, rel=1e-13)
    assert probability(BDs(), A, SPARSE) == pytest.approx(sparse, rel=1e-13)
    assert probability(BDs(), A, DENSE) == pytest.approx(sparse, rel=1e-13)


def test_exhibit_b_bdeu_prefers_the_dense_graph_and_bds_neither() -> None:
    sparse, dense = (17 / 40) ** 4, (11 / 24) ** 4  # 0.03262... and 0.044...
    assert 0.03262 < sparse < 0.03263
    assert 0.044 < dense < 0.045
    assert probability(BDeu(), B, SPARSE) == pytest.approx(sparse, rel=1e-13)
    assert probability(BDeu(), B, DENSE) == pytest.approx(dense, rel=1e-13)
    assert probability(BDs(), B, SPARSE) == pytest.approx(sparse, rel=1e-13)
    assert probability(BDs(), B, DENSE) == pytest.approx(sparse, rel=1e-13)


def test_exhibits_have_the_stated_posterior_entropies() -> None:
    assert posterior_entropy(A, "X", SPARSE, ess=1) == pytest.approx(2.580, abs=5e-4)
    assert posterior_entropy(A, "X", DENSE, ess=1) == pytest.approx(2.564, abs=5e-4)
    assert posterior_entropy(B, "X", SPARSE, ess=1) == pytest.approx(0.652, abs=5e-4)
    assert posterior_entropy(B, "X", DENSE, ess=1) == pytest.approx(0.392, abs=5e-4)


def test_exhibits_have_the_same_empirical_entropy() -> None:
    expected = 4 * (-np.log(1 / 3) / 3 - 2 * np.log(2 / 3) / 3)
    for parents in (SPARSE, DENSE):
        assert posterior_entropy(A, "X", parents, ess=1e-12) == pytest.approx(expected)
        assert posterior_entropy(B, "X", parents, ess=1e-12) == pytest.approx(0, abs=1e-9)


def test_effective_parameters_of_the_exhibits() -> None:
    assert d_ep(A, "X", SPARSE) == d_ep(A, "X", DENSE) == 4
    assert d_ep(B, "X", SPARSE) == d_ep(B, "X", DENSE) == 0
    assert d_edf(A, "X", SPARSE, "Y") == 0
    assert d_edf(A, "X", ["Z"], "W") == 2


def test_entropy_and_effective_parameters_agree_with_naive_versions(random_data: Data) -> None:
    for parents in ([], ["Z"], ["Z", "W"], ["Z", "W", "Y"]):
        expected = naive_scores.posterior_entropy(random_data, "X", parents, 2.5)
        assert posterior_entropy(random_data, "X", parents, ess=2.5) == pytest.approx(expected, rel=1e-12)
        assert d_ep(random_data, "X", parents) == naive_scores.d_ep(random_data, "X", parents)


def test_posterior_entropy_rises_with_the_imaginary_sample_size(random_data: Data) -> None:
    values = [posterior_entropy(random_data, "X", ["Z"], ess) for ess in (0.1, 1, 10, 100)]
    assert values == sorted(values)
    assert values[0] < values[-1]


def test_entropy_refuses_a_sample_size_of_zero() -> None:
    with pytest.raises(InputError, match="ess=0"):
        posterior_entropy(A, "X", SPARSE, ess=0)


@given(st.integers(0, 2**32), st.floats(0.01, 100), st.integers(0, 3))
def test_bds_is_bdeu_with_a_larger_imaginary_sample_size(seed: int, ess: float, size: int) -> None:
    codes = np.random.default_rng(seed).integers(0, 3, (10, 4))
    data = Data([Column.discrete(v, codes[:, i], "abcd") for i, v in enumerate("XZWY")])
    family = family_counts(data, "X", ["Z", "W", "Y"][:size])
    expected = BDeu(ess=ess * family.q / family.q_observed).discrete(family)
    assert BDs(ess=ess).discrete(family) == pytest.approx(expected, rel=1e-12)


@given(st.integers(0, 2**32), st.integers(1, 3))
def test_as_the_imaginary_sample_vanishes_bds_is_bdeu_with_an_implicit_prior(seed: int, size: int) -> None:
    codes = np.random.default_rng(seed).integers(0, 3, (10, 4))
    data = Data([Column.discrete(v, codes[:, i], "abcd") for i, v in enumerate("XZWY")])
    parents = ["Z", "W", "Y"][:size]
    family = family_counts(data, "X", parents)
    log_ratio = BDs(ess=1e-9).discrete(family) - BDeu(ess=1e-9).discrete(family)
    assert log_ratio == pytest.approx(d_ep(data, "X", parents) * np.log(family.q / family.q_observed), abs=1e-6)


@given(st.integers(0, 2**32))
def test_without_effective_parameters_the_limit_is_one_over_r_per_configuration(seed: int) -> None:
    codes = np.random.default_rng(seed).integers(0, 3, (6, 4))
    data = Data([Column.discrete(v, codes[:, i], "abcd") for i, v in enumerate("XZWY")])
    assume(d_ep(data, "X", ["Z", "W", "Y"]) == 0)
    family = family_counts(data, "X", ["Z", "W", "Y"])
    limit = -family.q_observed * np.log(family.r)
    assert BDeu(ess=1e-9).discrete(family) == pytest.approx(limit, abs=1e-6)


def test_bds_ignores_unobserved_parent_configurations() -> None:
    wider = Data([Column.discrete(c.name, c.values, ["0", "1", "2"] if c.name == "Z" else c.states) for c in A.columns])
    family, same = family_counts(wider, "X", SPARSE), family_counts(A, "X", SPARSE)
    assert BDs().discrete(family) == BDs().discrete(same)
    assert BDeu().discrete(family) < BDeu().discrete(same)
