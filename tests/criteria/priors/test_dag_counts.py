from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import dag_counts as naive_counting
from veridag import DAG, InputError
from veridag.criteria.priors import (
    CasteloSiebes,
    DataSize,
    Edge,
    Factorial,
    Fair,
    IndegreeAtMost,
    IndegreeEquals,
    MarginalUniform,
    Uniform,
    VariableSelection,
)
from veridag.criteria.priors.base import PriorTerms, SymmetricPrior
from veridag.criteria.priors.dag_counts import count_dags, indegree_distribution, log_count_dags

SYMMETRIC = [
    Uniform(),
    Edge(0.1),
    Edge(3.0),
    Fair(),
    DataSize(0.5),
    Factorial(),
    MarginalUniform(),
    MarginalUniform("finite"),
    MarginalUniform("sparse"),
    VariableSelection(),
    VariableSelection(0.3),
    IndegreeAtMost(2),
    IndegreeEquals(0),
]


class Weights(SymmetricPrior):
    """Any weights, as a user's own prior would give them."""

    def __init__(self, w):
        self.w = w

    def log_weights(self, n, rows=None):
        with np.errstate(divide="ignore"):
            return np.log(np.array([float(self.w[s]) for s in range(n)]))


# ---- numbers of DAGs


def test_numbers_of_labelled_dags_are_those_of_robinson():
    # OEIS A003024
    known = [1, 1, 3, 25, 543, 29281, 3781503, 1138779265, 783702329343, 1213442454842881, 4175098976430598143]
    assert [count_dags(n) for n in range(11)] == known


@pytest.mark.parametrize("n", range(5))
@pytest.mark.parametrize("d", range(5))
def test_numbers_with_a_maximum_indegree_are_those_found_by_looking_at_every_dag(n, d):
    assert count_dags(n, d) == naive_counting.count_dags(n, d)


def test_one_parent_each_makes_rooted_forests():
    # (n + 1)^(n - 1), Cayley's formula
    assert [count_dags(n, 1) for n in range(1, 9)] == [(n + 1) ** (n - 1) for n in range(1, 9)]


def test_no_parents_make_one_dag_and_all_parents_make_every_dag():
    assert count_dags(40, 0) == 1
    assert count_dags(9, 8) == count_dags(9, 100) == count_dags(9)


def test_one_parent_less_than_all_leaves_out_only_the_dags_with_a_variable_that_has_all_the_others_as_parents():
    # Such a variable is the only one of its kind: n ways to choose it, any DAG on the others.
    assert count_dags(9) - count_dags(9, 7) == 9 * count_dags(8)


@pytest.mark.parametrize(("n", "d"), [(0, None), (1, None), (2, 1), (7, None), (7, 2), (37, 5), (150, 7), (100, None)])
def test_logarithms_are_those_of_the_exact_numbers(n, d):
    assert log_count_dags(n, d) == pytest.approx(math.log(count_dags(n, d)), rel=1e-14, abs=1e-14)


def test_logarithms_reach_where_floats_do_not():
    # Robinson 1973: without a maximum the number is n! 2^(n(n-1)/2) / (M p^n) (1 + o(1)).
    n, M, p = 300, 0.5743623733, 1.4880785456
    expected = math.lgamma(n + 1) + n * (n - 1) / 2 * math.log(2) - math.log(M) - n * math.log(p)
    assert log_count_dags(n) == pytest.approx(expected, abs=1e-6)


@pytest.mark.medium
def test_counting_deep_does_not_exhaust_the_stack():
    assert count_dags(1100, 0) == 1


@pytest.mark.parametrize("n", [-1, 2.5, "3", True])
def test_sizes_that_are_no_sizes_are_refused(n):
    for count in (count_dags, log_count_dags):
        with pytest.raises(InputError, match="n="):
            count(n)
    with pytest.raises(InputError, match="n="):
        indegree_distribution(Uniform(), n)


@pytest.mark.parametrize("d", [-1, 1.5, "2"])
def test_maxima_that_are_no_maxima_are_refused(d):
    for count in (count_dags, log_count_dags):
        with pytest.raises(InputError, match=r"max_indegree=.*None"):
            count(4, d)
    with pytest.raises(InputError, match="max_indegree="):
        indegree_distribution(Uniform(), 4, d)


# ---- distributions of the indegree


@pytest.mark.parametrize("prior", SYMMETRIC, ids=str)
@pytest.mark.parametrize("d", [None, 3, 2, 1, 0])
def test_distributions_are_those_found_by_looking_at_every_dag(prior, d):
    weights = np.exp(prior.terms(list("ABCD"), 200).size[0])
    weights[4 if d is None else d + 1 :] = 0
    expected = naive_counting.indegree_distribution(4, weights.tolist())
    found = indegree_distribution(prior, 4, d, 200)
    assert len(found) == (4 if d is None else d + 1)
    assert found == pytest.approx(expected[: len(found)], rel=1e-13, abs=1e-300)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("prior", [Uniform(), Edge(0.1), Fair(), DataSize(), Factorial()], ids=str)
def test_small_networks_are_no_exception(prior, n):
    weights = np.exp(prior.log_weights(n, 200)).tolist()
    expected = naive_counting.indegree_distribution(n, weights)
    assert indegree_distribution(prior, n, rows=200) == pytest.approx(expected, rel=1e-13)


EXACT_WEIGHTS = {
    "uniform": lambda n: [Fraction(1)] * n,
    "edge": lambda n: [Fraction(1, 10) ** s for s in range(n)],
    "fair": lambda n: [Fraction(1, math.comb(n - 1, s)) for s in range(n)],
    "factorial": lambda n: [Fraction(math.factorial(s)) for s in range(n)],
    "at most 5": lambda n: [Fraction(s <= 5) for s in range(n)],
    "even numbers": lambda n: [Fraction(s % 2 == 0) for s in range(n)],
    "none or at least 4": lambda n: [Fraction(s == 0 or s >= 4) for s in range(n)],
}


@pytest.mark.medium
@pytest.mark.parametrize("n", [5, 12, 24])
@pytest.mark.parametrize("name", EXACT_WEIGHTS)
def test_distributions_agree_with_theorem_3_in_exact_arithmetic(name, n):
    w = EXACT_WEIGHTS[name](n)
    exact = [float(p) for p in naive_counting.theorem_3(n, w)]
    assert indegree_distribution(Weights(w), n) == pytest.approx(exact, rel=1e-12, abs=0)


@given(st.lists(st.integers(0, 1000), min_size=6, max_size=6), st.integers(1, 1000))
def test_any_weights_agree_with_theorem_3(others, first):
    w = [Fraction(first), *map(Fraction, others)]
    exact = [float(p) for p in naive_counting.theorem_3(7, w)]
    assert indegree_distribution(Weights(w), 7) == pytest.approx(exact, rel=1e-12, abs=0)


@pytest.mark.parametrize(("n", "ratio"), [(32, 11.497), (128, 71.914)])
def test_under_the_uniform_prior_five_parents_are_more_probable_than_none(n, ratio):
    # Eggeling et al. 2019, section 4: "about 10" and "about 100"
    p = indegree_distribution(Uniform(), n, max_indegree=5)
    assert p[5] / p[0] == pytest.approx(ratio, abs=5e-4)


@pytest.mark.medium
@pytest.mark.parametrize("d", [5, None])
@pytest.mark.parametrize("prior", [Uniform(), Edge(), Fair(), DataSize(), Factorial()], ids=str)
def test_probabilities_of_many_variables_sum_to_one_though_nothing_normalizes_them(prior, d):
    p = indegree_distribution(prior, 200, d, rows=200)
    assert (p >= 0).all()
    assert p.sum() == pytest.approx(1, abs=1e-11)


def test_the_mean_indegree_is_at_most_half_of_the_others():
    # A DAG has at most n (n - 1) / 2 arcs: what proposition 5 of Eggeling et al. 2019 rests on.
    p = indegree_distribution(Factorial(), 60)
    assert p @ np.arange(60) <= 59 / 2


def test_the_edge_prior_and_the_random_graph_model_are_the_same():
    q = 0.2
    ours = indegree_distribution(VariableSelection(q), 20)
    assert ours == pytest.approx(indegree_distribution(Edge(q / (1 - q)), 20), rel=1e-12)


def test_a_constant_factor_does_not_matter():
    assert indegree_distribution(DataSize(0.0), 15, rows=10**6) == pytest.approx(indegree_distribution(Uniform(), 15))


@pytest.mark.medium
def test_weights_beyond_the_range_of_floats_are_no_obstacle():
    assert indegree_distribution(DataSize(5.0), 300, rows=10**9)[0] == pytest.approx(1)
    assert indegree_distribution(Edge(1e-300), 50) == pytest.approx(np.eye(50)[0])
    # The arcs of nearly all such DAGs are as many as there can be: one variable for every number of parents.
    assert indegree_distribution(Edge(1e300), 50) == pytest.approx(np.full(50, 1 / 50))


def test_a_mapping_that_treats_all_variables_alike_is_a_symmetric_prior():
    alike = IndegreeAtMost({"X1": 1, "X2": 1, "X3": 1})
    assert indegree_distribution(alike, 3) == pytest.approx(indegree_distribution(IndegreeAtMost(1), 3))


@pytest.mark.parametrize(
    "prior",
    [IndegreeEquals({"A": 0, "B": 1, "C": 1}), IndegreeAtMost({"X1": 1, "X2": 0}), CasteloSiebes({("X1", "X2"): 0.4})],
    ids=str,
)
def test_priors_that_tell_variables_apart_have_no_one_distribution(prior):
    with pytest.raises(InputError, match=r"treats variables differently.*Fair"):
        indegree_distribution(prior, 2)


def test_errors_of_the_prior_itself_come_through():
    with pytest.raises(InputError, match="rows"):
        indegree_distribution(DataSize(), 5)
    with pytest.raises(InputError, match="at least 4 variables"):
        indegree_distribution(MarginalUniform("sparse"), 3)


def test_weights_under_which_there_is_no_dag_are_refused():
    with pytest.raises(InputError, match="variables without parents"):
        indegree_distribution(Weights([0, 1, 1]), 3)


def test_the_prior_itself_is_left_as_it_was():
    class Kept(SymmetricPrior):
        weights = np.zeros(5)

        def log_weights(self, n, rows=None):
            return self.weights

    indegree_distribution(Kept(), 5, 2)
    assert (Kept.weights == 0).all()
    assert isinstance(Kept().terms(["A"] * 5), PriorTerms)
    assert Kept().log(DAG.empty(list("ABCDE"))) == 0


# ---- the figure


@pytest.fixture(scope="module")
def plots():
    pytest.importorskip("matplotlib")
    from veridag import figures as plots

    return plots


@pytest.mark.medium
def test_the_figure_returns_the_numbers_it_shows(plots, tmp_path):
    rows = plots.indegree_figure(tmp_path / "f.png", sizes=(6, 9), maxima=(2, None), rows=50)
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    assert len({row["prior"] for row in rows}) == 7
    panel = [row for row in rows if row["n"] == 9 and row["max_indegree"] is None]
    shown = [row["probability"] for row in panel if row["prior"] == "DataSize(tau=0.5)"]
    assert shown == indegree_distribution(DataSize(), 9, rows=50).tolist()


@pytest.mark.medium
def test_the_same_figure_is_the_same_file(plots, tmp_path):
    for name in ("a.svg", "b.svg"):
        plots.indegree_figure(tmp_path / name, sizes=(5,), maxima=(2,))
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.medium
def test_other_kinds_of_file_are_refused_before_anything_is_computed(plots, tmp_path):
    with pytest.raises(InputError, match=r"\.svg or \.png"):
        plots.indegree_figure(tmp_path / "f.jpeg", sizes=(10**6,))
