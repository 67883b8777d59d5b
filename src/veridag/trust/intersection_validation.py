"""Intersection-validation: which learner to trust on data whose true structure nobody knows (Viinikka 2019)."""

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

    Every algorithm learns from all N observations; what all agree on, the agreement graph, stands in for the truth. The
    algorithms then learn from `repeats` subsamples, drawn without replacement and shared by all, of each of the
    `sizes`: by default N/2, N/4, ... down to the first of at most 100, and 12 sizes in larger steps if that were more.
    The closer an algorithm's graphs are to the agreement in partial Hamming distance, the better. `companions` learn
    from the same data and are measured against the same agreement, but have no part in it and no rank: for learners of
    another kind, that would leave little.

    Without `algorithms`, those that suit the data are taken, with companions of other kinds, to which the given ones
    are added: the same that the report and ``veridag validate`` take.

    All obey the `knowledge`, and draw no arcs to or from columns that are constant in all of the data. With
    `compare="adjacencies"` directions are left out of account. With a `truth`, the structural Hamming distances to it
    are measured beside. Algorithms may come with labels, as a mapping. An algorithm that fails is reported, not fatal,
    as long as two are left. The result depends on the seed; `jobs` and `client` are as for `bootstrap`. `progress` is
    called, as `veridag.progress` says, with the graphs learned and those to learn; a graph from all observations counts
    as many times as there are sizes.

    The work ends after `seconds`, or on an interrupt, and what is there is the result, marked as interrupted; an
    interrupt is raised, carrying it as `.result`. Half of the time is for learning from all of the data.
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
