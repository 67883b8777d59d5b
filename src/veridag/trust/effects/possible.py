"""`possible_effects`: the effects of x on y that the DAGs of a class have, without listing the DAGs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from veridag.checks import PROGRESS, Integer, OneOf
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG, PDAG
from veridag.progress import Interrupted, Progress
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor

from .adjusting import Member, Strategy, disturbing, members_at
from .effect import LEVEL, checked_design, checked_graph, contrast_values, interval, pairs
from .estimating import Design
from .joint import PossibleJointEffects, joint_effects
from .possible_results import PossibleEffect, PossibleEffects, settling_edges
from .question import Question, Value, check_variable
from .resampling import replicates
from .results import Contrast, Estimated, in_words
from .sample import Floats, Sample
from .support import left_out_notes, repeat_notes, small_notes, why_unsupported

if TYPE_CHECKING:
    from distributed import Client

Method = Literal["optimal", "local"]

_STRATEGY: dict[str, Strategy] = {"optimal": "optimal", "local": "parents"}


@overload
def possible_effects(
    data: Data | Any,
    graph: DAG | PDAG,
    x: str,
    y: str,
    *,
    method: Method = "optimal",
    values: Sequence[Value] | None = None,
    outcome: str | None = None,
    repeats: int = 200,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
) -> PossibleEffects: ...
@overload
def possible_effects(
    data: Data | Any,
    graph: DAG | PDAG,
    x: Sequence[str],
    y: str,
    *,
    method: Literal["joint"],
    repeats: int = 200,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
) -> PossibleJointEffects: ...
def possible_effects(
    data: Data | Any,
    graph: DAG | PDAG,
    x: str | Sequence[str],
    y: str,
    *,
    method: Method | Literal["joint"] = "optimal",
    values: Sequence[Value] | None = None,
    outcome: str | None = None,
    repeats: int = 200,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
) -> PossibleEffects | PossibleJointEffects:
    """Compute the effects of x on y in all DAGs of a class, each with the number of DAGs that have it.

    The DAGs are grouped by the parents of x, which determine the effect, and counted without listing them. Each effect
    is the first contrast that `effect` would show. The intervals come from bootstrap samples, the same for all. A graph
    without undirected edges at x has one effect. A PDAG that knowledge has directed further represents the DAGs that
    satisfy it. With interventions, the rows are those that `effect` would use in each of the DAGs; for ``"joint"``,
    those in which neither these variables nor their causes were set.

    Args:
        data: The table: a `Data` or a data frame.
        graph: The class, such as a CPDAG.
        x: The cause; with ``method="joint"``, several causes that are set together.
        y: The outcome variable.
        method: ``"optimal"`` adjusts for the optimal set of each group of DAGs (Witte, Henckel, Maathuis and Didelez
            2020), and gives exactly 0 if no directed path leads from x to y. ``"local"`` adjusts for the parents of x
            (IDA; Maathuis, Kalisch and Bühlmann 2009), and gives exactly 0 if y is one of them. ``"joint"``, for linear
            Gaussian models, gives the slope of y for each x while the others are held fixed (Nandy, Maathuis and
            Richardson 2017).
        values, outcome: As in `effect`.
        repeats: Number of bootstrap samples for the intervals.
        level, seed, jobs, client, progress: As in `effect`.

    See also:
        `effect`, `averaged_effect`, docs/effects.md
    """
    data = Data.of(data)
    checked_graph(graph)
    method = OneOf(("optimal", "local", "joint"))("method", method)
    repeats, level = Integer(0)("repeats", repeats), LEVEL("level", level)
    executor, progress = executor_of(jobs, client), PROGRESS("progress", progress)
    if method == "joint":
        if values is not None or outcome is not None:
            raise InputError("values and outcome: method='joint' gives slopes of continuous variables: leave them out")
        several = (x,) if isinstance(x, str) else tuple(x)
        return joint_effects(data, graph, several, y, repeats, level, seed, executor, progress)
    if not isinstance(x, str):
        raise InputError(f"x={x!r} must be one variable: for several that are set together, method='joint'")
    question = Question.of(data, graph, x, y, values, outcome)
    members = members_at(graph, x, y, _STRATEGY[method])
    estimates = _Estimates(data, graph, question, members)
    done: dict[int, Floats] = {}
    try:
        replicates(estimates.values, estimates.sample, repeats, seed, executor, done, progress)
    except KeyboardInterrupt:
        partial = estimates.result(graph, method, done, level, seed)
        raise Interrupted("the bootstrap was stopped; .result has the samples that were done", partial) from None
    return estimates.result(graph, method, done, level, seed)


class _Estimates:
    """One estimate for each different set to adjust for, from the same rows."""

    def __init__(self, data: Data, graph: DAG | PDAG, question: Question, members: list[Member]) -> None:
        self.question, self.members = question, members
        self.sets = list(dict.fromkeys(m.adjustment for m in members if m.adjustment is not None))
        names = {name for own in self.sets for name in own}
        for name in sorted(names):
            check_variable("graph", name, data, graph)
        unset: tuple[str, ...] = ()
        if data.targets is not None:
            telling = [m for m in members if m.adjustment is not None]
            unset = disturbing(graph, telling, question.x, question.y, names, data.targets.names) if telling else ()
        self.sample = Sample.of(data, {*question.names, *names}, unset)
        self.designs: list[Design] = [checked_design(question, own, self.sample) for own in self.sets]
        self.column = question.outcomes(self.sample)[0][1]
        self.found = self.values(self.sample.weights)
        self.notes = (*self.sample.notes, *self._support())
        for design, value in zip(self.designs, self.found, strict=True):
            if np.isnan(value):
                shown = ", ".join(design.adjustment) or "nothing"
                where = in_words("some DAGs of the class", "some versions of the network")
                raise InputError(f"{why_unsupported(design)}; in {where} {shown} is adjusted for")

    def _support(self) -> tuple[str, ...]:
        """What the data does not support, of the worst set."""
        each = [(design, design.estimate(self.sample.weights)) for design in self.designs]
        if not each:
            return ()
        smallest = min((estimate for _, estimate in each), key=lambda own: own.smallest)
        return (*small_notes(smallest), *left_out_notes(*min(each, key=lambda own: own[1].share)))

    def values(self, weights: Floats) -> Floats:
        """The first contrast with each set."""
        found = [design.estimate(weights).values for design in self.designs]
        first = [contrast_values(self.question, self.sample, own)[0, self.column] for own in found]
        return np.array(first, dtype=np.float64)

    def result(
        self, graph: DAG | PDAG, method: Method, done: Mapping[int, Floats], level: float, seed: int
    ) -> PossibleEffects:
        drawn = np.array([done[i] for i in sorted(done)]).reshape(len(done), len(self.sets))
        estimated: dict[tuple[str, ...] | None, Estimated] = {
            own: interval(self.found[k], drawn[:, k], level) for k, own in enumerate(self.sets)
        }
        estimated[None] = Estimated(0.0)  # by the graph alone
        total = sum(m.dags for m in self.members)
        effects = [
            PossibleEffect(estimated[m.adjustment], m.dags, m.dags / total, m.parents, m.adjustment)
            for m in self.members
        ]
        order = sorted(range(len(effects)), key=lambda i: (effects[i].value, effects[i].parents))
        base, value = pairs(self.question, self.sample)[0]
        outcome = self.question.outcomes(self.sample)[0][0]
        contrast = Contrast(base, value, outcome, Estimated(0.0), None)
        return PossibleEffects(
            question=self.question,
            contrast=contrast,
            effects=tuple(effects[i] for i in order),
            class_size=total,
            method=method,
            settled_by=settling_edges(graph, self.members, [e.value for e in effects]),
            n=self.sample.n,
            repeats=len(done),
            level=level,
            seed=seed,
            notes=(*self.notes, *repeat_notes(len(done))),
        )
