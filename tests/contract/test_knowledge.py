"""Every learner obeys what is known, against all DAGs counted one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from learners import ALGORITHMS, LEARNERS
from strategies import few
from veridag.data import Column, Data
from veridag.errors import WrongResultError

NAMES = ("a", "b", "c", "d")
PAIRS = [(u, v) for i, u in enumerate(NAMES) for v in NAMES[i + 1 :]]


@cache
def all_dags() -> tuple[vd.DAG, ...]:
    """All 543 of four variables."""

    def acyclic() -> Iterator[vd.DAG]:
        for choice in product((None, 0, 1), repeat=len(PAIRS)):
            arcs = [(u, v) if way else (v, u) for (u, v), way in zip(PAIRS, choice, strict=True) if way is not None]
            try:
                yield vd.DAG.from_arcs(arcs, NAMES)
            except vd.InvalidGraph:
                continue

    return tuple(acyclic())


@cache
def sample(seed: int) -> Data:
    """Four variables of which each depends on all before it."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((60, 4), int)
    for v in range(4):
        rows[:, v] = (rows[:, :v].sum(axis=1) + rng.integers(0, 2, 60) * rng.integers(0, 2, 60)) % 2
    return Data.from_numpy(rows, NAMES, states={name: ["0", "1"] for name in NAMES})


@cache
def mixed_sample(seed: int) -> Data:
    """Two discrete variables and two continuous ones that depend on all before them.

    Each pair of states has rows enough for a regression, so that BIC scores every family that may be required.
    """
    rng = np.random.default_rng(seed)
    cell = rng.permutation(np.repeat([0, 1, 2, 3], [22, 8, 10, 20]))
    a, b = (cell // 2).astype(np.uint8), (cell % 2).astype(np.uint8)
    c = a + 0.5 * b + rng.normal(size=60)
    discrete = [Column.discrete("a", a, "xy"), Column.discrete("b", b, "uv")]
    return Data([*discrete, Column.continuous("c", c), Column.continuous("d", c + rng.normal(size=60))])


arcs = st.sampled_from([(u, v) for u in NAMES for v in NAMES if u != v])


@st.composite
def facts(draw: st.DrawFn) -> vd.Knowledge:
    """What some DAG obeys: required arcs and limits of one that was drawn, and forbidden arcs that it does not have."""
    dag = draw(st.sampled_from(all_dags()))
    required = [arc for arc in dag.arcs if draw(st.booleans())]
    forbidden = [arc for arc in draw(st.sets(arcs)) if arc not in dag.arcs]
    spare = {name: len(dag.parents(name)) + draw(st.integers(0, 2)) for name in NAMES}
    limits = {name: most for name, most in spare.items() if draw(st.booleans())}
    return vd.Knowledge(required=required, forbidden=forbidden, max_indegree=limits)


def test_there_are_543_dags_of_four_variables():
    assert len(all_dags()) == 543


@pytest.mark.parametrize("name", LEARNERS)
@few
@given(known=facts(), seed=st.integers(0, 3))
def test_learners_obey_whatever_some_network_obeys(name, known, seed):
    result = LEARNERS[name].learn(sample(seed), known)
    if result.valid:
        assert known.violations(result.dag) == []
    else:
        assert result.unmet or result.conflicts


@pytest.mark.parametrize("name", LEARNERS)
@few
@given(known=facts(), seed=st.integers(0, 3))
def test_learners_of_mixed_data_obey_whatever_some_network_obeys(name, known, seed):
    """A required arc from a continuous to a discrete variable is refused; all else is obeyed, with the directions."""
    data = mixed_sample(seed)
    if any(u in "cd" and v in "ab" for u, v in known.required):
        with pytest.raises(vd.InputError, match="from a continuous to a discrete variable"):
            LEARNERS[name].learn(data, known)
        return
    result = LEARNERS[name].learn(data, known)
    if result.valid:
        assert known.violations(result.dag) == []
        assert not [(u, v) for u, v in result.dag.arcs if u in "cd" and v in "ab"]
    else:
        assert result.unmet or result.conflicts


@pytest.mark.parametrize("name", ALGORITHMS)
@few
@given(known=facts(), seed=st.integers(0, 3), prior=st.sampled_from([vd.Uniform(), vd.Fair(), vd.IndegreeAtMost(2)]))
def test_no_search_claims_more_than_the_best_allowed_network_has(name, known, seed, prior):
    learner = ALGORITHMS[name]
    if isinstance(learner, vd.SearchSpacePenalty | vd.RSMAX2):
        pytest.skip("its criterion is that of another learner")
    learner = replace(learner, score=vd.BDeu(), prior=prior)
    data = sample(seed)
    allowed = [g for g in all_dags() if known.allows(g) and prior.log(g) > -np.inf]
    if isinstance(learner, vd.Exact):
        allowed = [g for g in allowed if g.adjacency.sum(axis=0).max() <= 3]
    if not allowed:
        return
    best = max(vd.score(g, data, vd.BDeu(), prior) for g in allowed)
    try:
        result = learner.learn(data, known)
    except vd.InputError as error:
        assert "finite" in str(error) or "probability zero" in str(error) or "parents" in str(error)  # noqa: PT017
        return
    assert result.dag in allowed
    assert result.score == pytest.approx(vd.score(result.dag, data, vd.BDeu(), prior), rel=1e-10)
    assert result.score <= best + 1e-8
    if isinstance(learner, vd.Exact):
        assert result.score == pytest.approx(best, rel=1e-10)


class _Disobedient(vd.HillClimbing):
    def _learn(self, data, knowledge, seed, progress, jobs, trace):
        return super()._learn(data, vd.Knowledge(), seed, progress, jobs, trace)


def test_a_learner_that_goes_against_what_is_known_is_caught():
    arc = vd.HillClimbing(score=vd.BDeu()).learn(sample(0)).dag.arcs[0]
    known = vd.Knowledge(forbidden=[arc, arc[::-1]])
    with pytest.raises(WrongResultError, match="violated the knowledge"):
        _Disobedient(score=vd.BDeu()).learn(sample(0), known)


def test_ges_obeys_limits_of_single_variables_and_of_the_prior():
    data = vd.networks.load("asia").sample(150, seed=1)
    found = vd.GES(score=vd.BIC()).learn(data, vd.Knowledge(max_indegree={"either": 0}))
    assert found.dag.parents("either") == ()
    assert vd.score(found.dag, data, vd.BIC()) == pytest.approx(found.score, rel=1e-10)
