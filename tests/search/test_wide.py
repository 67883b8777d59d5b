"""The bookkeeping of greedy searches: the same moves as if all were looked at, however many variables there are."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive.greedy import Greedy
from veridag.data import Column, Data

KNOWN = vd.Knowledge(required=[("smoke", "bronc")], forbidden=[("tub", "either")], max_indegree={"dysp": 1})


@pytest.mark.parametrize(
    ("learner", "knowledge"),
    [
        (vd.HillClimbing(ties="columns"), vd.Knowledge()),
        (vd.HillClimbing(score=vd.K2(), prior=vd.Fair(), ties="columns"), KNOWN),
        (vd.Tabu(score=vd.BDeu(), max_indegree=2, ties="columns"), KNOWN),
        (vd.Tabu(score=vd.AIC(), prior=vd.IndegreeAtMost(1), tabu=4, max_tabu=6, ties="columns"), vd.Knowledge()),
        (vd.Tabu(score=vd.BIC(), prior=vd.CasteloSiebes({("asia", "tub"): 0.9}), ties="columns"), KNOWN),
    ],
    ids=repr,
)
def test_the_moves_are_those_of_a_search_that_looks_at_all_of_them(learner, knowledge):
    data = vd.networks.load("asia").sample(300, seed=4)
    result = learner.learn(data, knowledge, trace=True)
    moves, best = Greedy(data, learner, knowledge).run()
    assert result.trace is not None
    assert [(step.move, *map(data.names.index, step.arc)) for step in result.trace] == moves
    assert result.score == pytest.approx(best, rel=1e-10)


def blocks(kind: str, number: int) -> list[Data]:
    """Data sets of 20 variables each, with names that differ."""
    rng = np.random.default_rng(7)
    found = []
    for b in range(number):
        x = rng.normal(size=(200, 20))
        for j in range(1, 20):
            x[:, j] += 0.7 * x[:, rng.integers(j)] + 0.4 * x[:, rng.integers(j)]
        names = [f"b{b:02d}x{j:02d}" for j in range(20)]
        if kind == "continuous":
            found.append(Data([Column.continuous(name, x[:, j]) for j, name in enumerate(names)]))
        else:
            states = np.clip(np.floor(x + 1.0), 0, 2).astype(np.uint8)
            columns = [Column.discrete(name, states[:, j], ["a", "b", "c"]) for j, name in enumerate(names)]
            found.append(Data(columns))
    return found


@pytest.mark.medium
@pytest.mark.parametrize("kind", ["discrete", "continuous"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_wide_search_finds_in_each_block_what_the_block_alone_gives(kind, jobs):
    # 300 variables: not all gains are kept, and sweeps over all candidates are cached in one piece.
    parts = blocks(kind, 15)
    wide = Data([column for part in parts for column in part.columns])
    block = {name: b for b, part in enumerate(parts) for name in part.names}
    apart = [(u, v) for u in wide.names for v in wide.names if block[u] != block[v]]
    learner = vd.HillClimbing(ties="columns", max_indegree=4)
    found = learner.learn(wide, vd.Knowledge(forbidden=apart), jobs=jobs)
    alone = [learner.learn(part) for part in parts]
    assert set(found.dag.arcs) == {arc for result in alone for arc in result.dag.arcs}
    assert found.score == pytest.approx(sum(result.score for result in alone), rel=1e-10)


@pytest.mark.medium
def test_tabu_goes_on_where_hill_climbing_ends_in_a_wide_table():
    wide = Data([column for part in blocks("continuous", 8) for column in part.columns])
    climbed = vd.HillClimbing(max_indegree=3, ties="columns").learn(wide)
    tabu = vd.Tabu(max_indegree=3, ties="columns", tabu=40, max_tabu=40).learn(wide)
    assert tabu.steps >= climbed.steps + 40
    assert tabu.score >= climbed.score
    assert tabu.score == pytest.approx(vd.score(tabu.dag, wide, vd.BIC()), rel=1e-10)
