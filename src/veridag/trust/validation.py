"""Intersection-validation: which learner to trust on data whose true structure nobody knows (Viinikka 2019)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG, PDAG, PartialGraph, completed
from veridag.graph.knowledge import Knowledge
from veridag.metrics import phd, shd
from veridag.progress import Interrupted, Progress, part_of
from veridag.search import Algorithm
from veridag.search.result import Result

from .agreement import Feature, Trust, features, mean_over_repeats, measure_trust
from .learners import Learners, compared_learners
from .subsampling import NO_TIME, STOPPED, Learner, Learning, default_sizes, position

Floats = NDArray[np.float64]
Compare = Literal["types", "adjacencies"]


@dataclass(frozen=True)
class Failure:
    """A learner that failed on one subsample."""

    label: str
    size: int
    repeat: int
    error: str


@dataclass(frozen=True)
class Comparison:
    """Two learners at one size: who is closer to the agreement, and whether mean +- standard error overlap."""

    a: str
    b: str
    size: int
    closer: str | None
    overlap: bool


@dataclass(frozen=True, eq=False)
class Validation:
    """What intersection-validation found.

    - `agreement`: the agreement graph of the `ranked` learners on all of the data. Companions have no part in it.
    - `distances[i, s, r]`: the partial Hamming distance between the agreement and what learner i of `compared` found on
      subsample r of size `sizes[s]`; NaN where it failed, or where the work was stopped before all learners had learned
      from the subsample. `seconds` likewise.
    - `subsamples`: of each size, how many all learners learned from.
    - `shd`: the same as `distances` against the `truth`, if that was given.
    - `trust`: how far the ranking can be trusted.
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

    @property
    def ranked(self) -> tuple[Learner, ...]:
        """The learners that have a graph and a part in the agreement, in the order they were given."""
        return tuple(learner for learner in self.learners if learner.result is not None and not learner.companion)

    @property
    def companions(self) -> tuple[Learner, ...]:
        """The companions that have a graph."""
        return tuple(learner for learner in self.learners if learner.result is not None and learner.companion)

    @property
    def compared(self) -> tuple[Learner, ...]:
        """All that have a graph, the ranked first: those that `distances` speaks of."""
        return self.ranked + self.companions

    @property
    def labels(self) -> tuple[str, ...]:
        """Their labels."""
        return tuple(learner.label for learner in self.compared)

    @property
    def repeats(self) -> int:
        """How many subsamples of each size were asked for."""
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
        """The ranked by `overall`, the closest first; ties by label. One that failed at a whole size comes last."""
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
        """Every pair that a ranked learner joins on all of the data, and who joins it how."""
        return features(self._graphs(self.ranked), self._graphs(self.companions))

    @cached_property
    def trust(self) -> Trust:
        """How far the ranking can be trusted."""
        distances = self.distances[: len(self.ranked), list(self.reached)]
        return measure_trust(self._graphs(self.ranked), self.agreement, distances, self.seed)

    def _graphs(self, learners: Sequence[Learner]) -> dict[str, PDAG]:
        return {learner.label: _compared(learner.cpdag, self.compare) for learner in learners}

    def rows(self) -> list[dict[str, Any]]:
        """The learning curves as a table: one row a learner and size."""
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

    def __str__(self) -> str:
        width = max(len(label) for label in self.labels)
        lines = [f"{'mean partial Hamming distance at n =':{width + 2}}" + "".join(f"{s:>15}" for s in self.sizes)]
        for label in (*self.ranking, *(learner.label for learner in self.companions)):
            i = self.labels.index(label)
            cells = zip(self.means[i].tolist(), self.standard_errors[i].tolist(), strict=True)
            lines.append(
                f"{label:{len(lines[0]) - 15 * len(self.sizes)}}" + "".join(f"{m:8.2f} +-{e:5.2f}" for m, e in cells)
            )
        lines += [f"{learner.label} failed: {learner.error}" for learner in self.learners if learner.error]
        agreed = sum(f.agreed for f in self.features)
        lines.append(f"Of {len(self.features)} pairs joined by some learner, {agreed} are agreed on by all.")
        if self.companions:
            beside = ", ".join(learner.label for learner in self.companions)
            lines.append(f"Companions, that have no part in the agreement and no rank: {beside}.")
        lines.append(self.trust.sentence)
        return "\n".join(lines)


def intersection_validation(
    data: Data | Any,
    algorithms: Learners | None = None,
    sizes: Sequence[int] | None = None,
    repeats: int = 10,
    seed: int = 0,
    jobs: int = 1,
    *,
    companions: Learners | None = None,
    knowledge: Knowledge | None = None,
    truth: DAG | PDAG | None = None,
    compare: Compare = "types",
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Validation:
    """Compare structure learners on data without a known truth (Viinikka 2019, section 3).

    Every algorithm learns from all N observations; what all agree on, the agreement graph, stands in for the truth. The
    algorithms then learn from `repeats` subsamples, drawn without replacement and shared by all, of each of the
    `sizes`: by default N/2, N/4, ... down to the first of at most 100. The closer an algorithm's graphs are to the
    agreement in partial Hamming distance, the better. `companions` learn from the same data and are measured against
    the same agreement, but have no part in it and no rank: for learners of another kind, that would leave little.

    Without `algorithms`, those that suit the data are taken, with companions of other kinds, to which the given ones
    are added: the same that the report and ``veridag validate`` take.

    With `compare="adjacencies"` directions are left out of account. With a `truth`, the structural Hamming distances
    to it are measured beside. Algorithms may come with labels, as a mapping. An algorithm that fails is reported, not
    fatal, as long as two are left. The result depends on the seed, not on the number of `jobs` (threads). `progress` is
    called, as `veridag.progress` says, with the graphs learned and those to learn; a graph from all observations counts
    as many times as there are sizes.

    The work ends after `seconds`, or on an interrupt, and what is there is the result, marked as interrupted; an
    interrupt is raised, carrying it as `.result`. Half of the time is for learning from all of the data.
    """
    table = data if isinstance(data, Data) else Data.from_frame(data)
    ranked, beside = compared_learners(table, algorithms, companions)
    plan = _checked_sizes(sizes, table.n)
    _check(repeats, seed, jobs, compare)
    deadline = None if seconds is None else time.monotonic() + seconds
    target = None if truth is None else _compared(completed(truth), compare)
    settings = _Settings(table.n, plan, repeats, seed, compare, target)
    large = len(plan)  # halved again and again, the subsamples of one repetition have about as many rows as the whole
    total = (len(ranked) + len(beside)) * (large + len(plan) * repeats)
    learning = Learning(table, knowledge, seed, jobs, part_of(progress, 0, total, large), deadline)
    learners, stopped = _learn_from_all(learning, list(ranked.items()), list(beside.items()))
    _check_able(learners, seconds)
    able = [learner for learner in learners if learner.result is not None]
    outcomes: dict[int, Result | str] = {}
    if not stopped:
        count = len(able) * len(plan) * repeats
        total = len(learners) * large + count
        learning = replace(learning, progress=part_of(progress, total - count, total))
        chosen = [(learner.label, learner.algorithm) for learner in able]
        try:
            in_time = learning.from_subsamples(chosen, plan, repeats, outcomes)
        except KeyboardInterrupt:
            stopped = True
    if stopped:
        found = _found(settings, learners, outcomes, True)
        raise Interrupted("intersection-validation was stopped; .result is what was done", found) from None
    return _found(settings, learners, outcomes, not in_time or any(learner.late for learner in learners))


def _learn_from_all(
    learning: Learning, ranked: list[tuple[str, Algorithm]], companions: list[tuple[str, Algorithm]]
) -> tuple[list[Learner], bool]:
    """Each algorithm with what became of it, and whether an interrupt came when two at least had learned."""
    outcomes: dict[int, Result | str] = {}
    stopped = False
    try:
        learning.from_all([*ranked, *companions], outcomes)
    except KeyboardInterrupt:
        if sum(isinstance(outcomes.get(i), Result) for i in range(len(ranked))) < 2:
            raise
        stopped = True
    missing = STOPPED if stopped else NO_TIME
    learners = [
        Learner.of(label, algorithm, outcomes.get(i, missing), i >= len(ranked))
        for i, (label, algorithm) in enumerate([*ranked, *companions])
    ]
    return learners, stopped


def _check_able(learners: Sequence[Learner], seconds: float | None) -> None:
    able = [learner for learner in learners if learner.result is not None and not learner.companion]
    if len(able) >= 2:
        return
    why = "; ".join(f"{learner.label}: {learner.error}" for learner in learners if learner.error)
    remedy = "" if seconds is None else ". Give more time, fewer columns or rows, or quicker learners"
    raise InputError(f"algorithms: an agreement needs two that learn from this data, but {why}{remedy}")


@dataclass(frozen=True)
class _Settings:
    n: int
    sizes: tuple[int, ...]
    repeats: int
    seed: int
    compare: Compare
    truth: PDAG | None


def _found(
    settings: _Settings, learners: Sequence[Learner], outcomes: Mapping[int, Result | str], interrupted: bool
) -> Validation:
    """The distances of what was learned from subsamples, in the order of `Learning.from_subsamples`."""
    able = [learner for learner in learners if learner.result is not None]
    sizes, compare, truth = settings.sizes, settings.compare, settings.truth
    agreement = PartialGraph.agreement([_compared(x.cpdag, compare) for x in able if not x.companion])
    shape = (len(able), len(sizes), settings.repeats)
    distances, times, to_truth = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    whole, failures = np.zeros(shape[1:], bool), []
    for first in range(0, distances.size, len(able)):
        if any(first + i not in outcomes for i in range(len(able))):
            continue  # what some learners only have learned from would favour or harm them
        r, s, _ = position(first, len(sizes), len(able))
        whole[s, r] = True
        for i, learner in enumerate(able):
            outcome = outcomes[first + i]
            if isinstance(outcome, str):
                failures.append(Failure(learner.label, sizes[s], r, outcome))
                continue
            graph = _compared(completed(outcome.graph), compare)
            distances[i, s, r], times[i, s, r] = phd(agreement, graph), outcome.seconds
            if truth is not None:
                to_truth[i, s, r] = shd(truth, graph)
    return Validation(
        learners=tuple(learners),
        agreement=agreement,
        sizes=sizes,
        distances=distances,
        seconds=times,
        failures=tuple(failures),
        n=settings.n,
        seed=settings.seed,
        compare=compare,
        truth=truth,
        shd=None if truth is None else to_truth,
        interrupted=interrupted,
        subsamples=tuple(int(row.sum()) for row in whole),
    )


def standard_errors(distances: Floats) -> Floats:
    """The standard errors of the means over the last axis; NaN where there are fewer than two values."""
    number = (~np.isnan(distances)).sum(axis=-1)
    off = distances - mean_over_repeats(distances)[..., None]
    squares = np.where(np.isnan(off), 0.0, off**2).sum(axis=-1)
    safe = np.maximum(number, 2)
    return np.where(number >= 2, np.sqrt(squares / (safe - 1) / safe), np.nan)


def _compared(graph: PDAG, compare: Compare) -> PDAG:
    return graph if compare == "types" else graph.skeleton()


def _checked_sizes(sizes: Sequence[int] | None, n: int) -> tuple[int, ...]:
    if n < 4:
        raise InputError(f"data: {n} observations are too few to draw subsamples from")
    if sizes is None:
        return default_sizes(n)
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or not 1 <= size < n:
            raise InputError(
                f"sizes: {size!r} must be a whole number from 1 to {n - 1}, below the number of observations"
            )
    if not sizes:
        raise InputError("sizes: give at least one size, or None for N/2, N/4, ...")
    return tuple(sorted({int(size) for size in sizes}, reverse=True))


def _check(repeats: object, seed: object, jobs: object, compare: object) -> None:
    for name, value, least in (("repeats", repeats, 1), ("seed", seed, 0), ("jobs", jobs, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(f"{name}={value!r} must be a whole number of at least {least}")
    if compare not in get_args(Compare):
        raise InputError(f"compare={compare!r} must be 'types' or 'adjacencies'")
