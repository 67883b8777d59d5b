"""Structural EM: what it learns from data with gaps, and the laws that it keeps."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import veridag as vd
from veridag.criteria.expected import expected_score
from veridag.errors import InputError
from veridag.progress import Interrupted
from veridag.search.forest import strongest_forest
from veridag.search.structural_em import PARAMETER_STEPS
from veridag.simulate import remove_values

ASIA = vd.networks.load("asia")
WHOLE = ASIA.sample(600, seed=1)
GAPS = remove_values(WHOLE, 0.1, mechanism="mar", seed=1)
CLINIC = remove_values(vd.networks.load("clinic").sample(300, seed=2), 0.1, seed=2)
GAUSSIAN = remove_values(
    vd.random_gaussian_network(vd.random_dag(6, arcs_per_node=1.2, seed=3), seed=3).sample(200, seed=3), 0.1, seed=3
)
LEARNERS = {
    "exact counts": (vd.StructuralEM(vd.Tabu(score=vd.BIC(), max_indegree=3)), GAPS),
    "expected counts": (vd.StructuralEM(vd.Tabu(score=vd.BDeu(ess=1), max_indegree=3), draws=0), GAPS),
    "draws": (vd.StructuralEM(vd.Tabu(score=vd.QNML(), max_indegree=3), draws=3), GAPS),
    "exact moments": (vd.StructuralEM(vd.GES(score=vd.BGe())), GAUSSIAN),
    "mixed": (vd.StructuralEM(vd.HillClimbing(score=vd.BCG(), max_indegree=2), draws=2), CLINIC),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_the_score_is_that_of_the_last_expectation(name):
    learner, data = LEARNERS[name]
    result = learner.learn(data)
    assert "which ended when the structure no longer changed" in result.notes[-1] + result.notes[0]
    assert not vd.Knowledge().violations(result.dag)
    network = vd.fit(result.dag, data, max_iterations=PARAMETER_STEPS)
    score = learner.algorithm.score
    if not learner.draws:  # else the rows have another order, and so other draws
        again = expected_score(score, network, data, draws=learner.draws)
        assert vd.score(result.dag, data, again, learner.algorithm.prior) == pytest.approx(result.score, rel=1e-6)
        assert again.exact
    assert learner.learn(data, jobs=2).dag == result.dag


def test_it_learns_more_than_complete_rows_do():
    child = vd.networks.load("child")
    whole = child.sample(1000, seed=9)
    data = remove_values(whole, 0.05, seed=9)
    search = vd.BOSS(score=vd.BDeu(ess=1), max_indegree=4)
    best, complete = (vd.shd(child.dag, search.learn(d).dag) for d in (whole, data.complete_cases()))
    learned = vd.shd(child.dag, vd.StructuralEM(search, draws=5).learn(data).dag)
    assert best <= learned < complete
    assert learned <= best + 2


def test_the_default_learner_of_data_with_gaps_is_structural_em():
    result = vd.learn(GAPS)
    assert result.settings.startswith("StructuralEM(algorithm=BOSS(score=BDeu")
    assert vd.learn(GAPS, score=vd.PNAL()).settings.startswith("BOSS(score=PNAL")
    assert vd.learn_network(GAPS).names == GAPS.names


def test_on_complete_data_it_is_the_algorithm():
    search = vd.Tabu(score=vd.BDeu())
    result = vd.StructuralEM(search).learn(WHOLE)
    alone = search.learn(WHOLE)
    assert (result.dag, result.score, result.calls) == (alone.dag, alone.score, alone.calls)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_order_of_rows_and_columns_does_not_matter(name):
    learner, data = LEARNERS[name]
    mixed = np.random.default_rng(5).permutation(data.nrows)
    other = data.rows(mixed).select(tuple(reversed(data.names)))
    assert learner.learn(other).cpdag == learner.learn(data).cpdag.reorder(other.names)


def test_the_penalised_likelihood_never_falls():
    search = vd.HillClimbing(score=vd.BIC(), max_indegree=3)
    start = vd.DAG.empty(GAPS.names)
    found = []
    for iterations in range(1, 4):
        result = vd.StructuralEM(search, max_iterations=iterations, start=start).learn(GAPS)
        network = vd.fit(result.dag, GAPS, ess=0)
        found.append(network.log_likelihood(GAPS) - np.log(GAPS.n) / 2 * network.nparams)
    assert all(after >= before - 1e-6 for before, after in pairwise(found))
    empty = vd.fit(start, GAPS, ess=0)
    assert found[0] > empty.log_likelihood(GAPS) - np.log(GAPS.n) / 2 * empty.nparams


def test_what_is_known_is_obeyed():
    known = vd.Knowledge(required=[("xray", "asia")], forbidden=[("smoke", "lung"), ("lung", "smoke")])
    result = vd.StructuralEM(vd.Tabu(score=vd.BDeu()), draws=2).learn(GAPS, known)
    assert not known.violations(result.dag)
    with pytest.raises(InputError, match="start: the graph violates the knowledge"):
        vd.StructuralEM(vd.Tabu(), start=vd.DAG.empty(GAPS.names)).learn(GAPS, known)


def test_arcs_that_have_no_parameters_are_turned_to_fill_gaps():
    result = vd.StructuralEM(vd.Tabu(score=vd.DegenerateGaussian(), max_indegree=2), draws=2).learn(CLINIC)
    kinds = CLINIC.kinds
    known = vd.Knowledge(required=[next((u, v) for u in kinds for v in kinds if kinds[u] != kinds[v] == "discrete")])
    assert result.score is not None
    assert not known.violations(vd.learn(CLINIC, known).dag)


def test_groups_are_searched_with_their_own_score():
    rng = np.random.default_rng(1)
    grouped = vd.Data(GAPS.columns, None, rng.integers(0, 2, GAPS.nrows).astype(np.uint8), ("a", "b"))
    result = vd.StructuralEM(vd.Tabu(score=vd.BHD(), max_indegree=2), draws=2).learn(grouped)
    assert "completions" in result.notes[-1]
    assert result.dag.names == GAPS.names


def test_an_interrupt_keeps_the_best_so_far():
    calls = 0

    def stop(*args: object) -> None:
        nonlocal calls
        calls += 1
        if calls > 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        vd.StructuralEM(vd.Tabu(score=vd.BDeu())).learn(GAPS, progress=stop)
    assert stopped.value.result.dag.names == GAPS.names


def test_a_time_limit_ends_it_after_an_iteration():
    limited = replace(LEARNERS["exact counts"][0], time_limit=1e-3)
    result = limited.learn(GAPS)
    assert "1 iteration, after which it reached the time limit of 0.001 seconds" in result.notes[-1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: vd.StructuralEM(vd.PCStable()), "must be a score-based algorithm"),
        (lambda: vd.StructuralEM(vd.MMHC()), "must be a score-based algorithm"),
        (lambda: vd.StructuralEM(vd.Tabu(), draws=-1), "draws=-1 must be"),
        (lambda: vd.StructuralEM(start=vd.DAG.empty(["a"])).learn(GAPS), "must have the data's variables"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_scores_that_take_no_gaps_name_it():
    with pytest.raises(InputError, match="use the score PNAL, or learn with StructuralEM"):
        vd.Tabu(score=vd.BDeu()).learn(GAPS)


def test_the_forest_has_the_strongest_pairs_and_few_parents():
    forest = strongest_forest(GAPS)
    assert max(len(forest.parents(v)) for v in forest.names) <= 1
    skeleton = {frozenset(arc) for arc in forest.arcs}
    assert {frozenset(("lung", "either")), frozenset(("either", "xray")), frozenset(("bronc", "dysp"))} <= skeleton
    mixed = strongest_forest(CLINIC)
    kinds = CLINIC.kinds
    for v in mixed.names:
        if kinds[v] == "continuous":
            across = [u for u, w in mixed.arcs if w == v and kinds[u] == "discrete"]
            across += [w for u, w in mixed.arcs if u == v and kinds[w] == "discrete"]
            assert len(across) <= 1
    assert strongest_forest(GAPS.select(["smoke"])).arcs == ()


def test_a_strong_arc_to_a_column_that_is_nearly_empty_is_found():
    rng = np.random.default_rng(1)
    x, gone = rng.normal(size=800), rng.random(800) < 0.9
    y = np.where(gone, np.nan, x + 0.5 * rng.normal(size=800))
    data = vd.Data.from_frame({"x": x, "y": y, "z": rng.normal(size=800)}, missing="keep")
    assert [frozenset(arc) for arc in vd.learn(data).dag.arcs] == [frozenset(("x", "y"))]


def test_columns_with_one_value_and_linear_functions_do_not_end_it():
    rng = np.random.default_rng(2)
    x = rng.normal(size=60)
    frame = {"x": x, "twice": 2 * x, "y": x + rng.normal(size=60), "same": np.full(60, 3.0)}
    for name in frame:
        frame[name] = np.where(rng.random(60) < 0.1, np.nan, frame[name])
    data = vd.Data.from_frame(frame, missing="keep", strict=False)
    result = vd.learn(data)
    assert result.dag.names == data.names
    assert not any("same" in arc for arc in result.dag.arcs)
    both = vd.learn(vd.Data([*data.columns, *GAPS.rows(np.arange(60)).select(["smoke", "lung"]).columns]))
    assert "structural EM took" in " ".join(both.notes)
