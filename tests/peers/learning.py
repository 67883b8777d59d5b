"""Structures that are learned from random tables."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

import veridag as vd

from . import inputs
from .comparing import Random, compares
from .graphs import edges, skeleton


@compares("causal-learn", "PC-stable with Fisher's Z: the skeleton", 15)
def pc_of_causal_learn(random: Random) -> str | None:
    from causallearn.search.ConstraintBased.PC import pc

    frame = inputs.measurements(random, (200, 1000))
    found = vd.PCStable(vd.FisherZ(alpha=0.01)).learn(vd.Data.of(frame))
    theirs = pc(frame.to_numpy(), 0.01, "fisherz", stable=True, show_progress=False, node_names=list(frame.columns)).G
    marks = np.asarray(theirs.graph)
    joined = {frozenset((frame.columns[i], frame.columns[j])) for i, j in zip(*np.nonzero(marks), strict=True) if i < j}
    assert joined == skeleton(found.graph)
    return None


@compares("pgmpy", "PC-stable with Student's t: the skeleton", 10)
def pc_of_pgmpy(random: Random) -> str | None:
    from pgmpy.ci_tests import Pearsonr
    from pgmpy.estimators import PC

    frame = inputs.measurements(random, (200, 1000))
    ours = skeleton(vd.PCStable(vd.StudentT(alpha=0.01)).learn(vd.Data.of(frame)).graph)
    found, separators = PC(frame).estimate(
        ci_test="pearsonr",
        variant="stable",
        return_type="skeleton",
        significance_level=0.01,
        max_cond_vars=len(frame.columns),
        n_jobs=1,
        show_progress=False,
    )
    theirs = edges(found.edges())
    if ours == theirs:
        return None

    def independent(pair: frozenset[str], given: Iterable[str]) -> bool:
        return bool(Pearsonr(frame, use_cache=False)(*sorted(pair), list(given), significance_level=0.01))

    # Its own test speaks against each of the pairs, asked anew.
    for pair in ours - theirs:
        assert not independent(pair, separators[pair])
    for pair in theirs - ours:
        others = sorted(set(frame.columns) - pair)
        assert any(independent(pair, given) for size in range(4) for given in combinations(others, size))
    return "pgmpy's PC separates pairs by sets for which its own test finds them dependent"


@compares("causal-learn", "GES with BIC: the score that is reached is no lower", 8)
def ges_of_causal_learn(random: Random) -> str | None:
    from causallearn.search.ScoreBased.GES import ges

    frame = inputs.measurements(random, (200, 1000))
    data = vd.Data.of(frame)
    marks = np.asarray(ges(frame.to_numpy(), score_func="local_score_BIC_from_cov")["G"].graph)
    theirs = vd.PDAG(data.names, marks == -1)
    ours = vd.GES(vd.BIC()).learn(data)
    assert ours.score >= vd.score(theirs.extension(), data, vd.BIC()) - 1e-6
    return None


@compares("pyAgrum", "hill climbing with BDeu: no better network than exact search finds", 15)
def hill_climbing_of_pyagrum(random: Random) -> str | None:
    import pyagrum as gum

    frame = inputs.table(random)
    data = vd.Data.of(frame)
    learner = gum.BNLearner(frame)
    learner.useNoPrior()
    learner.useScoreBDeu()
    learner.useGreedyHillClimbing()
    learned = learner.learnBN()
    dag = vd.DAG.from_arcs(
        [(learned.variable(u).name(), learned.variable(v).name()) for u, v in learned.arcs()], data.names
    )
    best = vd.Exact(vd.BDeu(1.0)).learn(data)
    assert best.score >= vd.score(dag, data, vd.BDeu(1.0)) - 1e-9
    return None
