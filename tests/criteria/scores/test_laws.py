"""What holds for every score, on random data: the naive versions, score equivalence, invariance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import scores as naive_scores
from naive.graphs import equivalence_classes
from strategies import few
from veridag import Data, InputError
from veridag.counts import family_counts, family_moments
from veridag.criteria.scores import AIC, BIC, FNML, K2, QNML, BDeu, BDJeffreys, BDs, BGe, LogLik
from veridag.criteria.scores.base import Score
from veridag.data import Column

DISCRETE: list[tuple[Score, Callable[[Data, str, list[str]], float]]] = [
    (LogLik(), naive_scores.loglik),
    (AIC(), naive_scores.aic),
    (BIC(), naive_scores.bic),
    (BIC(gamma=0.7), lambda data, x, p: naive_scores.bic(data, x, p, gamma=0.7)),
    (K2(), naive_scores.k2),
    (BDJeffreys(), naive_scores.jeffreys),
    (BDeu(), naive_scores.bdeu),
    (BDeu(ess=7.5), lambda data, x, p: naive_scores.bdeu(data, x, p, ess=7.5)),
    (BDs(), naive_scores.bds),
    (BDs(ess=0.3), lambda data, x, p: naive_scores.bds(data, x, p, ess=0.3)),
    (FNML(), naive_scores.fnml),
    (QNML(), naive_scores.qnml),
]
GAUSSIAN: list[Score] = [LogLik(), AIC(), BIC(), BIC(gamma=1), BGe(), BGe(iss_mu=3, iss_w=20), BGe(T=2, iss_w=9)]
SCORES = [score for score, _ in DISCRETE]


def local(score: Score, data: Data, child: str, parents: Sequence[str] = ()) -> float:
    if data.kind == "discrete":
        return score.discrete(family_counts(data, child, parents))
    return score.continuous(family_moments(data, child, parents))


def total(score: Score, data: Data, arcs: frozenset[tuple[int, int]]) -> float:
    v = data.names
    return sum(local(score, data, v[i], [v[a] for a, b in arcs if b == i]) for i in range(len(v)))


@st.composite
def tables(draw: st.DrawFn, most: int = 4, least: int = 1) -> Data:
    """Discrete data with few rows: declared states and configurations that do not occur are common, as are weights."""
    arities = draw(st.lists(st.integers(1, 4), min_size=least, max_size=most))
    rows = draw(st.integers(1, 20))
    codes = [draw(st.lists(st.integers(0, r - 1), min_size=rows, max_size=rows)) for r in arities]
    weights = draw(st.none() | st.lists(st.integers(0, 3), min_size=rows, max_size=rows).filter(any))
    columns = [
        Column.discrete("ABCDE"[i], np.array(c), [f"s{k}" for k in range(r)])
        for i, (c, r) in enumerate(zip(codes, arities, strict=True))
    ]
    return Data(columns, None if weights is None else np.array(weights))


@st.composite
def samples(draw: st.DrawFn, least: int = 1) -> Data:
    """Gaussian data from random linear relations, with more rows than variables."""
    seed, size = draw(st.integers(0, 2**32 - 1)), draw(st.integers(least, 4))
    rng = np.random.default_rng(seed)
    rows = draw(st.integers(size + 3, 25))
    x = rng.normal(size=(rows, size)) @ rng.normal(size=(size, size)) + rng.normal(size=(rows, size))
    weights = rng.integers(1, 4, rows) if draw(st.booleans()) else None
    return Data([Column.continuous("ABCDE"[i], x[:, i] + rng.normal()) for i in range(size)], weights)


def families(data: Data) -> list[tuple[str, list[str]]]:
    return [
        (x, list(p))
        for x in data.names
        for size in range(len(data.names))
        for p in combinations([v for v in data.names if v != x], size)
    ]


# --- the naive versions -----------------------------------------------------------------------------------------------


@given(tables(), st.data())
def test_scores_agree_with_their_naive_versions(data: Data, choice: st.DataObject) -> None:
    child, parents = choice.draw(st.sampled_from(families(data)))
    for score, naive in DISCRETE:
        assert local(score, data, child, parents) == pytest.approx(naive(data, child, parents), rel=1e-10, abs=1e-10)


@given(samples())
def test_gaussian_likelihoods_agree_with_least_squares(data: Data) -> None:
    for child, parents in families(data):
        log_likelihood, size = naive_scores.gaussian_loglik(data, child, parents), len(parents) + 2
        n, N = data.n, len(data.names)
        near = {"rel": 1e-8, "abs": 1e-8}
        assert local(LogLik(), data, child, parents) == pytest.approx(log_likelihood, **near)
        assert local(AIC(), data, child, parents) == pytest.approx(log_likelihood - size, **near)
        assert local(BIC(), data, child, parents) == pytest.approx(log_likelihood - size * np.log(n) / 2, **near)
        extended = log_likelihood - size * (np.log(n) / 2 + 1.5 * np.log(N))
        assert local(BIC(gamma=1.5), data, child, parents) == pytest.approx(extended, **near)


# --- score equivalence ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", [s for s in SCORES if s.equivalent], ids=repr)
@few
@given(data=tables(least=4), choice=st.data())
def test_equivalent_dags_have_the_same_score(score: Score, data: Data, choice: st.DataObject) -> None:
    classes = [members for members in equivalence_classes(4).values() if len(members) > 1]
    first, *others = choice.draw(st.sampled_from(classes))
    expected = total(score, data, first)
    for other in others:
        assert total(score, data, other) == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("score", GAUSSIAN, ids=repr)
@few
@given(data=samples(least=3))
def test_equivalent_dags_have_the_same_gaussian_score(score: Score, data: Data) -> None:
    assert score.equivalent
    three = data.select(data.names[:3])
    for first, *others in equivalence_classes(3).values():
        expected = total(score, three, first)
        for other in others:
            assert total(score, three, other) == pytest.approx(expected, rel=1e-9, abs=1e-9)


#: A has a declared state that does not occur, so BDs spreads its imaginary sample differently in the two directions.
WITNESS = Data(
    [Column.discrete("A", np.array([0, 0, 0, 1]), ["a", "b", "c"]), Column.discrete("B", np.array([0, 1, 1, 1]), "xy")]
)


@pytest.mark.parametrize("score", [K2(), BDs(), BDJeffreys(), FNML()], ids=repr)
def test_scores_that_are_not_equivalent_have_a_witness(score: Score) -> None:
    assert not score.equivalent
    difference = total(score, WITNESS, frozenset({(0, 1)})) - total(score, WITNESS, frozenset({(1, 0)}))
    assert abs(difference) > 0.01


@given(tables(least=2))
def test_bds_is_equivalent_where_every_configuration_occurs(data: Data) -> None:
    everything = np.array(np.meshgrid(*[range(data.arities[v]) for v in data.names], indexing="ij")).reshape(
        len(data.names), -1
    )
    full = Data(
        [
            Column.discrete(v, np.concatenate([data.column(v), everything[i]]), data.states[v])
            for i, v in enumerate(data.names)
        ]
    )
    for child, parents in families(full):
        assert local(BDs(), full, child, parents) == pytest.approx(local(BDeu(), full, child, parents), rel=1e-12)


# --- invariance -------------------------------------------------------------------------------------------------------


@given(tables(), st.randoms(use_true_random=False))
def test_order_of_parents_columns_states_and_rows_does_not_matter(data: Data, random: object) -> None:
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    rows = rng.permutation(data.nrows)
    columns = []
    for v in rng.permutation(data.names):
        order = rng.permutation(data.arities[v])  # new state k is old state order[k]
        codes = np.argsort(order)[data.column(v)][rows]
        columns.append(Column.discrete(str(v), codes, [data.states[v][k] for k in order]))
    mixed = Data(columns, None if data.weights is None else data.weights[rows])
    child, parents = families(data)[-1]
    for score in SCORES:
        expected = local(score, data, child, parents)
        assert local(score, mixed, child, parents[::-1]) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(samples(), st.randoms(use_true_random=False))
def test_order_of_gaussian_columns_and_rows_does_not_matter(data: Data, random: object) -> None:
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    mixed = data.rows(rng.permutation(data.nrows)).select([str(v) for v in rng.permutation(data.names)])
    child, parents = families(data)[-1]
    for score in GAUSSIAN:
        expected = local(score, data, child, parents)
        assert local(score, mixed, child, parents[::-1]) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(tables())
def test_a_weight_is_so_many_rows(data: Data) -> None:
    weights = np.ones(data.nrows, int) if data.weights is None else data.weights
    repeated = Data(data.columns).rows(np.repeat(np.arange(data.nrows), weights))
    child, parents = families(data)[-1]
    for score in SCORES:
        assert local(score, data, child, parents) == local(score, repeated, child, parents)


@given(samples())
def test_a_weight_is_so_many_gaussian_rows(data: Data) -> None:
    weights = np.ones(data.nrows, int) if data.weights is None else data.weights
    repeated = Data(data.columns).rows(np.repeat(np.arange(data.nrows), weights))
    child, parents = families(data)[-1]
    for score in GAUSSIAN:
        expected = local(score, repeated, child, parents)
        assert local(score, data, child, parents) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(samples(), st.lists(st.floats(-1e4, 1e4), min_size=4, max_size=4))
def test_constants_added_to_gaussian_columns_change_nothing(data: Data, shifts: list[float]) -> None:
    columns = [Column.continuous(c.name, c.values + s) for c, s in zip(data.columns, shifts, strict=False)]
    shifted = Data(columns, data.weights)
    child, parents = families(data)[-1]
    for score in GAUSSIAN:
        expected = local(score, data, child, parents)
        assert local(score, shifted, child, parents) == pytest.approx(expected, rel=1e-6, abs=1e-6)


# --- mistakes that users of other tools reported ----------------------------------------------------------------------


def test_scores_are_in_natural_logarithms_at_their_stated_scale() -> None:
    data = Data([Column.discrete("X", np.array([0, 0, 0, 1]), ["a", "b"])])
    log_likelihood = 3 * np.log(3 / 4) + np.log(1 / 4)
    assert local(LogLik(), data, "X") == pytest.approx(log_likelihood)
    assert local(AIC(), data, "X") == pytest.approx(log_likelihood - 1)
    assert local(BIC(), data, "X") == pytest.approx(log_likelihood - np.log(4) / 2)
    assert local(K2(), data, "X") == pytest.approx(np.log(6 / 120))
    assert local(FNML(), data, "X") == local(QNML(), data, "X") == pytest.approx(log_likelihood - np.log(103 / 32))


def test_the_number_of_variables_is_not_the_number_of_rows() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (50, 3))
    data = Data([Column.discrete(v, codes[:, i], "xy") for i, v in enumerate("ABC")])
    penalty = 2 * (np.log(50) / 2 + 2 * np.log(3))
    assert local(BIC(gamma=2), data, "A", ["B"]) == pytest.approx(local(LogLik(), data, "A", ["B"]) - penalty)
    two = data.select(["A", "B"])
    assert local(BDeu(), data, "A", ["B"]) == local(BDeu(), two, "A", ["B"])


@pytest.mark.parametrize("score", [s for s in SCORES if not isinstance(s, LogLik)], ids=repr)
def test_declared_states_of_the_child_count_even_if_unobserved(score: Score) -> None:
    codes = np.array([0, 1, 1, 0, 1])
    two = Data([Column.discrete("X", codes, ["a", "b"])])
    three = Data([Column.discrete("X", codes, ["a", "b", "c"])])
    assert abs(local(score, two, "X") - local(score, three, "X")) > 0.01


@pytest.mark.parametrize(
    ("score", "counts"),
    [
        *((score, True) for score in (AIC(), BIC(), BDeu(), QNML())),
        *((score, False) for score in (LogLik(), K2(), BDJeffreys(), BDs(), FNML())),
    ],
    ids=repr,
)
def test_declared_states_of_parents_count_in_q_alone(score: Score, counts: bool) -> None:
    x, p = np.array([0, 1, 1, 0, 1]), np.array([0, 0, 1, 1, 1])
    two = Data([Column.discrete("X", x, "ab"), Column.discrete("P", p, "ab")])
    three = Data([Column.discrete("X", x, "ab"), Column.discrete("P", p, "abc")])
    difference = abs(local(score, two, "X", ["P"]) - local(score, three, "X", ["P"]))
    assert difference > 0.01 if counts else difference == 0


def test_twelve_parents_of_ten_states_work() -> None:
    rng = np.random.default_rng(5)
    columns = [Column.discrete(f"P{i}", rng.integers(0, 10, 25), [str(k) for k in range(10)]) for i in range(12)]
    data = Data([Column.discrete("X", rng.integers(0, 3, 25), "abc"), *columns])
    parents = [f"P{i}" for i in range(12)]
    assert family_counts(data, "X", parents).q == 10**12
    for score, naive in DISCRETE:
        value = local(score, data, "X", parents)
        assert value == pytest.approx(naive(data, "X", parents), rel=1e-10, abs=1e-10), score


def test_more_configurations_than_any_float_can_count_are_no_obstacle() -> None:
    rng = np.random.default_rng(5)
    columns = [Column.discrete(f"P{i}", rng.integers(0, 10, 8), [str(k) for k in range(10)]) for i in range(400)]
    data = Data([Column.discrete("X", np.array([0, 1, 0, 0, 1, 1, 0, 0]), "ab"), *columns])
    parents = [f"P{i}" for i in range(400)]
    assert local(LogLik(), data, "X", parents) == 0
    assert local(AIC(), data, "X", parents) == local(BIC(), data, "X", parents) == -np.inf
    # Every row has a configuration of its own, whose only state has probability 1/2 a priori.
    for score in [BDeu(), BDs(), K2(), FNML()]:
        assert local(score, data, "X", parents) == pytest.approx(8 * np.log(0.5), rel=1e-14)
    # C(n, k) grows as k^n, so the ratio for twice as many states is 2^n.
    assert local(QNML(), data, "X", parents) == pytest.approx(-8 * np.log(2), rel=1e-10)


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_no_rows_are_an_error(score: Score) -> None:
    empty = WITNESS.rows([])
    with pytest.raises(InputError, match="no rows"):
        local(score, empty, "A")


def test_a_gaussian_variable_that_its_parents_determine_has_infinite_likelihood() -> None:
    x = np.array([1.0, 2.0, 4.0, 8.0])
    data = Data([Column.continuous("A", x), Column.continuous("B", 2 * x + 1)])
    assert local(LogLik(), data, "B", ["A"]) == local(BIC(), data, "B", ["A"]) == np.inf
    assert np.isfinite(local(BGe(), data, "B", ["A"]))


def test_one_observation_costs_nothing_under_bic() -> None:
    data = Data([Column.discrete("X", np.array([0]), "ab")])
    assert local(BIC(), data, "X") == 0
