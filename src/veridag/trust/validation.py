"""What intersection-validation found: distances, rankings, and what the learners agree on (Viinikka 2019)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from veridag.display import drawing, paragraph, table
from veridag.errors import InputError
from veridag.graph import PDAG, PartialGraph
from veridag.graph.knowledge import Knowledge
from veridag.metrics import shd

from .agreement import Feature, Trust, features, mean_over_repeats, measure_trust
from .subsampling import Learner

Floats = NDArray[np.float64]
Compare = Literal["types", "adjacencies"]


@dataclass(frozen=True)
class Failure:
    """A learner that failed on one subsample.

    Attributes:
        label: The name of the learner.
        size: The size of the subsample.
        repeat: The number of the subsample, from 0.
        error: Why it failed.
    """

    label: str
    size: int
    repeat: int
    error: str


@dataclass(frozen=True)
class Comparison:
    """Two learners at one subsample size.

    Attributes:
        a, b: The names of the learners.
        size: The size of the subsamples.
        closer: The learner that is closer to the agreement; None if neither is.
        overlap: Whether the intervals mean +- standard error overlap.
    """

    a: str
    b: str
    size: int
    closer: str | None
    overlap: bool


@dataclass(frozen=True, eq=False, repr=False)
class Validation:
    """A comparison of learners, as `intersection_validation` returns it.

    Attributes:
        learners: The learners, with what each learned from all of the data.
        agreement: The agreement graph of the ranked learners on all of the data.
        sizes: The subsample sizes.
        distances: ``distances[i, s, r]`` is the partial Hamming distance between the agreement and what learner i of
            `compared` found on subsample r of size `sizes[s]`. It is not a number (`nan`) if the learner failed, or if
            the work stopped before all learners had learned from the subsample.
        seconds: The learning times, in the same form.
        failures: Learners that failed on a subsample.
        n: The number of observations.
        seed: The seed of the subsamples.
        compare: Whether directions were compared ("types") or not ("adjacencies").
        truth: The true equivalence class, if it was given.
        shd: Structural Hamming distances to the truth, in the form of `distances`, if the truth was given.
        interrupted: Whether the work stopped early.
        subsamples: For each size, the number of subsamples that all learners learned from.
        knowledge: The knowledge that all learners used. Graphs are compared by their equivalence classes, which do not
            have directions that only knowledge gives; `directed` has them.

    See also:
        `intersection_validation`, `phd`, docs/validation.md
    """

    learners: tuple[Learner, ...]
    agreement: PartialGraph
    sizes: tuple[int, ...]
    distances: Floats
    seconds: Floats
    failures: tuple[Failure, ...]
    n: int
    seed: int
    compare: Compare
    truth: PDAG | None = None
    shd: Floats | None = None
    interrupted: bool = False
    subsamples: tuple[int, ...] = ()
    knowledge: Knowledge | None = None

    @property
    def ranked(self) -> tuple[Learner, ...]:
        """The learners that have a graph and a vote in the agreement, in the order in which you gave them."""
        return tuple(learner for learner in self.learners if learner.result is not None and not learner.companion)

    @property
    def companions(self) -> tuple[Learner, ...]:
        """The learners shown for comparison that have a graph."""
        return tuple(learner for learner in self.learners if learner.result is not None and learner.companion)

    @property
    def compared(self) -> tuple[Learner, ...]:
        """All learners that have a graph, the ranked ones first: the first axis of `distances`."""
        return self.ranked + self.companions

    @property
    def labels(self) -> tuple[str, ...]:
        """Their labels."""
        return tuple(learner.label for learner in self.compared)

    @property
    def repeats(self) -> int:
        """The requested number of subsamples of each size."""
        return int(self.distances.shape[2])

    @property
    def reached(self) -> tuple[bool, ...]:
        """Whether there was time for at least one subsample of each size."""
        return tuple(number > 0 for number in self.subsamples)

    @property
    def is_ranking(self) -> bool:
        """Whether there was time for the subsamples that a ranking needs."""
        return any(self.reached)

    @cached_property
    def means(self) -> Floats:
        """The mean distance of each learner at each size (equation 12)."""
        return mean_over_repeats(self.distances)

    @cached_property
    def standard_errors(self) -> Floats:
        """The standard error of each mean: sqrt(sum (d - mean)^2 / (r - 1)) / sqrt(r)."""
        return standard_errors(self.distances)

    @cached_property
    def overall(self) -> Floats:
        """The mean distance of each learner over the sizes reached: the area under its learning curve over log n."""
        if not self.is_ranking:
            return np.full(len(self.labels), np.nan)
        return np.asarray(self.means[:, list(self.reached)].mean(axis=1))

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """The ranked learners by `overall`, the closest first; ties by label. A learner that failed at a whole size is
        last.
        """
        return self._ordered(self.overall)

    def _ordered(self, distances: Floats) -> tuple[str, ...]:
        known = dict(zip(self.labels, distances.tolist(), strict=True))
        return tuple(
            sorted((x.label for x in self.ranked), key=lambda label: (np.isnan(known[label]), known[label], label))
        )

    @property
    def best(self) -> Learner:
        """The first in the ranking; of the learners, if there was no time to rank them."""
        if not self.is_ranking:
            return self.ranked[0]
        return next(learner for learner in self.ranked if learner.label == self.ranking[0])

    def directed(self, learner: Learner) -> PDAG:
        """Return the equivalence class that a learner found on all of the data, directed further by the knowledge."""
        if self.knowledge is None or learner.result is None or not learner.result.valid:
            return learner.cpdag
        return self.knowledge.orient(learner.cpdag)

    def distance_to_truth(self, learner: Learner) -> int | None:
        """The structural Hamming distance between what a learner found on all of the data and the truth, if known."""
        if self.truth is None or learner.result is None:
            return None
        return shd(self.truth, self._graph(learner))

    def ranking_at(self, size: int) -> tuple[str, ...]:
        """The learners by their mean distance at one size."""
        if size not in self.sizes:
            raise InputError(f"size={size!r} must be one of {self.sizes}")
        return self._ordered(self.means[:, self.sizes.index(size)])

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every pair of ranked learners at every size."""
        low, high = self.means - self.standard_errors, self.means + self.standard_errors
        found = []
        for s, size in enumerate(self.sizes):
            for i, j in combinations(range(len(self.ranked)), 2):
                a, b = self.labels[i], self.labels[j]
                difference = self.means[i, s] - self.means[j, s]
                closer = None if np.isnan(difference) or difference == 0 else (a if difference < 0 else b)
                overlap = not bool(low[i, s] > high[j, s] or low[j, s] > high[i, s])
                found.append(Comparison(a, b, size, closer, overlap))
        return tuple(found)

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """Every pair that a ranked learner joins on all of the data, and how each learner joins it."""
        return features(self._graphs(self.ranked), self._graphs(self.companions))

    @cached_property
    def trust(self) -> Trust:
        """How reliable the ranking is."""
        distances = self.distances[: len(self.ranked), list(self.reached)]
        return measure_trust(self._graphs(self.ranked), self.agreement, distances, self.seed)

    def _graphs(self, learners: Sequence[Learner]) -> dict[str, PDAG]:
        return {learner.label: self._graph(learner) for learner in learners}

    def _graph(self, learner: Learner) -> PDAG:
        return compared(learner.cpdag, self.compare)

    def rows(self) -> list[dict[str, Any]]:
        """Return the learning curves as a table: one row for each learner and size."""
        shd_means = None if self.shd is None else mean_over_repeats(self.shd)
        shd_errors = None if self.shd is None else standard_errors(self.shd)
        made = []
        for i, learner in enumerate(self.compared):
            for s, size in enumerate(self.sizes):
                row = {
                    "learner": learner.label,
                    "size": size,
                    "repeats": int((~np.isnan(self.distances[i, s])).sum()),
                    "phd": float(self.means[i, s]),
                    "phd_error": float(self.standard_errors[i, s]),
                    "seconds": float(mean_over_repeats(self.seconds)[i, s]),
                }
                if shd_means is not None and shd_errors is not None:
                    row |= {"shd": float(shd_means[i, s]), "shd_error": float(shd_errors[i, s])}
                made.append(row)
        return made

    def __repr__(self) -> str:
        first = f", {self.ranking[0]} first" if self.is_ranking else ", not ranked"
        first = ", all find the same network" if self.trust.is_unanimous else first
        sizes = f"{len(self.sizes)} sizes, {self.repeats} subsamples each"
        return f"<Validation of {len(self.ranked)} learners on {self.n} rows: {sizes}{first}>"

    def _repr_html_(self) -> str:
        tables = [
            self._html_table(
                "mean partial Hamming distance to the structure all ranked learners agree on", self.distances
            )
        ]
        if self.shd is not None:
            tables.append(self._html_table("mean structural Hamming distance to the truth", self.shd))
        said = [f"{learner.label} failed: {learner.error}" for learner in self.learners if learner.error]
        drawn = drawing(lambda: self.agreement.to_svg("What all ranked learners agree on"), len(self.agreement.names))
        return "".join([*tables, *map(paragraph, [*said, self.trust.sentence]), drawn])

    def _html_table(self, caption: str, distances: Floats) -> str:
        means, errors = mean_over_repeats(distances), standard_errors(distances)
        rows = []
        for label in (*self.ranking, *(learner.label for learner in self.companions)):
            i = self.labels.index(label)
            cells = zip(means[i].tolist(), errors[i].tolist(), strict=True)
            rows.append([label, *(f"{mean:.2f} ± {error:.2f}" for mean, error in cells)])
        return table(["learner", *(f"n = {size}" for size in self.sizes)], rows, caption)

    def __str__(self) -> str:
        lines = self._table("mean partial Hamming distance at n =", self.distances)
        if self.shd is not None:
            whole = {learner.label: f"{self.distance_to_truth(learner)}" for learner in self.compared}
            heading = "mean structural Hamming distance to the truth at n ="
            lines += ["", *self._table(heading, self.shd, f"all {self.n}", whole), ""]
        lines += [f"{learner.label} failed: {learner.error}" for learner in self.learners if learner.error]
        agreed = sum(f.agreed for f in self.features)
        lines.append(f"Of {len(self.features)} pairs joined by some learner, {agreed} are agreed on by all.")
        if self.companions:
            beside = ", ".join(learner.label for learner in self.companions)
            lines.append(f"Shown for comparison, and not ranked: {beside}.")
        if self.knowledge is not None:
            lines.append(f"All learners used this knowledge: {self.knowledge.describe()}.")
        lines.append(self.trust.sentence)
        return "\n".join(lines)

    def _table(
        self, heading: str, distances: Floats, last: str = "", ends: Mapping[str, str] | None = None
    ) -> list[str]:
        """Means and standard errors over the repeats: a line for each learner, by rank, companions last.

        There may be a last column, with its heading and what is in it.
        """
        means, errors = mean_over_repeats(distances), standard_errors(distances)
        width = max(len(heading), *(len(label) + 2 for label in self.labels))
        lines = [f"{heading:{width}}" + "".join(f"{s:>15}" for s in self.sizes) + last.rjust(15 if last else 0)]
        for label in (*self.ranking, *(learner.label for learner in self.companions)):
            i = self.labels.index(label)
            cells = zip(means[i].tolist(), errors[i].tolist(), strict=True)
            lines.append(f"{label:{width}}" + "".join(f"{m:8.2f} +-{e:5.2f}" for m, e in cells))
            lines[-1] += "" if ends is None else f"{ends[label]:>15}"
        return lines


def standard_errors(distances: Floats) -> Floats:
    """The standard errors of the means over the last axis; `nan` where there are fewer than two values."""
    number = (~np.isnan(distances)).sum(axis=-1)
    off = distances - mean_over_repeats(distances)[..., None]
    squares = np.where(np.isnan(off), 0.0, off**2).sum(axis=-1)
    safe = np.maximum(number, 2)
    return np.where(number >= 2, np.sqrt(squares / (safe - 1) / safe), np.nan)


def compared(graph: PDAG, compare: Compare) -> PDAG:
    """What of a graph is compared: all of it, or its adjacencies alone."""
    return graph if compare == "types" else graph.skeleton()
