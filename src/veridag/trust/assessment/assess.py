"""`assess`: which learner to take on a table, how good a choice that is, and how likely each arc is."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from veridag.checks import PROGRESS, SEED, Number, Optional
from veridag.data import Data
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Interrupted, Progress
from veridag.search import Algorithm
from veridag.search.base import KNOWLEDGE
from veridag.trust.constants import isolating_constants
from veridag.trust.intersection_validation import intersection_validation
from veridag.trust.learners import Learners, compared_learners, default_companions
from veridag.trust.validation import Validation
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor

from .assessment import Assessment
from .chances import margin_for, model_for, obeying
from .evidence import Evidence, collect
from .learners import assessed_learners, chosen_score
from .recommending import recommend

if TYPE_CHECKING:
    from distributed import Client

#: Subsamples of each size in intersection-validation.
REPEATS = 5
#: The share of the time that intersection-validation may take, if the time is bounded.
SHARE_FOR_VALIDATION = 0.6
#: How much of the whole work is intersection-validation, in hundredths, for the progress bar.
_PART_OF_VALIDATION = 70

_MINUTES = Optional(Number(above=0, example=5))


def assess(
    data: Data | Any,
    *,
    learners: Learners | None = None,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    minutes: float | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Recommend a learner for this data, say how good a choice that is, and how likely each arc is.

    The learners are compared on all of the data and by intersection-validation. Then evidence is collected for each
    pair of variables: the posterior over structures, bootstrap samples, the learners, and independence tests. A small
    model, fitted to samples of known networks, turns the evidence into the chances that a pair is joined and in which
    direction. The recommended learner is the one whose graph has the smallest expected structural Hamming distance by
    these chances, with a margin in favour of the averaged network.

    It assumes that no two variables have a common cause that is not in the table, and that the variables are of the
    kinds that they are read as. Chances and levels were calibrated with the default learners. An interrupt carries the
    assessment so far as `.result`, once the learners have learned from all of the data.

    Args:
        data: The table: a `Data` or a data frame.
        learners: The learners to choose from. If None, at least five that suit the data and differ in score or search,
            with averages over bootstrap samples and over the posterior among them.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        seed: Seed of the random numbers. The same seed gives the same result.
        jobs: Number of threads, or `Processes(n)` for n processes. The result does not depend on it.
        client: Dask client, or the address of its scheduler; the work then runs on that cluster.
        minutes: Time limit; no limit if None. With less time, there is less evidence.
        progress: Progress callback, see `ProgressBar`.

    Returns:
        The recommended learner, its level of trust, and the chances of all arcs.

    Raises:
        InputError: If fewer than two learners find a network, or the data has interventions.

    See also:
        `make_report`, `intersection_validation`, `bootstrap`, `posterior`, docs/trust.md
    """
    minutes = _MINUTES("minutes", minutes)
    seconds = None if minutes is None else 60 * minutes
    return assess_learners(
        data,
        learners,
        knowledge=knowledge,
        seed=seed,
        jobs=jobs,
        client=client,
        progress=progress,
        seconds=seconds,
    )


def assess_learners(
    data: Data | Any,
    learners: Learners | None = None,
    *,
    companions: Learners | None = None,
    truth: DAG | PDAG | None = None,
    knowledge: Knowledge | None = None,
    sizes: Sequence[int] | None = None,
    repeats: int = REPEATS,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Assessment:
    """The same with the settings of intersection-validation, which the report lets its users choose.

    The `companions` are added to those that go by tests alone, which are evidence.
    """
    data = Data.of(data)
    data.require_observational("assess", "its chances were fitted to data without; use bootstrap or posterior")
    seed, executor = SEED("seed", seed), executor_of(jobs, client)
    knowledge, progress = KNOWLEDGE("knowledge", knowledge), PROGRESS("progress", progress)
    start = time.monotonic()
    score = chosen_score(data, knowledge, executor.local_threads)
    chosen = assessed_learners(data, knowledge, score) if learners is None else learners
    compared, beside = with_tests(data, chosen, companions, knowledge)
    known = isolating_constants(data, knowledge)

    def made(validation: Validation, evidence: Evidence, interrupted: bool = False) -> Assessment:
        return assessed(validation, evidence, known, time.monotonic() - start, interrupted)

    with executor.open() as opened:
        try:
            validation = intersection_validation(
                data,
                compared,
                sizes,
                repeats,
                seed,
                opened,
                companions=beside,
                knowledge=knowledge,
                truth=truth,
                progress=hundredths(progress, 0, _PART_OF_VALIDATION),
                seconds=None if seconds is None else SHARE_FOR_VALIDATION * seconds,
            )
        except Interrupted as stop:
            votes = collect(data, stop.result.learners, score, known, seed, deadline=start)
            stop.result = made(stop.result, votes, interrupted=True)
            raise
        try:
            evidence = collect(
                data,
                validation.learners,
                score,
                known,
                seed,
                opened,
                hundredths(progress, _PART_OF_VALIDATION, 100),
                None if seconds is None else start + seconds,
            )
        except KeyboardInterrupt:
            votes = collect(data, validation.learners, score, known, seed, deadline=start)
            rest = made(validation, votes, interrupted=True)
            raise Interrupted("the assessment was stopped; .result is what is known so far", rest) from None
    return made(validation, evidence)


def assessed(
    validation: Validation, evidence: Evidence, knowledge: Knowledge | None, seconds: float, interrupted: bool = False
) -> Assessment:
    """The assessment that follows from a comparison of learners and the evidence."""
    chances = obeying(model_for(evidence.kind).chances(evidence), knowledge)
    graphs = {x.label: validation.directed(x) for x in validation.ranked}
    recommended = recommend(graphs, chances, margin_for(evidence.kind))
    return Assessment(validation, recommended, chances, evidence, seconds, interrupted)


def with_tests(
    data: Data, learners: Learners, companions: Learners | None, knowledge: Knowledge | None
) -> tuple[dict[str, Algorithm], dict[str, Algorithm]]:
    """The learners to choose from, and those that are compared with them, by label.

    A learner that uses tests is always compared, unless one of the same label is ranked.
    """
    ranked, beside = compared_learners(data, learners, companions, knowledge)
    testing = {label: each for label, each in companions_with_tests(data, knowledge).items() if label not in ranked}
    return ranked, testing | beside


def companions_with_tests(data: Data, knowledge: Knowledge | None) -> Mapping[str, Algorithm]:
    """The default learners that use only tests. Their graphs are evidence too."""
    every = default_companions(data, knowledge)
    return {label: each for label, each in every.items() if not hasattr(each, "score")}


def hundredths(progress: Progress | None, first: int, last: int) -> Progress | None:
    """The progress of a part, from one hundredth of the whole to another."""
    if progress is None:
        return None
    return lambda what, done, total, extra: progress(
        what, first + (round((last - first) * done / total) if total else 0), 100, extra
    )
