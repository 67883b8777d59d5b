"""What several learners agree on, and how far a ranking by it can be trusted (Viinikka 2019, sections 3.1 and 4.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import isnan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from veridag.graph import PDAG, PairType, PartialGraph
from veridag.metrics.shd import shd

Floats = NDArray[np.float64]

#: Above this, the mean absolute deviation of the distances over the number of pairs went with a strong correlation
#: between rankings with and without the truth, on every network studied (Viinikka 2019, section 4.5.2).
WIDE_DEVIATION = 0.03

_RESAMPLINGS = 2000

#: On known networks, whoever came first was the best or as good in half of the cases, however stable the ranking.
_NOT_RIGHT = "Stable does not mean correct: assess shows how likely that is."

#: With fewer repetitions of a size, drawing them anew hardly changes anything, and says nothing.
FEWEST_REPEATS = 3


@dataclass(frozen=True)
class Feature:
    """A pair of variables that at least one learner joins, and how each learner joins it.

    Attributes:
        pair: The two variables.
        votes: For each way to join the pair, seen from the first variable (forward is a -> b), the learners that found
            it, the most common way first. The feature is agreed if there is only one way.
        beside: The same for the learners that are shown for comparison and have no vote.
    """

    pair: tuple[str, str]
    votes: Mapping[PairType, tuple[str, ...]]
    beside: Mapping[PairType, tuple[str, ...]] = field(default_factory=dict)

    @property
    def agreed(self) -> bool:
        """Whether all learners found the same."""
        return len(self.votes) == 1

    @property
    def standing(self) -> Literal["agreed", "turned", "contested"]:
        """Agreed; or joined by all learners but not all in this direction; or not even joined by all."""
        if self.agreed:
            return "agreed"
        return "contested" if "none" in self.votes else "turned"

    @property
    def join(self) -> PairType:
        """What most learners found."""
        return next(iter(self.votes))

    def __str__(self) -> str:
        a, b = self.pair
        marks = {"none": "  ", "forward": "->", "backward": "<-", "undirected": "--", "undetermined": "??"}
        found = "; ".join(f"{a} {marks[how]} {b}: {', '.join(who)}" for how, who in self.votes.items())
        return f"{a} {marks[self.join]} {b}, found by all" if self.agreed else f"contested: {found}"


def features(graphs: Mapping[str, PDAG], companions: Mapping[str, PDAG] | None = None) -> tuple[Feature, ...]:
    """Every pair that at least one of these CPDAGs joins, with who joins it how; in column order."""
    names = next(iter(graphs.values())).names
    voting, beside = (
        {label: PartialGraph.from_graph(graph.reorder(names)) for label, graph in some.items()}
        for some in (graphs, companions or {})
    )
    joined = np.any([p.adjacency | p.adjacency.T for p in voting.values()], axis=0)
    pairs = [(names[i], names[j]) for i, j in np.argwhere(np.triu(joined))]
    return tuple(Feature(pair, _votes(pair, voting), _votes(pair, beside)) for pair in pairs)


def _votes(pair: tuple[str, str], graphs: Mapping[str, PartialGraph]) -> dict[PairType, tuple[str, ...]]:
    """Who joins the pair how, the commonest way first."""
    voters: dict[PairType, list[str]] = {}
    for label, graph in graphs.items():
        voters.setdefault(graph.pair(*pair), []).append(label)
    return {how: tuple(who) for how, who in sorted(voters.items(), key=lambda vote: -len(vote[1]))}


@dataclass(frozen=True)
class Trust:
    """What can be observed about how reliable a ranking by intersection-validation is (Viinikka 2019, section 4.5).

    Attributes:
        agreement_size: The share of pairs on which all learners agree.
        connected_pairs: How many of these pairs are joined.
        mean_pairwise_shd: The mean SHD between the graphs that the learners found on all of the data.
        deviations: For each subsample size, the mean absolute deviation of the learners' mean distances, divided by the
            number of pairs. Above 0.03, rankings were close to those by the truth.
        stability: How often the same learner is first if the repetitions are drawn again, with replacement.
        winner: The learner that is ranked first.
        limiting: The learner without which the agreement would have the most joined pairs, and how many. A learner that
            finds few links leaves little to compare with, and then learners that find few links look good.
        repeats: The smallest number of repetitions of any size. With fewer than three, the stability means nothing.

    See also:
        `Validation`, `intersection_validation`, docs/validation.md
    """

    agreement_size: float
    connected_pairs: int
    mean_pairwise_shd: float
    deviations: tuple[float, ...]
    stability: float
    winner: str
    limiting: tuple[str, int] | None = None
    repeats: int = 0

    @property
    def is_stable(self) -> bool:
        """Whether the first in the ranking stays first in at least 95 % of the resamplings, of three or more."""
        return self.stability >= 0.95 and self.repeats >= FEWEST_REPEATS

    @property
    def is_wide(self) -> bool:
        """Whether the learners differ by more than the rule of 0.03 asks for, at one subsample size at least."""
        return max(self.deviations, default=0.0) > WIDE_DEVIATION

    @property
    def is_unanimous(self) -> bool:
        """Whether all learners find the same graph from all of the data, so that there is nothing to rank."""
        return self.mean_pairwise_shd == 0

    @property
    def sentence(self) -> str:
        """What follows, in plain words."""
        return f"{self._verdict} {self._advice}".rstrip()

    @property
    def _advice(self) -> str:
        if self.is_unanimous or self.limiting is None or self.limiting[1] < max(3, 1.5 * self.connected_pairs):
            return ""
        label, pairs = self.limiting
        return (
            f"Without {label} the learners would agree on {pairs} joined pairs instead of {self.connected_pairs}: "
            "show it for comparison only, and the ranking says more about the others."
        )

    @property
    def _verdict(self) -> str:
        if self.is_unanimous and self.connected_pairs == 0:
            return "There is no ranking: the learners agree that there is no arc. More data may show some."
        if self.is_unanimous:
            return "There is no ranking: all learners find the same network from all of the data."
        if not self.deviations:
            return "There is no ranking: the time was too short to learn from subsamples of even one size."
        if self.connected_pairs == 0:
            return (
                "Do not rely on the ranking: the learners agree on no arc, so it only shows which learner finds the "
                "fewest. More data, or more similar learners, would help."
            )
        if self.repeats < FEWEST_REPEATS:
            number = "is 1 subsample" if self.repeats == 1 else f"are {self.repeats} subsamples"
            return (
                f"Do not rely on the ranking yet: {self.winner} is ranked first, but at some size there {number} "
                f"only. You need at least {FEWEST_REPEATS} to see whether this is chance."
            )
        how_often = f"{self.winner} is first in {100 * self.stability:.0f} % of the resamples"
        widest = f"{max(self.deviations, default=0.0):.3f} of all pairs"
        if self.is_stable and self.is_wide:
            return (
                f"The ranking is stable: {how_often}, and the distances differ widely (a deviation up to {widest}). "
                f"{_NOT_RIGHT}"
            )
        if self.is_stable:
            return (
                f"The first rank is stable, the order of the others less so: {how_often}, but the distances are "
                f"similar (a deviation of at most {widest}). {_NOT_RIGHT}"
            )
        if self.is_wide:
            return (
                f"The group of the best learners is stable, but not which of them is first: {how_often} only, "
                f"although the distances differ widely (a deviation of up to {widest}). {_NOT_RIGHT}"
            )
        return (
            f"Do not rely on the ranking: {how_often} only, and the distances are similar (a deviation of at most "
            f"{widest}): any of the top-ranked learners is a reasonable choice."
        )


def measure_trust(graphs: Mapping[str, PDAG], agreement: PartialGraph, distances: Floats, seed: int) -> Trust:
    """The diagnostics of a ranking of the learners of these graphs.

    `distances` are those of each learner (first axis) at each size in each repetition, `nan` where there is none.
    """
    labels, n = list(graphs), len(agreement.names)
    pairs = max(1, n * (n - 1) // 2)
    operands = [shd(a, b) for a, b in combinations(graphs.values(), 2)]
    means = mean_over_repeats(distances)
    spread = np.abs(means - means.mean(axis=0)).mean(axis=0) / pairs
    overall = (means.sum(axis=1) / max(1, means.shape[1])).tolist()  # no size is no reason to warn
    best = min(range(len(labels)), key=lambda i: (isnan(overall[i]), overall[i], labels[i]))  # ties as in the ranking
    return Trust(
        agreement_size=agreement.size,
        connected_pairs=_joined(agreement),
        mean_pairwise_shd=float(np.mean(operands)) if operands else 0.0,
        deviations=tuple(spread.tolist()),
        stability=_share_of_wins(distances, best, seed),
        winner=labels[best],
        limiting=_limiting(graphs),
        repeats=_fewest_repeats(distances),
    )


def _fewest_repeats(distances: Floats) -> int:
    """The repetitions that some learner has at the size where they are fewest."""
    there = ~np.isnan(distances).all(axis=0)
    return int(there.sum(axis=1).min()) if there.size else 0


def _joined(graph: PartialGraph) -> int:
    return int(np.triu(graph.adjacency | graph.adjacency.T).sum())


def _limiting(graphs: Mapping[str, PDAG]) -> tuple[str, int] | None:
    """The learner without which the others agree on most joined pairs; None unless three are compared."""
    if len(graphs) < 3:
        return None
    partial = {label: PartialGraph.from_graph(graph) for label, graph in graphs.items()}
    without = {
        label: _joined(PartialGraph.agreement(graph for other, graph in partial.items() if other != label))
        for label in partial
    }
    label = max(without, key=without.__getitem__)
    return label, without[label]


def mean_over_repeats(distances: Floats) -> Floats:
    """The mean over the last axis, of what is there; `nan` where nothing is."""
    there = ~np.isnan(distances)
    number = there.sum(axis=-1)
    total = np.where(there, distances, 0.0).sum(axis=-1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _share_of_wins(distances: Floats, best: int, seed: int) -> float:
    """How often `best` is first, alone or with others, when the repetitions of each size are drawn with replacement."""
    learners, sizes, repeats = distances.shape
    if learners < 2 or repeats == 0 or sizes == 0:
        return 1.0
    rng = np.random.default_rng(seed)
    wins = 0
    for _ in range(_RESAMPLINGS):
        drawn = rng.integers(repeats, size=(1, sizes, repeats))
        means = mean_over_repeats(np.take_along_axis(distances, drawn, axis=2)).mean(axis=1)
        means = np.where(np.isnan(means), np.inf, means)
        wins += bool(means[best] <= means.min())
    return wins / _RESAMPLINGS
