"""What learners agree on, and how far a ranking by it can be trusted."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag.trust.agreement import features, measure_trust


def test_features_say_who_contests_what():
    names = ["A", "B", "C"]
    graphs = {
        "x": vd.PDAG.from_arcs([("A", "B")], [("B", "C")], names),
        "y": vd.PDAG.from_arcs([("B", "A")], [("B", "C")], names),
        "z": vd.PDAG.from_arcs([("A", "B")], [("B", "C"), ("A", "C")], names),
    }
    found = {f.pair: f for f in features(graphs)}
    assert found["B", "C"].standing == "agreed"
    assert (found["A", "B"].standing, found["A", "C"].standing) == ("turned", "contested")
    assert dict(found["A", "B"].votes) == {"forward": ("x", "z"), "backward": ("y",)}
    assert dict(found["A", "C"].votes) == {"none": ("x", "y"), "undirected": ("z",)}
    assert "contested: A -> B: x, z; A <- B: y" in str(found["A", "B"])


def test_trust_is_measured_as_the_thesis_says():
    names = ["A", "B", "C", "D"]
    graphs = {
        "x": vd.PDAG.from_arcs([], [("A", "B"), ("C", "D")], names),
        "y": vd.PDAG.from_arcs([], [("A", "B")], names),
        "z": vd.PDAG.from_arcs([], [("A", "B"), ("A", "C")], names),
    }
    agreement = vd.PartialGraph.agreement(graphs.values())
    distances = np.array([[[0.0] * 3], [[1.0] * 3], [[2.0] * 3]])
    trust = measure_trust(graphs, agreement, distances, seed=0)
    assert trust.agreement_size == 4 / 6
    assert trust.connected_pairs == 1
    assert trust.mean_pairwise_shd == (1 + 2 + 1) / 3
    assert trust.deviations == pytest.approx([(2 / 3) / 6])  # mean |d - 1| of 0, 1, 2, over 6 pairs
    assert (trust.stability, trust.winner) == (1.0, "x")
    assert trust.limiting == ("x", 1)
    assert trust.sentence.startswith("The ranking is stable: x is first in 100 %")
    assert "Stable does not mean correct" in trust.sentence


@pytest.mark.medium
def test_a_learner_that_finds_little_is_named():
    names = ["A", "B", "C", "D", "E"]
    rich = vd.PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("C", "D"), ("D", "E")], names)
    poor = vd.PDAG.from_arcs([], [("A", "B")], names)
    graphs = {"x": rich, "y": rich, "poor": poor}
    trust = measure_trust(graphs, vd.PartialGraph.agreement(graphs.values()), np.zeros((3, 1, 2)), seed=0)
    assert trust.limiting == ("poor", 4)
    assert "Without poor the learners would agree on 4 joined pairs instead of 1" in trust.sentence
    graphs = {"x": rich, "y": rich, "z": rich}
    trust = measure_trust(graphs, vd.PartialGraph.agreement(graphs.values()), np.zeros((3, 1, 2)), seed=0)
    assert "Without" not in trust.sentence


@pytest.mark.medium
def test_trust_falls_when_repetitions_disagree_or_nothing_is_agreed_on():
    names = ["A", "B", "C", "D"]
    joined = vd.PDAG.from_arcs([], [("A", "B")], names)
    more = vd.PDAG.from_arcs([], [("A", "B"), ("C", "D")], names)
    agreement = vd.PartialGraph.agreement([joined, more])
    mixed = np.array([[[0.0, 3.0, 0.0, 3.0]], [[2.0, 1.0, 2.0, 1.2]]])
    trust = measure_trust({"x": joined, "y": more}, agreement, mixed, seed=0)
    assert 0.3 < trust.stability < 0.8
    assert "only" in trust.sentence
    other = vd.PDAG.from_arcs([], [("C", "D")], names)
    nothing = vd.PartialGraph.agreement([joined, other])
    trust = measure_trust({"x": joined, "y": other}, nothing, mixed, seed=0)
    assert trust.sentence.startswith("Do not rely on the ranking")


@pytest.mark.parametrize(
    ("edges", "said"),
    [([("A", "B")], "all learners find the same network"), ([], "the learners agree that there is no arc")],
)
def test_learners_that_agree_are_not_ranked(edges, said):
    graph = vd.PDAG.from_arcs([], edges, ["A", "B", "C"])
    graphs = {"x": graph, "y": graph, "z": graph}
    distances = np.array([[[0.0] * 3], [[1.0] * 3], [[2.0] * 3]])  # from subsamples they do differ
    trust = measure_trust(graphs, vd.PartialGraph.agreement(graphs.values()), distances, seed=0)
    assert trust.is_unanimous
    assert trust.sentence.startswith(f"There is no ranking: {said}")
    assert "rust" not in trust.sentence  # no ranking to trust or not
