"""Scores of expected counts and of expected moments, against every completion of every row."""

from __future__ import annotations

import pickle
from math import lgamma, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import veridag as vd
from naive import missing as naive
from veridag.counts import contingency_table
from veridag.criteria.expected import AveragedScore, ExpectedScore, exact, expected_score
from veridag.criteria.scorer import Scorer
from veridag.data import Column, Data

SCORES = [vd.LogLik(), vd.AIC(), vd.BIC(gamma=0.5), vd.PNAL(k=1.5), vd.BDeu(ess=3), vd.K2(), vd.BDJeffreys()]


@st.composite
def incomplete(draw: st.DrawFn, most: int = 4) -> tuple[vd.Network, Data]:
    """A network of few variables, and weighted data with gaps that it may have produced; no probability is zero."""
    size = draw(st.integers(2, most))
    names = [f"v{i}" for i in range(size)]
    pairs = [(names[i], names[k]) for k in range(size) for i in range(k)]
    dag = vd.DAG.from_arcs(draw(st.lists(st.sampled_from(pairs), unique=True)), names=names)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    states = {v: tuple(str(s) for s in range(draw(st.integers(1, 3)))) for v in names}
    cpds = {}
    for v in names:
        shape = [len(states[p]) for p in dag.parents(v)]
        cpds[v] = vd.Table(
            tuple(dag.parents(v)), 0.9 * rng.dirichlet(np.ones(len(states[v])), shape) + 0.1 / len(states[v])
        )
    n = draw(st.integers(1, 8))
    columns = [
        Column.discrete(v, rng.integers(len(states[v]), size=n), states[v], observed=rng.random(n) < 0.6) for v in names
    ]
    weights = rng.integers(0, 4, n) + (np.arange(n) == 0) if draw(st.booleans()) else None
    return vd.Network(cpds, states), Data(columns, weights)


def naive_score(score: vd.Score, n_jk: NDArray[np.float64], n: int, variables: int) -> float:
    """The formula of a score, cell by cell; the last axis is the child's."""
    r, q = n_jk.shape[-1], n_jk.size // n_jk.shape[-1]
    rows = n_jk.reshape(q, r)
    if isinstance(score, vd.BDeu | vd.K2 | vd.BDJeffreys):
        alpha = {vd.BDeu: getattr(score, "ess", 0) / (r * q), vd.K2: 1.0, vd.BDJeffreys: 0.5}[type(score)]
        total = 0.0
        for row in rows:
            total += lgamma(r * alpha) - lgamma(r * alpha + row.sum())
            total += sum(lgamma(alpha + x) - lgamma(alpha) for x in row)
        return total
    fit = sum(x * log(x / row.sum()) for row in rows for x in row if x > 0)
    each = {vd.LogLik: 0.0, vd.AIC: 1.0, vd.PNAL: getattr(score, "k", 0), vd.BIC: log(n) / 2 + 0.5 * log(variables)}
    return fit - q * (r - 1) * each[type(score)]


def families(names: tuple[str, ...]) -> list[tuple[int, tuple[int, ...]]]:
    """Each variable with no parents, with one, and with all others."""
    size = len(names)
    some = [(v, ((v + 1) % size,)) for v in range(size)] + [(v, ()) for v in range(size)]
    return some + [(v, tuple(p for p in range(size) if p != v)) for v in range(size)]


@given(incomplete())
def test_scores_of_expected_counts_are_those_over_all_completions(case: tuple[vd.Network, Data]) -> None:
    network, data = case
    wanted = families(data.names)
    joint = naive.expected_counts(network, data, data.names)
    counts = [np.einsum(joint, [*range(joint.ndim)], [*ps, child]) for child, ps in wanted]
    for score in SCORES:
        expected = expected_score(score, network, data, draws=0)
        assert expected.exact
        assert expected.note is None
        found = Scorer(data, expected).local_many(wanted)
        right = [naive_score(score, n_jk, data.n, len(data.names)) for n_jk in counts]
        assert found == pytest.approx(right, rel=1e-9, abs=1e-9)
        child, parents = wanted[-1]
        readable = expected.local(data.names[child], [data.names[p] for p in parents], data)
        assert readable == pytest.approx(right[-1], rel=1e-9, abs=1e-9)


@given(incomplete(), st.data())
def test_names_and_states_are_matched_and_others_may_be_left_out(
    case: tuple[vd.Network, Data], more: st.DataObject
) -> None:
    network, data = case
    kept = more.draw(st.permutations(data.names))[: more.draw(st.integers(1, len(data.names)))]
    shuffled = {v: tuple(more.draw(st.permutations(states))) for v, states in network.states.items()}
    cpds = {}
    for v in more.draw(st.permutations(network.names)):
        table = network.table(v)
        order = [[network.states[u].index(s) for s in shuffled[u]] for u in (*table.parents, v)]
        cpds[v] = vd.Table(table.parents, table.probabilities[np.ix_(*order)])
    ours = ExpectedScore(vd.BDeu(), network, data)
    theirs = ExpectedScore(vd.BDeu(), vd.Network(cpds, shuffled), data)
    found = Scorer(data.select(kept), theirs).local_many([(0, tuple(range(1, len(kept))))])
    assert found[0] == pytest.approx(ours.local(kept[0], kept[1:], data), rel=1e-9, abs=1e-9)


def alarm(n: int, share: float) -> tuple[vd.Network, Data]:
    network = vd.networks.load("alarm")
    return network, naive.with_gaps(network.sample(n, seed=1), share, 2)


def test_many_candidates_at_once_score_as_each_alone() -> None:
    network, data = alarm(400, 0.05)
    expected = ExpectedScore(vd.BDeu(), network, data)
    assert expected.exact
    found = vd.HillClimbing(score=expected, max_indegree=3).learn(data)
    by_name = {v: i for i, v in enumerate(data.names)}
    wanted = [(by_name[v], tuple(by_name[p] for p in found.dag.parents(v))) for v in data.names]
    assert found.score == pytest.approx(Scorer(data, expected).local_many(wanted).sum(), rel=1e-11)
    assert max(len(ps) for _, ps in wanted) >= 2
    crowded = next(f for f in wanted if len(f[1]) >= 2)
    names = data.names[crowded[0]], [data.names[p] for p in crowded[1]]
    assert Scorer(data, expected).local(*crowded) == pytest.approx(expected.local(*names, data), rel=1e-10)


def test_draws_do_not_depend_on_the_order_of_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "LIMIT", 2)
    network = vd.networks.load("asia")
    data = naive.with_gaps(network.sample(60, seed=5), 0.4, 6)
    other = data.select(data.names[::-1])
    one, two = (ExpectedScore(vd.BDeu(), network, own) for own in (data, other))
    assert not one.exact
    for names in (data, other):
        values = [vd.local_score("dysp", ["bronc", "either"], names, score) for score in (one, two)]
        assert values[0] == pytest.approx(values[1], rel=1e-12)


def test_families_with_more_cells_than_rows() -> None:
    network, data = alarm(60, 0.1)
    expected = ExpectedScore(vd.BDeu(), network, data)
    child, *parents = [
        data.names.index(v) for v in ("CVP", "HISTORY", "LVFAILURE", "LVEDVOLUME", "HYPOVOLEMIA", "BP", "HR", "CO")
    ]
    readable = expected.local(data.names[child], [data.names[p] for p in parents], data)
    assert 2 * data.n + 1024 < 3**5 * 2**3  # the core counts by hashing, and with the rows in between one by one
    assert Scorer(data, expected).local(child, parents) == pytest.approx(readable, rel=1e-10)


def test_complete_data_has_the_plain_score() -> None:
    network = vd.networks.load("asia")
    data = network.sample(500, seed=4)
    for score in SCORES:
        expected = ExpectedScore(score, network, data)
        for family in [(2, (0, 1)), (5, ())]:
            assert Scorer(data, expected).local(*family) == pytest.approx(Scorer(data, score).local(*family), rel=1e-12)
    assert (
        vd.Tabu(score=ExpectedScore(vd.BIC(), network, data)).learn(data).dag == vd.Tabu(score=vd.BIC()).learn(data).dag
    )


@given(incomplete(most=4))
def test_equivalent_networks_have_the_same_expected_score(case: tuple[vd.Network, Data]) -> None:
    network, data = case
    a, b, *others = data.names
    arcs = [(a, b), *((a, v) for v in others), *((b, v) for v in others)]
    reversed_arcs = [(b, a), *arcs[1:]]
    for score in (vd.BIC(), vd.BDeu(ess=2)):
        expected = ExpectedScore(score, network, data)
        assert expected.equivalent
        one, other = (
            vd.score(vd.DAG.from_arcs(own, names=data.names), data, expected) for own in (arcs, reversed_arcs)
        )
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9)
    assert not ExpectedScore(vd.K2(), network, data).equivalent


def test_counts_of_many_draws_approach_the_expected_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where components are too large, draws stand in, and the note says for how many rows."""
    network = vd.networks.load("asia")
    data = naive.with_gaps(network.sample(200, seed=5), 0.3, 6)
    family = (data.names.index("dysp"), (data.names.index("bronc"), data.names.index("either")))
    right = Scorer(data, ExpectedScore(vd.LogLik(), network, data)).local(*family)
    errors = []
    for limit, draws in ((4, 4), (4, 1000), (1, 1000)):
        monkeypatch.setattr(exact, "LIMIT", limit)
        monkeypatch.setattr(exact, "DRAWS", draws)
        drawn = ExpectedScore(vd.LogLik(), network, data, seed=3)
        assert not drawn.exact
        assert drawn.note is not None
        errors.append(abs(Scorer(data, drawn).local(*family) - right))
    gaps = sum(1 for i in range(data.nrows) if not all(data.observed(v)[i] for v in data.names))
    assert drawn.note.startswith(f"{gaps} of 200 observations")  # with a limit of 1, every row that has a gap
    assert 1e-6 < errors[1] < errors[0]
    assert max(errors[1:]) < 0.2


def test_the_mean_counts_of_completions_approach_the_expected_ones() -> None:
    network = vd.networks.load("asia")
    data = naive.with_gaps(network.sample(100, seed=5), 0.3, 6)
    averaged = expected_score(vd.LogLik(), network, data, draws=100, seed=3)
    assert isinstance(averaged, AveragedScore)
    assert not averaged.exact
    assert averaged.note == "the expected score is the mean over 100 completions"
    for v, column in zip(data.names, data.columns, strict=True):
        seen = data.observed(v)
        assert all(np.array_equal(part.column(v)[seen], column.values[seen]) for part in averaged.completions)
    expected = ExpectedScore(vd.LogLik(), network, data)
    right = expected.family_counts("dysp", ["bronc", "either"], data)
    drawn = [contingency_table(part, ["bronc", "either", "dysp"]) for part in averaged.completions]
    assert np.mean(drawn, axis=0).reshape(-1, 2) == pytest.approx(right.n_ijk, abs=0.6)
    assert np.std(drawn, axis=0).max() > 1


def test_the_mean_likelihood_is_above_that_of_the_mean_counts() -> None:
    """The likelihood is a convex function of counts, of degree 1: Jensen's inequality for the very same draws."""
    network, data = alarm(100, 0.1)
    averaged = expected_score(vd.LogLik(), network, data, draws=8)
    assert isinstance(averaged, AveragedScore)
    columns = [
        Column.discrete(v, np.concatenate([part.column(v) for part in averaged.completions]), data.states[v])
        for v in data.names
    ]
    pooled = Data(columns)
    wanted = [(v, tuple(p for p in (4, 9, 20) if p != v)) for v in range(len(data.names))]
    mean, of_mean = Scorer(data, averaged).local_many(wanted), Scorer(pooled, vd.LogLik()).local_many(wanted) / 8
    assert (mean > of_mean - 1e-9).all()
    assert (mean > of_mean + 0.1).any()


def test_impossible_rows_and_other_mistakes_are_named() -> None:
    table = vd.Table((), np.array([1.0, 0.0]))
    copy = vd.Table(("a",), np.eye(2))
    network = vd.Network({"a": table, "b": copy, "c": copy}, dict.fromkeys("abc", ("0", "1")))
    columns = [
        Column.discrete("a", np.zeros(2, int), ("0", "1"), observed=np.array([True, False])),
        Column.discrete("b", np.array([0, 1]), ("0", "1")),
        Column.discrete("c", np.array([0, 1]), ("0", "1")),
    ]
    data = Data(columns)
    with pytest.raises(vd.InputError, match="row 1 of the data is impossible"):
        Scorer(data, ExpectedScore(vd.BIC(), network, data))
    with pytest.raises(vd.InputError, match="row 1, counted from 0, has probability zero"):
        expected_score(vd.QNML(), network, data)
    with pytest.raises(vd.InputError, match="'c' is only in the network"):
        ExpectedScore(vd.BIC(), network, data.select(["a", "b"]))
    with pytest.raises(vd.InputError, match="no closed form for the expected score"):
        ExpectedScore(vd.QNML(), network, data)
    with pytest.raises(vd.InputError, match="draws=-1"):
        expected_score(vd.BIC(), network, data, draws=-1)


def test_it_can_be_pickled_with_its_data() -> None:
    network = vd.networks.load("asia")
    data = naive.with_gaps(network.sample(50, seed=5), 0.3, 6)
    expected = ExpectedScore(vd.BIC(), network, data)
    before = Scorer(data, expected).local(3, (1, 2))
    assert Scorer(data, pickle.loads(pickle.dumps(expected))).local(3, (1, 2)) == before


# ---- continuous data


def gaussian(n: int, seed: int, weighted: bool = False) -> tuple[vd.Network, Data]:
    dag = vd.DAG.from_arcs([("a", "b"), ("b", "c"), ("a", "d"), ("c", "d")], names=["a", "b", "c", "d"])
    rng = np.random.default_rng(seed)
    cpds = {
        v: vd.LinearGaussian(
            tuple(dag.parents(v)), rng.normal(), rng.normal(size=len(dag.parents(v))), rng.uniform(0.5, 2)
        )
        for v in dag.names
    }
    network = vd.Network(cpds)
    data = naive.with_gaps(network.sample(n, seed=seed), 0.3, seed)
    return network, Data(data.columns, rng.integers(1, 4, n) if weighted else None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "score", [vd.LogLik(), vd.AIC(), vd.BIC(), vd.PNAL(k=2.0), vd.BGe(), vd.BGe(T="scaled", nu=[1, 2, 3, 4])], ids=str
)
def test_scores_of_expected_moments(score: vd.Score, weighted: bool) -> None:
    network, data = gaussian(25, 3, weighted)
    mean, scatter = naive.expected_moments(network, data)
    expected = expected_score(score, network, data)
    assert expected.exact
    core = Scorer(data, expected)
    for child, parents in [(0, ()), (1, (0,)), (3, (0, 1, 2)), (0, (3,))]:
        at = [*parents, child]
        value = core.local(child, parents)
        S = scatter[np.ix_(at, at)]
        if isinstance(score, vd.BGe):
            T = np.eye(4) / 2 if score.T is None else np.diag(scatter.diagonal() / data.n) / 2
            shift = np.zeros(4) if score.nu is None else mean - np.array([1, 2, 3, 4])
            R = T + scatter + data.n / (data.n + 1) * np.outer(shift, shift)
            right = bge(data.n, 4, T[np.ix_(at, at)], R[np.ix_(at, at)])
        else:
            variance = np.linalg.det(S) / (np.linalg.det(S[:-1, :-1]) if parents else 1.0) / data.n
            each = {vd.LogLik: 0.0, vd.AIC: 1.0, vd.BIC: log(data.n) / 2, vd.PNAL: 2.0}[type(score)]
            right = -data.n / 2 * (log(2 * np.pi * variance) + 1) - each * (len(parents) + 2)
        assert value == pytest.approx(right, rel=1e-9)
        readable = expected.local(data.names[child], [data.names[p] for p in parents], data)
        assert readable == pytest.approx(right, rel=1e-9)


def bge(n: int, N: int, T: NDArray[np.float64], R: NDArray[np.float64]) -> float:
    """The local score with a_mu = 1 and a_w = N + 2; the child comes last."""
    size = len(T) - 1
    a = 2 + size

    def logdet(m: NDArray[np.float64]) -> float:
        return float(np.linalg.slogdet(m)[1]) if len(m) else 0.0

    value = 0.5 * log(1 / (n + 1)) + lgamma((n + a + 1) / 2) - lgamma((a + 1) / 2) - n / 2 * log(np.pi)
    value += (a + 1) / 2 * logdet(T) - a / 2 * logdet(T[:-1, :-1])
    return value + (n + a) / 2 * logdet(R[:-1, :-1]) - (n + a + 1) / 2 * logdet(R)


def test_moments_of_many_draws_approach_the_expected_ones() -> None:
    network, data = gaussian(40, 5)
    averaged = expected_score(vd.BIC(), network, data, draws=150, seed=1)
    assert isinstance(averaged, AveragedScore)
    x = np.vstack([np.column_stack([part.column(v) for v in data.names]) for part in averaged.completions])
    mean, scatter = naive.expected_moments(network, data)
    assert x.mean(axis=0) == pytest.approx(mean, abs=0.04)
    assert (x - mean).T @ (x - mean) / 150 == pytest.approx(scatter, rel=0.05, abs=3)


def test_too_few_rows_for_moments_are_drawn() -> None:
    network, data = gaussian(4, 3)
    assert isinstance(expected_score(vd.BGe(), network, data), AveragedScore)


def test_variables_that_are_certain() -> None:
    """A copy of another variable is known where the other is, and adds no variance."""
    network = vd.Network(
        {"a": vd.LinearGaussian((), 1.0, np.zeros(0), 2.0), "b": vd.LinearGaussian(("a",), 0.0, np.ones(1), 0.0)}
    )
    values = np.array([1.0, 2.0, 4.0, 8.0])
    columns = [
        Column.continuous("a", values, observed=np.array([True, False, True, True])),
        Column.continuous("b", values, observed=np.array([True, True, False, True])),
    ]
    data = Data(columns)
    full = Data([Column.continuous(v, values) for v in "ab"])
    expected = ExpectedScore(vd.BGe(), network, data)
    assert expected.local("b", ["a"], data) == pytest.approx(vd.local_score("b", ["a"], full, vd.BGe()), rel=1e-7)
