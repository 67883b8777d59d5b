"""The imaginary sample size that is chosen: that of the most probable network, and what it is for each score."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag.posteriors.sample_size import SIZES


def even_or_extreme(alpha: float) -> vd.Data:
    """A chain of variables whose distributions are near to even (large alpha) or to deterministic (small alpha)."""
    dag = vd.DAG.from_arcs([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    return vd.random_network(dag, states=3, alpha=alpha, seed=4).sample(400, seed=2)


def continuous(n: int = 5, rows: int = 80) -> vd.Data:
    values = np.random.default_rng(3).standard_normal((rows, n))
    values[:, 1:] += 0.7 * values[:, :-1]
    return vd.Data.from_frame({f"v{i}": values[:, i] for i in range(n)})


def test_the_size_is_the_one_with_the_most_probable_network() -> None:
    data = even_or_extreme(1.0)
    best = {size: vd.Exact(vd.BDeu(ess=size), vd.Fair()).learn(data).score for size in SIZES}
    assert vd.choose_ess(data) == vd.BDeu(ess=max(best, key=lambda size: best[size] or 0.0))


def test_even_distributions_have_a_larger_size_than_extreme_ones() -> None:
    even, extreme = vd.choose_ess(even_or_extreme(20.0)), vd.choose_ess(even_or_extreme(0.1))
    assert isinstance(even, vd.BDeu)
    assert isinstance(extreme, vd.BDeu)
    assert even.ess == 10 > 3 >= extreme.ess


def test_independent_columns_are_hardly_joined() -> None:
    values = np.random.default_rng(1).integers(0, 2, size=(300, 6))
    found = vd.posterior(vd.Data.from_numpy(values, list("abcdef")), max_indegree=3)
    assert found.edges[np.triu_indices(6, 1)].mean() < 0.2


def test_the_size_of_continuous_data_is_beyond_the_number_of_columns() -> None:
    data = continuous()
    best = {}
    for size in SIZES:
        score = vd.BGe(iss_w=len(data.names) + 1 + size, T="scaled")
        best[score] = vd.Exact(score, vd.Fair()).learn(data).score or 0.0
    assert vd.choose_ess(data) == max(best, key=lambda score: best[score])
    assert vd.choose_ess(data, vd.BGe(iss_mu=2)).iss_mu == 2  # type: ignore[attr-defined]


def test_mixed_data_have_a_size_for_each_part() -> None:
    data = vd.networks.load("clinic").sample(300, seed=1)
    found = vd.choose_ess(data)
    assert isinstance(found, vd.BCG)
    assert found.gaussian.iss_w is not None
    whole = vd.Tabu(found, vd.Fair(), 5).learn(data).score or 0.0
    for other in (vd.BCG(vd.BDeu(ess=0.1), found.gaussian), vd.BCG(found.dirichlet), vd.BCG()):
        assert whole >= (vd.Tabu(other, vd.Fair(), 5).learn(data).score or 0.0)
    fixed = vd.choose_ess(data, vd.BCG(vd.K2()))
    assert isinstance(fixed, vd.BCG)
    assert fixed.dirichlet == vd.K2()


def test_neither_the_order_of_columns_nor_threads_change_it() -> None:
    data = even_or_extreme(1.0)
    assert vd.choose_ess(data) == vd.choose_ess(data.select(data.names[::-1]), jobs=2)


def test_the_posterior_says_which_was_chosen_and_obeys_what_is_known() -> None:
    data = even_or_extreme(5.0)
    prior, known = vd.Uniform(), vd.Knowledge(forbidden=[("a", "b"), ("b", "a")])
    score = vd.choose_ess(data, None, prior, knowledge=known, max_indegree=2)
    given = {"prior": prior, "knowledge": known, "max_indegree": 2}
    found = vd.posterior(data, **given)  # type: ignore[call-overload]
    assert found.settings.startswith(f"{score!r}, Uniform()")
    assert np.array_equal(found.arcs, vd.posterior(data, score=score, **given).arcs)  # type: ignore[call-overload]
    assert repr(score) in str(vd.sample_posterior(data, draws=1, chains=1, **given).settings)


def test_a_prior_that_the_search_cannot_begin_with_is_left_out() -> None:
    data = even_or_extreme(1.0)
    prior = vd.IndegreeEquals({"a": 0, "b": 1, "c": 1, "d": 1, "e": 1})
    assert vd.choose_ess(data, prior=prior) == vd.choose_ess(data, prior=vd.Uniform())


def test_progress_and_ctrl_c() -> None:
    data, said = even_or_extreme(1.0), []
    vd.choose_ess(data, progress=lambda what, done, total, extra: said.append((what, done)))
    assert said[:3] == [("equivalent sample size", k) for k in range(3)]

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vd.choose_ess(data, progress=stop)


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (vd.BIC(), "it has no equivalent sample size to choose"),
        (vd.K2(), "it has no equivalent sample size to choose"),
        (vd.BGe(T=2.0), "set T='scaled'"),
        ("bdeu", "score='bdeu'"),
    ],
)
def test_scores_without_a_size_are_refused(score: object, message: str) -> None:
    data = continuous() if isinstance(score, vd.BGe) else even_or_extreme(1.0)
    with pytest.raises(vd.InputError, match=message):
        vd.choose_ess(data, score)  # type: ignore[arg-type]
