"""Scores that are expected once gaps are filled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import veridag as vd
from veridag.criteria.expected import AveragedScore
from veridag.criteria.scorer import Scorer

FAMILIES = [(0, ()), (1, (0,)), (2, (0, 1)), (3, (1, 2, 0)), (0, (3,))]


def _parts(kind: str) -> tuple[vd.Data, ...]:
    rng = np.random.default_rng(3)
    dag = vd.DAG.from_arcs([("a", "b"), ("b", "c"), ("a", "d")], names=["a", "b", "c", "d"])
    if kind == "discrete":
        network = vd.random_network(dag, states=3, seed=1)
        return tuple(network.sample(60, seed=int(rng.integers(1000))) for _ in range(3))
    frames = [{v: rng.normal(size=40) for v in dag.names} for _ in range(3)]
    return tuple(vd.Data.from_frame(frame) for frame in frames)


@pytest.mark.parametrize(
    ("kind", "score"),
    [("discrete", vd.BDeu(ess=2)), ("discrete", vd.BIC()), ("discrete", vd.QNML()), ("continuous", vd.BGe())],
    ids=str,
)
def test_the_mean_over_completions(kind: str, score: vd.Score) -> None:
    parts = _parts(kind)
    averaged = AveragedScore(score, parts)
    names = parts[0].names
    found = Scorer(parts[0], averaged).local_many(FAMILIES)
    for (child, parents), value in zip(FAMILIES, found, strict=True):
        family = names[child], [names[p] for p in parents]
        mean = np.mean([vd.local_score(*family, part, score) for part in parts])
        assert value == pytest.approx(mean, rel=1e-12)
        assert averaged.local(*family, parts[0]) == pytest.approx(mean, rel=1e-9)


def test_a_search_with_one_completion_is_the_search_on_it() -> None:
    data = _parts("discrete")[0]
    alone = vd.Tabu(score=vd.BDeu()).learn(data)
    mean = replace(vd.Tabu(), score=AveragedScore(vd.BDeu(), (data, data))).learn(data)
    assert mean.dag == alone.dag
    assert mean.score == pytest.approx(alone.score)
