"""Draws from the posterior distribution over networks, held against all networks."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import veridag as vd
from naive import graphs
from veridag.data import Column
from veridag.figures import trace_figure


def table(names: Sequence[str], rows: int, seed: int) -> vd.Data:
    """Binary columns, each of which copies the one before it half of the time."""
    rng = np.random.default_rng(seed)
    columns = []
    last = rng.integers(0, 2, rows)
    for name in names:
        last = np.where(rng.random(rows) < 0.5, last, rng.integers(0, 2, rows))
        columns.append(Column.discrete(name, last.astype(np.uint8), ["no", "yes"]))
    return vd.Data(columns)


def exact(
    data: vd.Data, score: vd.BDeu, prior: vd.Fair, allowed: Callable[[np.ndarray], bool] = lambda a: True
) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of arcs and of directed paths, by enumeration."""
    n = len(data.names)
    scorer = vd.Scorer(data, score, prior)
    total, arc_sum, path_sum = 0.0, np.zeros((n, n)), np.zeros((n, n))
    base = sum(scorer.local(v, ()) for v in range(n))
    for arcs in graphs.all_dags(n):
        a = graphs.matrix(n, arcs).astype(bool)
        if not allowed(a):
            continue
        log_weight = sum(scorer.local(v, np.flatnonzero(a[:, v]).tolist()) for v in range(n)) - base
        weight = np.exp(log_weight)
        paths = np.linalg.inv(np.eye(n) - a) - np.eye(n) > 0.5
        total += weight
        arc_sum += weight * a
        path_sum += weight * paths
    return arc_sum / total, path_sum / total


NAMES = ("A", "B", "C", "D")
DATA = table(NAMES, 60, 1)


def assert_near(draws: vd.Draws, arcs: np.ndarray) -> None:
    """Within four standard errors; the seeds are fixed, so that nothing here is luck."""
    assert np.abs(draws.arcs - arcs).max() < 0.03
    assert (np.abs(draws.arcs - arcs) <= 4 * draws.arc_errors + 2e-3).all()


@pytest.mark.medium
def test_arcs_and_paths_have_the_probabilities_of_all_dags() -> None:
    arcs, paths = exact(DATA, vd.BDeu(), vd.Fair())
    draws = vd.sample_posterior(DATA, score=vd.BDeu(), prior=vd.Fair(), draws=3000, thin=2, seed=3)
    assert_near(draws, arcs)
    assert np.abs(draws.ancestors - paths).max() < 0.03
    assert draws.worst_rhat < 1.01


def test_sets_beyond_the_candidates_are_drawn_as_often_as_they_should_be() -> None:
    arcs, _ = exact(DATA, vd.BDeu(), vd.Fair(), lambda a: bool(a.sum(axis=0).max() <= 2))
    draws = vd.sample_posterior(
        DATA, score=vd.BDeu(), candidates=1, beyond=2, max_indegree=2, draws=3000, thin=2, seed=4
    )
    assert_near(draws, arcs)


def test_temperatures_do_not_change_the_distribution() -> None:
    arcs, _ = exact(DATA, vd.BDeu(), vd.Fair())
    assert_near(vd.sample_posterior(DATA, score=vd.BDeu(), temperatures=3, draws=1500, thin=2, seed=5), arcs)


@pytest.mark.medium
def test_knowledge_and_the_prior_rule_networks_out() -> None:
    knowledge = vd.Knowledge(required=[("C", "B")], forbidden=[("A", "B"), ("A", "C")])
    arcs, _ = exact(DATA, vd.BDeu(), vd.Uniform(), lambda a: knowledge.allows(vd.DAG(NAMES, a)))
    draws = vd.sample_posterior(
        DATA, score=vd.BDeu(), prior=vd.Uniform(), knowledge=knowledge, draws=2000, thin=2, seed=6
    )
    assert_near(draws, arcs)
    assert all(knowledge.allows(dag) for dag in draws)
    assert draws.arcs[2, 1] == 1


@pytest.mark.slow
def test_five_variables() -> None:
    data = table("ABCDE", 100, 2)
    arcs, _ = exact(data, vd.BDeu(ess=5), vd.Fair())
    assert_near(vd.sample_posterior(data, score=vd.BDeu(ess=5), draws=3000, thin=2, seed=7), arcs)


@pytest.fixture(scope="module")
def some() -> vd.Draws:
    return vd.sample_posterior(vd.networks.load("asia").sample(200, seed=1), draws=60, burn_in=10, seed=8)


def test_every_draw_is_a_dag_with_the_score_of_the_trace(some: vd.Draws) -> None:
    data = vd.networks.load("asia").sample(200, seed=1)
    scorer = [vd.score(dag, data, vd.BDeu(), vd.Fair()) for dag in some]  # DAG raises if there is a cycle
    np.testing.assert_allclose(np.reshape(scorer, some.log_posterior.shape), some.log_posterior, rtol=1e-10)
    assert vd.score(some.best, data, vd.BDeu(), vd.Fair()) == pytest.approx(some.log_posterior.max())


def test_draws_do_not_depend_on_jobs_or_the_order_of_columns(some: vd.Draws) -> None:
    data = vd.networks.load("asia").sample(200, seed=1)
    threads = vd.sample_posterior(data, draws=60, burn_in=10, seed=8, jobs=3)
    np.testing.assert_array_equal(threads.parents, some.parents)
    turned = vd.sample_posterior(data.select(data.names[::-1]), draws=60, burn_in=10, seed=8)
    np.testing.assert_array_equal(turned.arcs[::-1, ::-1], some.arcs)
    assert turned.names == some.names[::-1]
    other = vd.sample_posterior(data, draws=60, burn_in=10, seed=9)
    assert not np.array_equal(other.log_posterior, some.log_posterior)


def test_resumed_draws_are_those_of_one_run(some: vd.Draws, tmp_path: Path) -> None:
    data = vd.networks.load("asia").sample(200, seed=1)
    first = vd.sample_posterior(data, draws=23, burn_in=10, seed=8)
    saved = vd.Draws.load(first.save(tmp_path / "first.draws"))
    for before in (first, saved, pickle.loads(pickle.dumps(first))):
        whole = vd.sample_posterior(data, draws=60, burn_in=10, seed=8, resume=before, jobs=2)
        np.testing.assert_array_equal(whole.parents, some.parents)
        np.testing.assert_array_equal(whole.log_posterior, some.log_posterior)
        np.testing.assert_array_equal(whole.places, some.places)
    assert saved.settings == first.settings
    assert saved.names == first.names


def test_only_the_same_chains_can_be_resumed(some: vd.Draws) -> None:
    data = vd.networks.load("asia").sample(200, seed=1)
    with pytest.raises(
        vd.InputError, match=r"resume: the draws were made with score=BDeu\(ess=1.0\), not score=K2\(\)"
    ):
        vd.sample_posterior(data, score=vd.K2(), burn_in=10, seed=8, resume=some)
    with pytest.raises(vd.InputError, match="resume: the draws were made from other data"):
        vd.sample_posterior(vd.networks.load("asia").sample(200, seed=2), burn_in=10, seed=8, resume=some)
    with pytest.raises(vd.InputError, match="draws=20, but resume= has 60 draws"):
        vd.sample_posterior(data, burn_in=10, seed=8, draws=20, resume=some)


def test_an_interrupt_keeps_the_draws_so_far(some: vd.Draws) -> None:
    data = vd.networks.load("asia").sample(200, seed=1)

    def stop(what: str, done: int, total: int | None, extra: object) -> None:
        if what == "draws" and done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(vd.Interrupted) as raised:
        vd.sample_posterior(data, draws=100_000, burn_in=10, seed=8, progress=stop)
    kept = raised.value.result
    assert kept.stopped == "interrupt"
    shared = min(kept.per_chain, some.per_chain)
    assert shared > 0
    np.testing.assert_array_equal(kept.parents[:, :shared], some.parents[:, :shared])


def test_an_interrupt_before_the_first_draw_is_a_plain_one() -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        vd.sample_posterior(DATA, progress=stop)
    assert not isinstance(raised.value, vd.Interrupted)


def test_sampling_ends_by_precision_and_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = vd.sample_posterior(DATA, precision=0.02, seed=1)
    assert draws.stopped == "precision"
    assert draws.arc_errors.max() <= 0.02
    assert draws.worst_rhat <= 1.01
    assert vd.sample_posterior(DATA, precision=0.02, seed=1, jobs=2).per_chain == draws.per_chain
    left = iter([True, True, False])
    with monkeypatch.context() as patched:
        patched.setattr("veridag.posteriors.sampled._Limits.in_time", lambda limits: next(left))
        assert vd.sample_posterior(DATA, minutes=1, burn_in=0).stopped == "time"
    with pytest.raises(vd.InputError, match="minutes=1e-09 ended before the first draw"):
        vd.sample_posterior(DATA, minutes=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"candidates": 21}, "candidates=21 must be an integer from 0 to 20, or None"),
        ({"candidates": {"A": "B"}}, "candidates: give a list of names for 'A'"),
        ({"candidates": {"A": ["E"]}}, "candidates: the data has no column 'E'"),
        ({"candidates": {"A": ["A"]}}, "candidates: 'A' cannot be a parent of itself"),
        ({"draws": 0}, "draws=0 must be an integer of at least 1, or None"),
        ({"precision": 0}, "precision=0 must be a finite number above 0"),
        ({"score": "bdeu"}, "score='bdeu' must be a score"),
        ({"resume": 1}, "resume=1 must be the result of sample_posterior"),
        (
            {"prior": vd.IndegreeEquals({"A": 0, "B": 1, "C": 1, "D": 1})},
            "gives the graph to start from probability zero",
        ),
    ],
)
def test_mistakes_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(vd.InputError, match=message.replace("(", r"\(")):
        vd.sample_posterior(DATA, **arguments)  # type: ignore[arg-type]


def test_too_many_candidates_are_refused() -> None:
    data = table([f"v{i:02d}" for i in range(23)], 20, 1)
    with pytest.raises(
        vd.InputError, match="with required parents, a variable has 22 candidates, and at most 20 are possible"
    ):
        vd.sample_posterior(data, candidates={"v00": data.names[1:]}, beyond=1)


def test_few_draws_and_few_variables_tell_little() -> None:
    few = vd.sample_posterior(DATA, draws=2, burn_in=0)
    assert np.isnan(few.worst_rhat)
    assert "split R-hat at most nan" in repr(few)
    alone = vd.sample_posterior(table("A", 20, 1), draws=5)
    assert alone.arcs.tolist() == [[0.0]]


def test_candidates_by_name() -> None:
    draws = vd.sample_posterior(DATA, candidates={"B": ["A"], "C": ["B"]}, beyond=0, draws=50)
    assert set(zip(*np.nonzero(draws.arcs), strict=True)) <= {(0, 1), (1, 2)}
    assert draws.arcs[0, 1] > 0


def test_other_kinds_of_data() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=100)
    columns = [
        Column.continuous("x", x),
        Column.continuous("y", x + rng.normal(size=100)),
        Column.discrete("k", (x > 0).astype(np.uint8), ["no", "yes"]),
    ]
    assert vd.sample_posterior(vd.Data(columns[:2]), draws=100).edges[0, 1] > 0.99
    mixed = vd.sample_posterior(vd.Data(columns), draws=100)
    assert mixed.arcs[2, 0] > 0.9
    assert (mixed.arcs[:, 2] == 0).all()  # BCG has no arcs into the category


@pytest.mark.medium
def test_more_variables_than_a_word_has_bits() -> None:
    data = table([f"v{i:02d}" for i in range(66)], 300, 3)
    draws = vd.sample_posterior(data, score=vd.BDeu(), candidates=3, beyond=1, draws=20, burn_in=10, chains=2)
    scores = [vd.score(dag, data, vd.BDeu(), vd.Fair()) for dag in draws]
    np.testing.assert_allclose(scores, draws.log_posterior.ravel(), rtol=1e-10)
    assert min(draws.edges[i, i + 1] for i in range(60)) > 0.5


def test_features(some: vd.Draws) -> None:
    assert (
        some.probability(("smoke", "lung"))
        == some.probability("smoke -> lung")
        == some.arcs[_at(some, "smoke", "lung")]
    )
    assert some.probability("smoke -- lung") == pytest.approx(some.edges[_at(some, "smoke", "lung")])
    assert some.probability("smoke ~> dysp") == pytest.approx(some.ancestors[_at(some, "smoke", "dysp")])
    assert some.probability(lambda dag: "dysp" in dag.descendants("smoke")) == some.probability("smoke ~> dysp")
    assert some.probability(lambda dag: len(dag.arcs)) == pytest.approx(some.arcs.sum())
    estimate = some.estimate("smoke -> lung")
    assert estimate.error == pytest.approx(some.arc_errors[_at(some, "smoke", "lung")])
    assert estimate.rhat == pytest.approx(some.arc_rhat[_at(some, "smoke", "lung")])
    assert estimate.ess == pytest.approx(some.arc_ess[_at(some, "smoke", "lung")])
    with pytest.raises(vd.InputError, match="there is no variable 'smokes': did you mean 'smoke'"):
        some.probability("smokes -> lung")
    with pytest.raises(vd.InputError, match="present='smoke' must be arcs"):
        some.probability("smoke")


def _at(draws: vd.Draws, a: str, b: str) -> tuple[int, int]:
    return draws.names.index(a), draws.names.index(b)


def test_draws_show_what_they_are(some: vd.Draws) -> None:
    assert repr(some).startswith("<Draws: 60 DAGs from each of 4 chains, effective sample size ")
    assert "probability  reverse  error" in str(some)
    assert "<table" in some._repr_html_()
    assert len(some) == 240
    assert some[0, 0] == next(iter(some))


def test_a_file_that_has_no_draws(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("no draws")
    with pytest.raises(vd.InputError, match="this is not a file of draws"):
        vd.Draws.load(tmp_path / "x")


def test_the_trace_figure_has_the_numbers_of_the_trace(some: vd.Draws, tmp_path: Path) -> None:
    rows = trace_figure(tmp_path / "trace.svg", some)
    assert len(rows) == len(some)
    assert rows[61] == {"chain": 1, "draw": 1, "log_posterior": some.log_posterior[1, 1]}
    first = (tmp_path / "trace.svg").read_bytes()
    trace_figure(tmp_path / "trace.svg", some)
    assert (tmp_path / "trace.svg").read_bytes() == first
