"""Which learner to take, by the chances of what each one found; and how likely it is that none is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from veridag.graph import PDAG
from veridag.graph.class_shares import ClassShares

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: True networks that are drawn from the chances.
DRAWS = 2000
_NEAREST = 0.005


@dataclass(frozen=True)
class Recommendation:
    """Which of the learners to take.

    Attributes:
        label: The learner with the fewest expected errors, with a margin in favour of the averaged network.
        expected: How many pairs each graph is expected to join differently from the class of the true network.
        within_one: The chance that the best of the others is at most one pair closer to the truth, from the chances
            alone. It treats pairs as independent, so it is too certain; the levels are calibrated after it.
        apart: The number of pairs in which the recommended graph and the one that differs most from it differ.

    See also:
        `assess`, docs/trust.md
    """

    label: str
    expected: Mapping[str, float]
    within_one: float
    apart: int

    @property
    def features(self) -> tuple[float, float]:
        """What the model of the levels sees."""
        p = min(max(self.within_one, _NEAREST), 1 - _NEAREST)
        return 1.0, log(p / (1 - p))


def recommend(graphs: Mapping[str, PDAG], chances: ClassShares, margin: float = 0.0) -> Recommendation:
    """The learner whose graph has the smallest expected structural Hamming distance to the class of the truth.

    ``E[SHD] = sum over pairs of 1 - P(the pair is joined as in the graph)``

    The averaged network is the one to leave only for strong evidence: another learner is recommended if it has the
    smallest ``E[SHD] + margin * sqrt(d)``, where d is in how many pairs its graph differs from the averaged one. Of
    several, the first that is given.
    """
    upper = np.triu_indices(len(chances.names), 1)
    p = np.column_stack([chances.directed[upper], chances.directed.T[upper], chances.undirected[upper]])
    table = np.column_stack([p, np.maximum(1.0 - p.sum(axis=1), 0.0)])
    joins = {label: pair_types(graph.reorder(chances.names).adjacency) for label, graph in graphs.items()}
    return recommend_by(joins, table, margin)


def recommend_by(joins: Mapping[str, Ints], chances: Floats, margin: float = 0.0) -> Recommendation:
    """The same, from how each learner joins each pair and the chances of the four ways, [pair, way]."""
    labels, found = list(joins), np.array(list(joins.values()))
    pairs = np.arange(found.shape[1])
    expected = (1.0 - chances[pairs, found]).sum(axis=1)
    differing = (found != found[labels.index(first_choice(labels))]).sum(axis=1)
    best = int(np.argmin(np.round(expected + margin * np.sqrt(differing), 9)))
    disputed = np.flatnonzero((found != found[best]).any(axis=0))
    apart = int((found != found[best]).sum(axis=1).max(initial=0))
    within = _within_one(found[:, disputed], chances[disputed], best)
    return Recommendation(labels[best], dict(zip(labels, expected.tolist(), strict=True)), within, apart)


def first_choice(labels: Sequence[str]) -> str:
    """The learner that is left only for strong evidence: an averaged one, or else the first."""
    return next((label for label in labels if label.lower().startswith("averaged")), labels[0])


def _within_one(found: Ints, chances: Floats, best: int) -> float:
    """The share of truths, drawn from the chances, to which no learner is closer by more than one pair."""
    if not found.shape[1]:
        return 1.0
    random = np.random.default_rng(0)
    bounds = np.cumsum(chances, axis=1)[:, :3]
    distances = np.zeros((DRAWS, len(found)), dtype=np.int64)
    for k in range(found.shape[1]):  # only pairs that are joined differently make a difference
        truth = (random.random(DRAWS)[:, np.newaxis] > bounds[k]).sum(axis=1)
        distances += truth[:, np.newaxis] != found[np.newaxis, :, k]
    return float((distances[:, best] - distances.min(axis=1) <= 1).mean())


def pair_types(adjacency: NDArray[np.bool_]) -> Ints:
    """How each pair of the upper triangle is joined: 0 forward, 1 backward, 2 undirected, 3 not."""
    upper = np.triu_indices(len(adjacency), 1)
    forward, backward = adjacency[upper], adjacency.T[upper]
    return np.where(forward & backward, 2, np.where(forward, 0, np.where(backward, 1, 3)))


def logistic(weights: Sequence[float], features: Sequence[float]) -> float:
    """The chance that a logistic model gives."""
    return 1.0 / (1.0 + exp(-sum(w * x for w, x in zip(weights, features, strict=True))))
