"""Intersection-validation: which learner to trust on data with an unknown true structure (Viinikka 2019)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from veridag.checks import SECONDS, SEED, Integer, OneOf
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG, PDAG, PartialGraph, completed
from veridag.graph.knowledge import Knowledge
from veridag.metrics import phd, shd
from veridag.progress import Interrupted, Progress, part_of
from veridag.search import Algorithm
from veridag.search.base import KNOWLEDGE
from veridag.search.result import Result
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor, deadline_after

from .constants import isolating_constants
from .learners import Learners, compared_learners
from .subsampling import NO_TIME, STOPPED, Learner, Learning, Missing, default_sizes, position
from .validation import Compare, Failure, Validation, compared

if TYPE_CHECKING:
    from distributed import Client

_COMPARE = OneOf(get_args(Compare))


def intersection_validation(
    data: Data | Any,
    algorithms: Learners | None = None,
    sizes: Sequence[int] | None = None,
    repeats: int = 10,
    seed: int = 0,
    jobs: int | Executor = 1,
    *,
    client: Client | str | None = None,
    companions: Learners | None = None,
    knowledge: Knowledge | None = None,
    truth: DAG | PDAG | None = None,
    compare: Compare = "types",
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Validation:
    """Compare structure learners on data without a known truth (Viinikka 2019, section 3).

    Every learner learns from all N observations. The structure that all of them agree on, the agreement graph, is used
    as the truth. Then the learners learn from the same subsamples, drawn without replacement. The closer the graphs of
    a learner are to the agreement in partial Hamming distance, the better its rank.

    A learner that fails is reported, and the others go on as long as two are left. All learners use the knowledge, and
    draw no arcs to or from columns that are constant in all of the data. The work ends after `seconds` or on an
    interrupt, and the result then has what was done, marked as interrupted; an interrupt is raised and carries it as
    `.result`. Half of the time is for learning from all of the data.

    Args:
        data: The table: a `Data` or a data frame.
        algorithms: The learners to rank, as a list or as a mapping from labels; a set for the kind of data if None, the
            same as in the report and in ``veridag validate``.
        sizes: The subsample sizes; N/2, N/4 and so on, down to the first of at most 100, if None, and 12 sizes in
            larger steps if that would be more.
        repeats: Number of subsamples of each size.
        seed: Seed of the random numbers. The same seed gives the same result with any number of jobs.
        jobs, client: As in `bootstrap`.
        companions: Learners that are measured against the same agreement, but do not change it and are not ranked. Use
            them for learners of another kind, with which little agreement would be left. If `algorithms` is None, they
            are added to the default ones.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        truth: The true graph, if known: the result then also has structural Hamming distances to it.
        compare: "types" compares the ways to join a pair, "adjacencies" ignores directions.
        progress: Progress callback, see `ProgressBar`. It counts graphs; a graph from all observations counts as many
            times as there are sizes.
        seconds: Time limit in seconds; no limit if None.

    Raises:
        InputError: If fewer than two learners work on this data.

    See also:
        `Validation`, `assess`, `phd`, docs/validation.md
    """
    data = Data.of(data)
    known = _checked_knowledge(knowledge, data)
    ranked, beside = compared_learners(data, algorithms, companions, known)
    plan = _checked_sizes(sizes, data.n)
    repeats, seed, executor = Integer(1)("repeats", repeats), SEED("seed", seed), executor_of(jobs, client)
    compare, deadline = _COMPARE("compare", compare), deadline_after(SECONDS("seconds", seconds))
    target = None if truth is None else compared(completed(truth), compare)
    settings = _Settings(data.n, plan, repeats, seed, compare, target, known)
    large = len(plan)  # halved again and again, the subsamples of one repetition have about as many rows as the whole
    total = (len(ranked) + len(beside)) * (large + len(plan) * repeats)
    with executor.open() as opened:
        learning = Learning(
            data, isolating_constants(data, known), seed, opened, part_of(progress, 0, total, large), deadline
        )
        learners, stopped = _learn_from_all(learning, list(ranked.items()), list(beside.items()))
        _check_able(learners, seconds)
        able = [learner for learner in learners if learner.result is not None]
        outcomes: dict[int, Result | Missing] = {}
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
        raise Interrupted("intersection-validation was stopped; .result has the results so far", found) from None
    return _found(settings, learners, outcomes, not in_time or any(learner.late for learner in learners))


def _learn_from_all(
    learning: Learning, ranked: list[tuple[str, Algorithm]], companions: list[tuple[str, Algorithm]]
) -> tuple[list[Learner], bool]:
    """Each algorithm with what became of it, and whether an interrupt came when two at least had learned."""
    outcomes: dict[int, Result | Missing] = {}
    stopped = False
    try:
        learning.from_all([*ranked, *companions], outcomes)
    except KeyboardInterrupt:
        if sum(isinstance(outcomes.get(i), Result) for i in range(len(ranked))) < 2:
            raise
        stopped = True
    missing = Missing("stopped", STOPPED) if stopped else Missing("out of time", NO_TIME)
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
    raise InputError(f"algorithms: an agreement needs two learners that work on this data, but {why}{remedy}")


@dataclass(frozen=True)
class _Settings:
    n: int
    sizes: tuple[int, ...]
    repeats: int
    seed: int
    compare: Compare
    truth: PDAG | None
    knowledge: Knowledge | None


def _found(
    settings: _Settings, learners: Sequence[Learner], outcomes: Mapping[int, Result | Missing], interrupted: bool
) -> Validation:
    """The distances of what was learned from subsamples, in the order of `Learning.from_subsamples`."""
    able = [learner for learner in learners if learner.result is not None]
    sizes, compare, truth = settings.sizes, settings.compare, settings.truth
    agreement = PartialGraph.agreement([compared(x.cpdag, compare) for x in able if not x.companion])
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
            if isinstance(outcome, Missing):
                failures.append(Failure(learner.label, sizes[s], r, outcome.why))
                continue
            graph = compared(completed(outcome.graph), compare)
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
        knowledge=settings.knowledge,
    )


def _checked_knowledge(knowledge: Knowledge | None, data: Data) -> Knowledge | None:
    """What is known, if it says anything; of variables that are there."""
    checked: Knowledge | None = KNOWLEDGE("knowledge", knowledge)
    if checked is None or checked == Knowledge():
        return None
    checked.bind(data.names)
    return checked


def _checked_sizes(sizes: Sequence[int] | None, n: int) -> tuple[int, ...]:
    if n < 4:
        raise InputError(f"data: {n} observations are too few to draw subsamples from")
    if sizes is None:
        return default_sizes(n)
    if not sizes:
        raise InputError("sizes: give at least one size, or None for N/2, N/4, ...")
    below_all = Integer(1, n - 1)
    return tuple(sorted({below_all("sizes", size) for size in sizes}, reverse=True))
