"""`effect`: an average or conditional causal effect from data, in a graph that identifies it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from veridag.checks import PROGRESS, Integer, Number
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG, PDAG
from veridag.network import Network
from veridag.progress import Interrupted, Progress
from veridag.search.result import Result
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor

from .adjusting import disturbing, identified_set, members_at, observed_set
from .estimating import Design
from .question import Question, Value, check_variable
from .resampling import replicates
from .results import Contrast, Effect, Estimated, Level
from .sample import Floats, Sample
from .support import given_notes, left_out_notes, repeat_notes, small_notes, why_unsupported

if TYPE_CHECKING:
    from distributed import Client

LEVEL = Number(above=0, below=1, example=0.95)


def effect(
    data: Data | Any,
    graph: DAG | PDAG,
    x: str,
    y: str,
    *,
    values: Sequence[Value] | None = None,
    outcome: str | None = None,
    given: Mapping[str, Value] | None = None,
    adjustment: str | Iterable[str] = "optimal",
    repeats: int = 200,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
) -> Effect:
    """Estimate the causal effect of x on y, if the graph is right and contains all common causes.

    For a discrete x, the result has P(y | do(x)), or the mean of a continuous y, for every observed state of x, with
    differences and, for probabilities, ratios to the first state. For a continuous x, it has the slope: the change of
    the mean of y per unit of x. If y is discrete, that is the change of the probability of a state in a linear
    probability model. ``veridag.trust.effects.estimating`` describes the estimators.

    The intervals come from bootstrap samples and take the graph as given. Rows with missing values in the variables
    needed are left out, and so are strata in which x does not take the compared values; a note says so. In data with
    interventions, rows are left out in which y was set, or a variable other than x that y, the adjustment set or
    `given` depends on. Rows in which x itself was set are used. An interrupt carries `.result`, with intervals from
    the samples so far.

    Args:
        data: The table: a `Data` or a data frame.
        graph: The network structure. A PDAG is accepted if all its DAGs have the same effect.
        x: The cause: the variable that is set.
        y: The outcome variable.
        values: Two values of x to compare, such as ``("no", "yes")`` or ``(40, 50)``. If None, all states of a discrete
            x, or the slope of a continuous one.
        outcome: The state of a discrete y. If None: of two states the last, otherwise all, the last one first.
        given: Values of variables that are not effects of x, such as ``{"sex": "f"}``: the effect among these rows.
        adjustment: ``"optimal"`` is the valid set with the smallest asymptotic variance (Henckel, Perkovic and Maathuis
            2022), or the smallest valid set of columns if the data lacks one of them. ``"parents"`` are the parents of
            x. Or names, which must be a valid adjustment set.
        repeats: Number of bootstrap samples for the intervals.
        level: Coverage of the intervals.
        seed: Seed of the random numbers. The same seed gives the same result.
        jobs: Number of threads, or `Processes(n)` for n processes. The result does not depend on it.
        client: Dask client, or the address of its scheduler; the work then runs on that cluster.
        progress: Progress callback, see `ProgressBar`.

    Raises:
        InputError: If the DAGs of a PDAG have different effects (use `possible_effects`), or no valid adjustment set
            exists.

    See also:
        `possible_effects`, `averaged_effect`, docs/effects.md
    """
    data = Data.of(data)
    question = Question.of(data, checked_graph(graph), x, y, values, outcome, given)
    repeats, level = Integer(0)("repeats", repeats), LEVEL("level", level)
    executor, progress = executor_of(jobs, client), PROGRESS("progress", progress)
    fixed = [name for name, _ in question.given]
    chosen = identified_set(graph, x, y, adjustment, fixed)
    instead: tuple[str, ...] = ()
    if adjustment == "optimal" and chosen is not None:
        chosen, instead = observed_set(graph, x, y, chosen, fixed, data.names)
    for name in chosen or ():
        check_variable("adjustment", name, data, graph)
    if chosen is None:
        return without_effect(question, Sample.of(data, question.names), level, seed)
    sample = Sample.of(data, [*question.names, *chosen], _unset(data, graph, question, (*fixed, *chosen)))
    design = checked_design(question, chosen, sample)
    estimate = design.estimate(sample.weights)
    found = estimate.values
    if np.isnan(found).any():
        raise InputError(why_unsupported(design))
    support = (*small_notes(estimate), *left_out_notes(design, estimate))
    notes = (*instead, *sample.notes, *given_notes(design), *support)
    done: dict[int, Floats] = {}
    try:
        replicates(design.values, sample, repeats, seed, executor, done, progress)
    except KeyboardInterrupt:
        partial = _result(design, found, done, level, seed, notes)
        raise Interrupted("the bootstrap was stopped; .result has the samples that were done", partial) from None
    return _result(design, found, done, level, seed, notes)


def _unset(data: Data, graph: DAG | PDAG, question: Question, used: tuple[str, ...]) -> tuple[str, ...]:
    """What must not be set in the rows that are used."""
    if data.targets is None:
        return ()
    x, y = question.x, question.y
    return disturbing(graph, members_at(graph, x, y, "optimal"), x, y, used, data.targets.names)


def checked_graph(graph: object) -> DAG | PDAG:
    """The graph, if it is one of which effects can be asked."""
    if not isinstance(graph, DAG | PDAG):
        hint = ""
        if isinstance(graph, Result):
            hint = ": .cpdag has the class it found, with the directions that the data leaves open"
        elif isinstance(graph, Network):
            hint = ": a network has one, .dag"
        raise InputError(f"graph: a DAG or a PDAG is needed, not a {type(graph).__name__}{hint}")
    return graph


def checked_design(question: Question, adjustment: tuple[str, ...], sample: Sample) -> Design:
    """The design, unless it conditions on a number where only strata can be looked at."""
    numbers = [name for name, _ in question.given if name not in sample.states]
    discrete = [v for v in (question.x, *adjustment) if v in sample.states]
    if numbers and (discrete or any(name in sample.states for name, _ in question.given)):
        raise InputError(
            f"given: {numbers[0]!r} is continuous and {(discrete or [question.given[0][0]])[0]!r} discrete, and rows "
            f"with exactly one value of {numbers[0]!r} are too few: discretize it"
        )
    return Design(question, tuple(v for v in adjustment if v not in dict(question.given)), sample)


def without_effect(question: Question, sample: Sample, level: float, seed: int) -> Effect:
    """The answer where no directed path leads from x to y: that follows from the graph, and has no interval."""
    zero, one = Estimated(0.0), Estimated(1.0)
    contrasts = [
        Contrast(base, value, outcome, zero, None if outcome is None or question.x_is_continuous(sample) else one)
        for outcome, _ in question.outcomes(sample)
        for base, value in pairs(question, sample)
    ]
    return Effect(question, None, (), tuple(contrasts), sample.n, 0, level, seed, sample.notes)


def pairs(question: Question, sample: Sample) -> list[tuple[Value | None, Value | None]]:
    """The values of x that are compared."""
    if question.x_is_continuous(sample):
        return [(None, None)] if question.values is None else [question.values]
    first, *others = question.compared(sample)
    return [(first, other) for other in others]


def contrast_values(question: Question, sample: Sample, found: Floats) -> Floats:
    """The differences from what `Design.estimate` gives, [pair, column]; slopes for the distance of the values."""
    if question.x_is_continuous(sample):
        if question.values is None:
            return found
        first, second = (float(value) for value in question.values)
        return found * (second - first)
    return found[1:] - found[:1]


def _result(
    design: Design, found: Floats, done: Mapping[int, Floats], level: float, seed: int, notes: tuple[str, ...]
) -> Effect:
    question, sample = design.question, design.sample
    drawn = np.array([done[i] for i in sorted(done)]).reshape(len(done), *found.shape)
    notes = (*notes, *repeat_notes(len(done)))
    failed = int(np.isnan(drawn).any(axis=(1, 2)).sum())
    if failed:
        notes = (*notes, f"{failed} of {len(done)} bootstrap samples have no stratum to compare in, and are left out")
    differences = contrast_values(question, sample, found)
    drawn_differences = np.array([contrast_values(question, sample, one) for one in drawn])
    contrasts, levels = [], []
    is_slope = question.x_is_continuous(sample)
    for outcome, k in question.outcomes(sample):
        for i, (base, value) in enumerate(pairs(question, sample)):
            difference = interval(differences[i, k], drawn_differences[:, i, k] if done else (), level)
            ratio = None
            if outcome is not None and not is_slope:
                with np.errstate(invalid="ignore", divide="ignore"):
                    ratio = interval(found[i + 1, k] / found[0, k], drawn[:, i + 1, k] / drawn[:, 0, k], level)
            contrasts.append(Contrast(base, value, outcome, difference, ratio))
        if not is_slope:
            for i, state in enumerate(question.compared(sample)):
                levels.append(Level(state, outcome, interval(found[i, k], drawn[:, i, k], level)))
    return Effect(question, design.adjustment, tuple(levels), tuple(contrasts), sample.n, len(done), level, seed, notes)


def interval(value: float, drawn: Floats | Sequence[float], level: float) -> Estimated:
    """An estimate with the quantiles of those from bootstrap samples, if there are at least two."""
    kept = np.asarray(drawn, dtype=np.float64)
    kept = kept[~np.isnan(kept)]
    if len(kept) < 2:
        return Estimated(float(value))
    low, high = np.quantile(
        kept, [(1 - level) / 2, (1 + level) / 2], method="linear" if np.isfinite(kept).all() else "nearest"
    )
    return Estimated(float(value), float(low), float(high))
