from __future__ import annotations

import pytest

import veridag as vd
from naive.constraint import Oracle, pairs, random_dag

ASIA = vd.networks.load("asia").sample(2000, seed=3)
CHILD = vd.networks.load("child").sample(1000, seed=1)


@pytest.mark.parametrize(
    "restrict", [vd.PCStable(), vd.GrowShrink(), vd.InterIAMB(), vd.MMPC(), vd.SIHitonPC(), vd.HPC()]
)
@pytest.mark.parametrize("maximize", [vd.HillClimbing(), vd.Tabu(score=vd.BDeu()), vd.GES()])
def test_only_pairs_that_the_first_half_joined_are_joined(restrict, maximize):
    result = vd.RSMAX2(restrict, maximize).learn(ASIA)
    first = restrict.learn(ASIA)
    assert pairs(result.dag) <= pairs(first.graph)
    assert result.score == pytest.approx(vd.score(result.dag, ASIA, maximize.score))
    assert result.calls > first.distinct_calls


def test_the_second_half_is_the_best_within_the_first():
    """Brute force over the directions and absences of five pairs."""
    from itertools import product

    data = ASIA.select(["lung", "smoke", "bronc", "dysp"])
    result = vd.RSMAX2(vd.PCStable(), vd.Tabu(restarts=5)).learn(data)
    allowed = [tuple(sorted(pair)) for pair in pairs(vd.PCStable().learn(data).graph)]
    best = -float("inf")
    for choice in product((0, 1, 2), repeat=len(allowed)):
        arcs = [(x, y) if c == 1 else (y, x) for (x, y), c in zip(allowed, choice, strict=True) if c]
        try:
            best = max(best, vd.score(vd.DAG.from_arcs(arcs, data.names), data, vd.BIC()))
        except vd.InvalidGraph:
            continue
    assert result.score == pytest.approx(best)


@pytest.mark.parametrize("data", [ASIA, CHILD], ids=["asia", "child"])
def test_mmhc_and_h2pc_are_named_cases(data):
    for named, restrict in ((vd.MMHC, vd.MMPC), (vd.H2PC, vd.HPC)):
        test, score, prior = vd.ScoreTest(vd.BDeu()), vd.BDeu(), vd.Fair()
        one = named(test, score, prior, max_indegree=2, max_conditioning=2).learn(data)
        other = vd.RSMAX2(restrict(test, 2), vd.HillClimbing(score, prior, 2)).learn(data)
        assert one.dag == other.dag
        assert (one.score, one.calls) == (other.score, other.calls)
        assert one.settings.startswith(named.__name__)


def test_with_an_oracle_the_skeleton_holds_the_truth_and_nothing_else():
    dag = random_dag(8, 2, 3)
    data = ASIA  # eight variables, renamed
    renamed = vd.DAG(data.names, dag.adjacency)
    result = vd.RSMAX2(vd.HPC(Oracle(renamed)), vd.HillClimbing(score=vd.LogLik())).learn(data)
    assert pairs(result.dag) == pairs(renamed)  # the likelihood takes all it can get


def test_knowledge_reaches_both_halves():
    known = vd.Knowledge(required=[("asia", "xray")], forbidden=[("bronc", "dysp"), ("dysp", "bronc")], max_indegree=2)
    for learner in (vd.MMHC(), vd.H2PC(), vd.RSMAX2(vd.GrowShrink(), vd.OrderAnnealing(steps=500))):
        result = learner.learn(ASIA, knowledge=known)
        assert known.violations(result.dag) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"restrict": vd.Tabu()}, "restrict=.*must be a constraint-based algorithm"),
        ({"maximize": vd.PCStable()}, "maximize=.*must be a score-based algorithm"),
        ({"maximize": vd.MMHC()}, "maximize=.*must be a score-based algorithm"),
    ],
)
def test_the_halves_are_checked(arguments, message):
    with pytest.raises(vd.InputError, match=message):
        vd.RSMAX2(**arguments)


def test_named_hybrids_check_their_settings():
    with pytest.raises(vd.InputError, match="must be a test"):
        vd.MMHC(test=vd.BIC())
    with pytest.raises(vd.InputError, match="must be a score"):
        vd.H2PC(score=vd.G2())
