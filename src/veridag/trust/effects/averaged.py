"""`averaged_effect`: an effect over many graphs that the data supports, with what they do not agree on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from veridag.checks import PROGRESS, Integer
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Interrupted, Progress
from veridag.search import Algorithm
from veridag.trust.averages.average import oriented
from veridag.trust.constants import isolating_constants
from veridag.trust.defaults import learner_or_default
from veridag.trust.seeds import nth_seed, seed_number
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor, run_pieces

from .adjusting import Member, disturbing, members_at
from .averaged_results import AveragedEffect, GraphEffects
from .effect import LEVEL, checked_design, contrast_values, pairs
from .question import Question, Value
from .results import Contrast, Estimated
from .sample import Sample
from .sources import Source, graphs_of, ruled_out

if TYPE_CHECKING:
    from distributed import Client


def averaged_effect(
    data: Data | Any,
    x: str,
    y: str,
    source: Source = "bootstrap",
    *,
    values: Sequence[Value] | None = None,
    outcome: str | None = None,
    algorithm: Algorithm | None = None,
    knowledge: Knowledge | None = None,
    repeats: int = 200,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
) -> AveragedEffect:
    """Estimate the effect of x on y over many graphs, instead of taking one graph as certain.

    A class contributes all its possible effects, each with the share of its DAGs (see `possible_effects`); it is the
    interventional class if variables were set in some rows. Directions come from the data and from knowledge. If a
    score for mixed data rules out arcs from continuous to discrete variables, that does not count as knowledge: such
    directions stay open, and a note says so. Each graph has its own rows, drawn with replacement, so the distribution
    contains the uncertainty of graph, direction and estimate. The mean is over graphs. An interrupt carries `.result`
    from the graphs so far.

    Args:
        data: The table: a `Data` or a data frame.
        x: The cause: the variable that is set.
        y: The outcome variable.
        source: Where the graphs come from. ``"bootstrap"`` learns a class from each of `repeats` bootstrap samples, and
            estimates the effects from the same sample. Draws of `sample_posterior` or `posterior`: at most `repeats` of
            them, spread evenly. Or DAGs and PDAGs, each with the same weight.
        values, outcome: As in `effect`.
        algorithm: The learner for ``"bootstrap"``; the default of `learn` if None.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        repeats: Number of bootstrap samples or draws.
        level, seed, jobs, client, progress: As in `effect`.

    See also:
        `effect`, `possible_effects`, `sample_posterior`, docs/effects.md
    """
    data = Data.of(data)
    question = Question.of(data, None, x, y, values, outcome)
    repeats, level = Integer(1)("repeats", repeats), LEVEL("level", level)
    executor, progress = executor_of(jobs, client), PROGRESS("progress", progress)
    contrast = _contrast(question, Sample.of(data, question.names))
    if contrast.baseline is not None and contrast.value is not None:  # the same in all samples, whatever they hold
        question = replace(question, values=(contrast.baseline, contrast.value))
    graphs, notes = (None, ()) if isinstance(source, str) else graphs_of(source, data, repeats, seed)
    if graphs is None and source != "bootstrap":
        raise InputError(f"source={source!r} must be 'bootstrap', draws from a posterior, or graphs")
    if graphs is not None and (algorithm is not None or knowledge is not None):
        raise InputError("algorithm and knowledge are for source='bootstrap': leave them out")
    count = repeats if graphs is None else len(graphs)
    learner = learner_or_default(algorithm, data, knowledge) if graphs is None else None
    known = isolating_constants(data, knowledge) or Knowledge()
    notes = notes if learner is None else ruled_out(data, learner.criterion)
    task = _OneGraph(data, question, seed, count, learner or graphs or (), known)
    done: dict[int, GraphEffects | None] = {}

    def result() -> AveragedEffect:
        return AveragedEffect.of(question, contrast, [done[i] for i in sorted(done)], level, seed, notes)

    try:
        run_pieces(task, count, executor, done, describe=lambda i: f"graph {i + 1} of {count}", progress=progress)
    except KeyboardInterrupt:
        if not done:
            raise
        raise Interrupted("the averaging was stopped; .result has the graphs that were done", result()) from None
    return result()


@dataclass(frozen=True)
class _OneGraph:
    """The effects in one graph, which is learned from a bootstrap sample unless graphs are given."""

    data: Data
    question: Question
    seed: int
    count: int
    source: Algorithm | Sequence[DAG | PDAG]
    known: Knowledge

    def __call__(self, i: int, heartbeat: Progress) -> GraphEffects | None:
        heartbeat("graph", i, self.count, {})
        for_rows, for_search = nth_seed(self.seed, i).spawn(2)
        rows = self.data.resample(for_rows)
        if not isinstance(self.source, Algorithm):
            return _of_graph(rows, self.source[i], self.question)
        try:
            found = self.source.learn(rows, self.known, seed_number(for_search), heartbeat)
        except InputError as error:
            raise InputError(f"repeat {i + 1} of {self.count}: {error}") from error
        return _of_graph(rows, oriented(found.graph, self.known, found.targets), self.question)


def _contrast(question: Question, sample: Sample) -> Contrast:
    base, value = pairs(question, sample)[0]
    return Contrast(base, value, question.outcomes(sample)[0][0], Estimated(0.0), None)


def _of_graph(rows: Data, graph: DAG | PDAG, question: Question) -> GraphEffects | None:
    """The effects in the DAGs of a graph; none if it stands for no DAG, or its effects cannot be estimated."""
    if isinstance(graph, PDAG) and graph.why_invalid() is not None:
        return None
    members = members_at(graph, question.x, question.y, "optimal")
    total = sum(member.dags for member in members)
    known: dict[tuple[str, ...] | None, float] = {None: 0.0}
    for member in members:
        if member.adjustment not in known:
            known[member.adjustment] = _first(rows, graph, question, members, member.adjustment or ())
    return GraphEffects(
        tuple(known[member.adjustment] for member in members),
        tuple(member.dags / total for member in members),
        tuple(member.adjustment is not None for member in members),
    )


def _first(
    rows: Data, graph: DAG | PDAG, question: Question, members: list[Member], adjustment: tuple[str, ...]
) -> float:
    """The first contrast, with this set in the DAGs that adjust for it; NaN if no row can be used."""
    unset: tuple[str, ...] = ()
    if rows.targets is not None:
        own = [m for m in members if m.adjustment == adjustment]
        unset = disturbing(graph, own, question.x, question.y, adjustment, rows.targets.names)
        if not rows.not_set(unset).n:
            return float("nan")
    sample = Sample.of(rows, [*question.names, *adjustment], unset)
    found = checked_design(question, adjustment, sample).estimate(sample.weights).values
    column = question.outcomes(sample)[0][1]
    return float(contrast_values(question, sample, found)[0, column])
