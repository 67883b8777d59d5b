"""Intersection-validation: which learner to trust on data whose true structure nobody knows (Viinikka 2019)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, Literal, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray

from .agreement import Feature, Trust, features, mean_over_repeats, measure_trust
from .criterion import Result
from .data import Data
from .errors import InputError
from .graph import DAG, PDAG, PartialGraph, completed
from .knowledge import Knowledge
from .metrics import phd, shd
from .parts import Heartbeat, Progress, Stopped, run_parts
from .search import Algorithm

Floats = NDArray[np.float64]
Compare = Literal["types", "adjacencies"]


@dataclass(frozen=True)
class Learner:
    """One of the algorithms compared: its graph on all of the data, or why there is none.

    `invalid` says why its graph is no CPDAG, if it is none; it is then compared as it is.
    """

    label: str
    algorithm: Algorithm
    result: Result | None
    error: str | None = None

    @classmethod
    def of(cls, label: str, algorithm: Algorithm, outcome: Result | str) -> Learner:
        """A learner by what became of it: a result, or the text of an error."""
        if isinstance(outcome, str):
            return cls(label, algorithm, None, outcome)
        return cls(label, algorithm, outcome)

    @property
    def cpdag(self) -> PDAG:
        """The class that the learner found on all of the data."""
        assert self.result is not None, self.error
        return completed(self.result.graph)

    @property
    def invalid(self) -> str | None:
        """Why the graph stands for no DAG."""
        if self.result is None or isinstance(self.result.graph, DAG):
            return None
        why = self.result.graph.why_invalid()
        return None if why is None else str(why)


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

    - `agreement`: the agreement graph of the `learners` on all of the data.
    - `distances[i, s, r]`: the partial Hamming distance between the agreement and what learner i found on subsample r
      of size `sizes[s]`; NaN where it failed, or where the work was stopped before. `seconds` likewise.
    - `shd`: the same against the `truth`, if that was given.
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

    @property
    def ranked(self) -> tuple[Learner, ...]:
        """The learners that have a graph, in the order they were given: those that `distances` speaks of."""
        return tuple(learner for learner in self.learners if learner.result is not None)

    @property
    def labels(self) -> tuple[str, ...]:
        """Their labels."""
        return tuple(learner.label for learner in self.ranked)

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
        """The mean distance of each learner over all sizes: the area under its learning curve over log n."""
        return np.asarray(self.means.mean(axis=1))

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """The learners by `overall`, the closest first; ties by label. One that failed at a whole size comes last."""
        key = {label: (np.isnan(d), d, label) for label, d in zip(self.labels, self.overall.tolist(), strict=True)}
        return tuple(sorted(self.labels, key=key.__getitem__))

    @property
    def best(self) -> Learner:
        """The first in the ranking."""
        return next(learner for learner in self.ranked if learner.label == self.ranking[0])

    def ranking_at(self, size: int) -> tuple[str, ...]:
        """The learners by their mean distance at one size."""
        if size not in self.sizes:
            raise InputError(f"size={size!r} must be one of {self.sizes}")
        at = self.means[:, self.sizes.index(size)].tolist()
        key = {label: (np.isnan(d), d, label) for label, d in zip(self.labels, at, strict=True)}
        return tuple(sorted(self.labels, key=key.__getitem__))

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every pair of learners at every size."""
        low, high = self.means - self.standard_errors, self.means + self.standard_errors
        found = []
        for s, size in enumerate(self.sizes):
            for i, j in combinations(range(len(self.labels)), 2):
                a, b = self.labels[i], self.labels[j]
                difference = self.means[i, s] - self.means[j, s]
                closer = None if np.isnan(difference) or difference == 0 else (a if difference < 0 else b)
                overlap = not bool(low[i, s] > high[j, s] or low[j, s] > high[i, s])
                found.append(Comparison(a, b, size, closer, overlap))
        return tuple(found)

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """Every pair that a learner joins on all of the data, and who joins it how."""
        return features({learner.label: _compared(learner.cpdag, self.compare) for learner in self.ranked})

    @cached_property
    def trust(self) -> Trust:
        """How far the ranking can be trusted."""
        graphs = {learner.label: _compared(learner.cpdag, self.compare) for learner in self.ranked}
        return measure_trust(graphs, self.agreement, self.distances, self.seed)

    def rows(self) -> list[dict[str, Any]]:
        """The learning curves as a table: one row a learner and size."""
        shd_means = None if self.shd is None else mean_over_repeats(self.shd)
        shd_errors = None if self.shd is None else standard_errors(self.shd)
        made = []
        for i, learner in enumerate(self.ranked):
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
        for label in self.ranking:
            i = self.labels.index(label)
            cells = zip(self.means[i].tolist(), self.standard_errors[i].tolist(), strict=True)
            lines.append(
                f"{label:{len(lines[0]) - 15 * len(self.sizes)}}" + "".join(f"{m:8.2f} +-{e:5.2f}" for m, e in cells)
            )
        lines += [f"{learner.label} failed: {learner.error}" for learner in self.learners if learner.error]
        agreed = sum(f.agreed for f in self.features)
        lines.append(f"Of {len(self.features)} pairs joined by some learner, {agreed} are agreed on by all.")
        lines.append(self.trust.sentence)
        return "\n".join(lines)


def intersection_validation(
    data: Data | Any,
    algorithms: Sequence[Algorithm] | Mapping[str, Algorithm],
    sizes: Sequence[int] | None = None,
    repeats: int = 10,
    seed: int = 0,
    jobs: int = 1,
    *,
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
    agreement in partial Hamming distance, the better.

    With `compare="adjacencies"` directions are left out of account. With a `truth`, the structural Hamming distances
    to it are measured beside. Algorithms may come with labels, as a mapping. An algorithm that fails is reported, not
    fatal, as long as two are left. The result depends on the seed, not on the number of `jobs` (threads). `progress` is
    called with the graphs learned and those to learn. After `seconds`, or on an interrupt, no more is begun and what is
    there is the result, marked as interrupted; an interrupt is raised, carrying it as `.result`.
    """
    table = data if isinstance(data, Data) else Data.from_frame(data)
    labelled = _labelled(algorithms)
    plan = _checked_sizes(sizes, table.n)
    _check(repeats, seed, jobs, compare)
    total = len(labelled) * (1 + len(plan) * repeats)
    until = None if seconds is None else time.monotonic() + seconds
    run = _Run(table, knowledge, seed, jobs, progress, until, total)
    learners = run.learn_all(labelled)
    able = [learner for learner in learners if learner.result is not None]
    if len(able) < 2:
        why = "; ".join(f"{learner.label}: {learner.error}" for learner in learners if learner.error)
        raise InputError(f"algorithms: an agreement needs two that learn from this data, but {why}")
    agreement = PartialGraph.agreement([_compared(learner.cpdag, compare) for learner in able])
    target = None if truth is None else _compared(completed(truth), compare)
    outcomes: dict[int, Result | str] = {}

    def found(interrupted: bool) -> Validation:
        measured = _measure(able, agreement, target, plan, repeats, outcomes, compare)
        return Validation(
            learners=tuple(learners),
            agreement=agreement,
            sizes=plan,
            **measured,
            n=table.n,
            seed=seed,
            compare=compare,
            truth=target,
            interrupted=interrupted,
        )

    run = replace(run, total=len(labelled) + len(able) * len(plan) * repeats)
    try:
        in_time = run.subsamples([learner.algorithm for learner in able], plan, repeats, outcomes)
    except KeyboardInterrupt:
        stop = KeyboardInterrupt("intersection-validation was stopped; .result is what was done")
        stop.result = found(interrupted=True)  # type: ignore[attr-defined] # carried to whoever catches it
        raise stop from None
    return found(interrupted=not in_time)


class _Measured(TypedDict):
    distances: Floats
    seconds: Floats
    shd: Floats | None
    failures: tuple[Failure, ...]


def _measure(
    learners: Sequence[Learner],
    agreement: PartialGraph,
    truth: PDAG | None,
    sizes: Sequence[int],
    repeats: int,
    outcomes: Mapping[int, Result | str],
    compare: Compare,
) -> _Measured:
    """The distances of what was learned from subsamples, in the order of `_Run.subsamples`."""
    shape = (len(learners), len(sizes), repeats)
    distances, times, to_truth = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    failures = []
    for k, outcome in sorted(outcomes.items()):
        (r, s), i = divmod(k // len(learners), len(sizes)), k % len(learners)
        if isinstance(outcome, str):
            failures.append(Failure(learners[i].label, sizes[s], r, outcome))
            continue
        graph = _compared(completed(outcome.graph), compare)
        distances[i, s, r] = phd(agreement, graph)
        times[i, s, r] = outcome.seconds
        if truth is not None:
            to_truth[i, s, r] = shd(truth, graph)
    return {
        "distances": distances,
        "seconds": times,
        "shd": None if truth is None else to_truth,
        "failures": tuple(failures),
    }


def default_sizes(n: int) -> tuple[int, ...]:
    """N/2, N/4, ... until the first of at most 100 (Viinikka 2019, section 3.3)."""
    sizes = [n // 2]
    while sizes[-1] > 100:
        sizes.append(sizes[-1] // 2)
    return tuple(sizes)


def subsample(data: Data, size: int, seed: int, repeat: int) -> Data:
    """Observations drawn without replacement: the same for the same seed, size and repetition."""
    rng = np.random.default_rng(np.random.SeedSequence((seed, size, repeat)))
    if data.weights is None:
        return data.rows(np.sort(rng.choice(data.nrows, size, replace=False)))
    drawn = rng.multivariate_hypergeometric(data.weights, size)
    kept = np.flatnonzero(drawn)
    part = data.rows(kept)
    return Data(part.columns, drawn[kept], part.group, part.groups, part.notes)


def standard_errors(distances: Floats) -> Floats:
    """The standard errors of the means over the last axis; NaN where there are fewer than two values."""
    number = (~np.isnan(distances)).sum(axis=-1)
    off = distances - mean_over_repeats(distances)[..., None]
    squares = np.where(np.isnan(off), 0.0, off**2).sum(axis=-1)
    safe = np.maximum(number, 2)
    return np.where(number >= 2, np.sqrt(squares / (safe - 1) / safe), np.nan)


@dataclass(frozen=True)
class _Run:
    """The learning that a validation needs; `outcomes` by position is a result, or the text of an error."""

    data: Data
    knowledge: Knowledge | None
    seed: int
    jobs: int
    progress: Progress | None
    until: float | None
    total: int

    def learn_all(self, algorithms: Sequence[tuple[str, Algorithm]]) -> list[Learner]:
        """Each algorithm on all of the data, however long it takes."""
        outcomes: dict[int, Result | str] = {}

        def learn(i: int, heartbeat: Heartbeat) -> Result | str:
            return _outcome(algorithms[i][1], self.data, self.knowledge, self.seed, heartbeat)

        run_parts(learn, len(algorithms), self.jobs, self._report(0), outcomes)
        return [Learner.of(label, algorithm, outcomes[i]) for i, (label, algorithm) in enumerate(algorithms)]

    def subsamples(
        self, algorithms: Sequence[Algorithm], sizes: Sequence[int], repeats: int, outcomes: dict[int, Result | str]
    ) -> bool:
        """Each algorithm on each subsample; whether there was time for all.

        Repetition by repetition, so that what is there when the work is stopped is balanced: outcome number
        (r * sizes + s) * algorithms + i is that of algorithm i on subsample r of size s.
        """
        draw = lru_cache(2 * self.jobs + 1)(lambda size, r: subsample(self.data, size, self.seed, r))

        def learn(k: int, heartbeat: Heartbeat) -> Result | str:
            (r, s), i = divmod(k // len(algorithms), len(sizes)), k % len(algorithms)
            own = int(np.random.SeedSequence((self.seed, sizes[s], r, 1)).generate_state(1)[0])
            return _outcome(algorithms[i], draw(sizes[s], r), self.knowledge, own, heartbeat)

        count = repeats * len(sizes) * len(algorithms)
        return run_parts(learn, count, self.jobs, self._report(self.total - count), outcomes, self.until)

    def _report(self, before: int) -> Progress | None:
        report = self.progress
        return None if report is None else lambda done, count: report(before + done, self.total)


def _outcome(
    algorithm: Algorithm, data: Data, knowledge: Knowledge | None, seed: int, heartbeat: Heartbeat
) -> Result | str:
    try:
        return algorithm.learn(data, knowledge, seed, heartbeat)
    except Stopped:
        raise
    except InputError as error:
        return str(error)
    except Exception as error:  # whatever a learner does, the others go on
        return f"{type(error).__name__}: {error}"


def _compared(graph: PDAG, compare: Compare) -> PDAG:
    return graph if compare == "types" else graph.skeleton()


def _labelled(algorithms: Sequence[Algorithm] | Mapping[str, Algorithm]) -> list[tuple[str, Algorithm]]:
    pairs = list(algorithms.items()) if isinstance(algorithms, Mapping) else [(a.label, a) for a in _listed(algorithms)]
    for label, algorithm in pairs:
        if not isinstance(algorithm, Algorithm):
            raise InputError(f"algorithms: {label!r} is {algorithm!r}, not an algorithm such as Tabu()")
    if len(pairs) < 2:
        raise InputError(f"algorithms: {len(pairs)} given, but an agreement needs at least two")
    labels = [label for label, _ in pairs]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise InputError(f"algorithms: {twice[0]} is there twice: compare different algorithms, or label them")
    return pairs


def _listed(algorithms: object) -> list[Algorithm]:
    if isinstance(algorithms, str) or not isinstance(algorithms, Sequence):
        raise InputError(f"algorithms={algorithms!r} must be a list of algorithms, or a mapping from labels to them")
    for algorithm in algorithms:
        if not isinstance(algorithm, Algorithm):
            raise InputError(f"algorithms: {algorithm!r} is no algorithm such as Tabu(); vd.parse makes one of a text")
    return list(algorithms)


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
