from __future__ import annotations

import numpy as np
import pytest

from naive import scores as naive_scores
from veridag import Data, InputError
from veridag.counts import family_moments
from veridag.criteria.scores import BGe
from veridag.data import Column

NU = {"A": 0.5, "B": -1.0, "C": 2.0, "D": 0.0}
T = np.array([[2.0, 0.3, 0.1, 0.0], [0.3, 1.5, 0.0, -0.2], [0.1, 0.0, 1.0, 0.4], [0.0, -0.2, 0.4, 3.0]])
FAMILIES = [("A", []), ("B", ["A"]), ("C", ["D", "B"]), ("A", ["B", "C", "D"])]


@pytest.fixture(scope="module", params=[None, "weighted"])
def data(request: pytest.FixtureRequest) -> Data:
    rng = np.random.default_rng(7)
    x = rng.normal(size=(15, 4)) @ rng.normal(size=(4, 4)) + [1, 2, 3, 4]
    weights = rng.integers(0, 4, 15) if request.param else None
    return Data([Column.continuous(v, x[:, i]) for i, v in enumerate("ABCD")], weights)


@pytest.mark.parametrize(("child", "parents"), FAMILIES)
def test_is_the_product_of_predictions_with_the_users_prior(data: Data, child: str, parents: list[str]) -> None:
    value = BGe(iss_mu=1.5, iss_w=8, nu=NU, T=T).local(child, parents, data)
    assert value == pytest.approx(naive_scores.bge(data, child, parents, 1.5, 8, NU, T), rel=1e-10)


@pytest.mark.parametrize(("child", "parents"), FAMILIES)
def test_is_the_product_of_predictions_with_the_default_prior(data: Data, child: str, parents: list[str]) -> None:
    means = {v: float(naive_scores.expanded(data, [v]).mean()) for v in data.names}
    expected = naive_scores.bge(data, child, parents, 1, 6, means, np.eye(4) / 2)
    assert BGe().local(child, parents, data) == pytest.approx(expected, rel=1e-10)
    assert BGe().continuous(family_moments(data, child, parents)) == pytest.approx(expected, rel=1e-10)


def test_a_number_for_t_multiplies_the_identity(data: Data) -> None:
    for child, parents in FAMILIES:
        by_number = BGe(T=1.7, nu=NU)
        by_matrix = BGe(T=1.7 * np.eye(4), nu=list(NU.values()))
        expected = by_matrix.local(child, parents, data)
        assert by_number.local(child, parents, data) == pytest.approx(expected, rel=1e-14)
        assert by_number.continuous(family_moments(data, child, parents)) == pytest.approx(expected, rel=1e-14)


def test_equivalent_dags_have_the_same_score_under_any_prior(data: Data) -> None:
    score = BGe(iss_mu=0.5, iss_w=5, nu=NU, T=T)
    forward = score.local("A", ["D"], data) + score.local("B", ["A", "D"], data)
    backward = score.local("B", ["D"], data) + score.local("A", ["B", "D"], data)
    assert forward == pytest.approx(backward, rel=1e-12)


def test_columns_in_another_order_need_a_prior_in_that_order(data: Data) -> None:
    order = [2, 0, 3, 1]
    moved = data.select(["ABCD"[i] for i in order])
    score = BGe(nu=[NU["ABCD"[i]] for i in order], T=T[np.ix_(order, order)])
    expected = BGe(nu=NU, T=T).local("C", ["D", "B"], data)
    assert score.local("C", ["D", "B"], moved) == pytest.approx(expected, rel=1e-12)


def test_parts_of_the_formula_are_those_of_the_paper(data: Data) -> None:
    np.testing.assert_array_equal(BGe().prior_matrix(data), np.eye(4) / 2)
    np.testing.assert_allclose(BGe(iss_mu=2, iss_w=9).prior_matrix(data), np.eye(4) * 2 * 4 / 3)
    np.testing.assert_array_equal(BGe(T=T).prior_matrix(data), T)
    np.testing.assert_allclose(BGe().prior_mean(data), naive_scores.expanded(data, list("ABCD")).mean(axis=0))
    np.testing.assert_array_equal(BGe(nu=NU).prior_mean(data), [0.5, -1, 2, 0])
    x = naive_scores.expanded(data, list("ABCD"))
    n, off = len(x), x.mean(axis=0) - [0.5, -1, 2, 0]
    R = T + (x - x.mean(axis=0)).T @ (x - x.mean(axis=0)) + n * 2 / (n + 2) * np.outer(off, off)
    family = family_moments(data, "D", ["A", "B", "C"])
    np.testing.assert_allclose(BGe(iss_mu=2).posterior_matrix(family, T, np.array([0.5, -1, 2, 0])), R)


def test_priors_by_column_need_the_data(data: Data) -> None:
    for score in (BGe(T=T), BGe(nu=[0, 0, 0, 0])):
        with pytest.raises(InputError, match="use local"):
            score.continuous(family_moments(data, "A", []))


def test_linearly_dependent_columns_have_a_score() -> None:
    x = np.random.default_rng(1).normal(size=50)
    data = Data([Column.continuous("A", x), Column.continuous("B", 3 * x), Column.continuous("C", np.ones(50))])
    assert np.isfinite(BGe().local("C", ["A", "B"], data))


def test_dependence_that_drowns_the_prior_is_an_error() -> None:
    x = np.random.default_rng(1).normal(size=50) * 1e12
    data = Data([Column.continuous("A", x), Column.continuous("B", 3 * x), Column.continuous("C", -x)])
    with pytest.raises(InputError, match=r"linearly dependent up to rounding.*larger T"):
        BGe().local("C", ["A", "B"], data)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"iss_mu": 0}, "iss_mu=0"),
        ({"iss_w": -1}, "iss_w=-1"),
        ({"nu": 3}, "nu=3"),
        ({"nu": {}}, "must give a mean for each column"),
        ({"nu": {"A": "x"}}, r"nu\['A'\]='x'"),
        ({"nu": [1, float("nan")]}, r"nu\[1\]=nan"),
        ({"nu": (("A", 1), ("A", 2))}, "twice"),
        ({"T": 0}, "T=0"),
        ({"T": "wide"}, "T='wide'"),
        ({"T": [["a"]]}, "square matrix"),
        ({"T": [[1, 0]]}, r"shape is \(1, 2\)"),
        ({"T": [[1, 2], [0, 1]]}, "symmetric and positive definite"),
        ({"T": [[1, 2], [2, 1]]}, "symmetric and positive definite"),
    ],
)
def test_wrong_priors_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        BGe(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (BGe(iss_w=5), "iss_w=5 must be above 5 for 4 variables"),
        (BGe(iss_w=3, T=1), "iss_w=3 must be above 3 for 4 variables"),
        (BGe(T=[[1, 0], [0, 1]]), "T has 2 rows, but the data 4 columns"),
        (BGe(nu=[1, 2, 3]), "nu has 3 numbers, but the data 4 columns"),
        (BGe(nu={"A": 1, "B": 1, "C": 1, "DD": 1}), "no mean for column 'D': did you mean 'DD'"),
    ],
)
def test_priors_that_do_not_fit_the_data_are_refused(data: Data, score: BGe, message: str) -> None:
    with pytest.raises(InputError, match=message):
        score.check(data)
    with pytest.raises(InputError, match=message):
        score.local("D", ["A"], data)


def test_priors_that_fit_the_data_pass(data: Data) -> None:
    for score in (BGe(), BGe(iss_w=3.5, T=T), BGe(nu=NU), BGe(nu=[1, 2, 3, 4])):
        assert score.check(data) == "continuous"


def test_discrete_data_is_refused() -> None:
    with pytest.raises(InputError, match="does not score discrete data"):
        BGe().check(Data([Column.discrete("A", np.array([0, 1]), "ab")]))
