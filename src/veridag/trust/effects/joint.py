"""The effects of several variables set together, over the DAGs of a class, in linear Gaussian models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from veridag import _core
from veridag.data import Data
from veridag.display import aligned, paragraph, table
from veridag.errors import InputError
from veridag.graph import DAG, PDAG
from veridag.graph.matrices import Matrix, closure
from veridag.graph.members.counting import closed_matrix, count_members
from veridag.graph.members.orienting import orientations_at
from veridag.progress import Interrupted, Progress
from veridag.work.pieces import Executor

from .effect import interval
from .question import check_variable
from .resampling import replicates
from .results import Estimated
from .sample import Floats, Sample
from .support import repeat_notes


class PossibleJointEffect(NamedTuple):
    """The slopes of y if all x are set, in the DAGs in which each x has the same parents.

    Attributes:
        estimates: The slope for each x.
        dags: Number of these DAGs.
        share: Their share in the class.
        parents: The parents of each x in them.

    See also:
        `possible_effects`, docs/effects.md
    """

    estimates: tuple[Estimated, ...]
    dags: int
    share: float
    parents: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, repr=False)
class PossibleJointEffects:
    """The result of `possible_effects` with ``method="joint"``, ordered by the slope of the first x.

    Attributes:
        x: The variables that are set together.
        y: The outcome variable.
        effects: The slopes, one entry for each combination of parents.
        class_size: Number of DAGs in the class.
        n: Number of observations used.
        repeats: Number of bootstrap samples.
        level: Coverage of the intervals.
        seed: The seed.
        notes: What was left out or assumed.

    See also:
        `possible_effects`, docs/effects.md
    """

    x: tuple[str, ...]
    y: str
    effects: tuple[PossibleJointEffect, ...]
    class_size: int
    n: int
    repeats: int
    level: float
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """The smallest and the largest slope of each x."""
        columns = zip(*([e.value for e in own.estimates] for own in self.effects), strict=True)
        return tuple((min(column), max(column)) for column in columns)

    @property
    def sentence(self) -> str:
        """The range for each x, in words."""
        ranges = [
            f"{low:+.4g} for {x}" if np.isclose(low, high, rtol=1e-9, atol=0) else f"{low:+.4g} to {high:+.4g} for {x}"
            for x, (low, high) in zip(self.x, self.bounds, strict=True)
        ]
        return (
            f"If {', '.join(self.x)} are set together, one unit more changes the mean of {self.y}, over the "
            f"{self.class_size} DAGs of the class, by {', '.join(ranges)}."
        )

    def _rows(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        head = (*self.x, "DAGs", "share", *(f"parents of {x}" for x in self.x))
        return head, [
            (*map(str, e.estimates), str(e.dags), f"{e.share:.3g}", *(", ".join(p) or "none" for p in e.parents))
            for e in self.effects
        ]

    def __str__(self) -> str:
        head, rows = self._rows()
        return "\n".join([self.sentence, aligned([head, *rows]), *self.notes])

    def _repr_html_(self) -> str:
        return paragraph(self.sentence) + table(*self._rows()) + "".join(map(paragraph, self.notes))

    def __repr__(self) -> str:
        return f"<PossibleJointEffects of {', '.join(self.x)} on {self.y}: {len(self.effects)}>"


class _Ways(NamedTuple):
    """DAGs in which each x has the same parents; `dag` is one of them."""

    parents: tuple[frozenset[int], ...]
    dag: Matrix
    dags: int


def joint_effects(
    data: Data,
    graph: DAG | PDAG,
    x: Sequence[str],
    y: str,
    repeats: int,
    level: float,
    seed: int,
    executor: Executor,
    progress: Progress | None,
) -> PossibleJointEffects:
    """The slopes of y if all x are set, in all DAGs of a class (Nandy, Maathuis and Richardson 2017)."""
    for argument, name in (*(("x", name) for name in x), ("y", y)):
        check_variable(argument, name, data, graph)
    if len({*x, y}) < len(x) + 1 or not x:
        raise InputError(f"x={list(x)!r}, y={y!r}: method='joint' needs one or more x, each once, and another y")
    ways = _ways(graph, [graph.index(name) for name in x])
    used = sorted({graph.names[p] for way in ways for own in way.parents for p in own} | {*x, y})
    for name in used:
        check_variable("graph", name, data, graph)
        if name in data.states:
            raise InputError(f"data: {name!r} is discrete, and method='joint' is for continuous variables")
    sample = Sample.of(data, used, _unset(data, graph, used))
    columns = np.column_stack([np.asarray(sample.columns[name]) for name in used])
    at = {graph.index(name): k for k, name in enumerate(used)}
    xs = [graph.index(name) for name in x]
    slopes = _Slopes(columns, at, xs, graph.index(y), ways)
    found = slopes(sample.weights)
    done: dict[int, Floats] = {}

    def result() -> PossibleJointEffects:
        return _result(graph, tuple(x), y, ways, found, done, sample, level, seed)

    try:
        replicates(slopes, sample, repeats, seed, executor, done, progress)
    except KeyboardInterrupt:
        raise Interrupted("the bootstrap was stopped; .result has the samples that were done", result()) from None
    return result()


@dataclass(frozen=True)
class _Slopes:
    """The slopes in all DAGs, from weighted rows."""

    columns: Floats
    at: Mapping[int, int]
    xs: list[int]
    y: int
    ways: list[_Ways]

    def __call__(self, weights: Floats) -> Floats:
        covariance = np.cov(self.columns, rowvar=False, aweights=weights, ddof=0)
        return np.array([_slopes(covariance, self.at, self.xs, self.y, way) for way in self.ways])


def _unset(data: Data, graph: DAG | PDAG, used: Sequence[str]) -> tuple[str, ...]:
    """What must not be set in the rows that are used: these variables, and whatever may be a cause of them."""
    if data.targets is None:
        return ()
    a = graph.adjacency if isinstance(graph, DAG) else closed_matrix(graph, "graph")
    above = {graph.names[i] for i in closure({graph.index(name) for name in used}, a.T)}
    return tuple(name for name in data.targets.names if name in above or name not in graph.names)


def _ways(graph: DAG | PDAG, xs: list[int]) -> list[_Ways]:
    """The sets of parents that the x have together: those of one after the other, in what the former leave open."""
    graphs = [graph.adjacency if isinstance(graph, DAG) else closed_matrix(graph, "graph")]
    for x in xs:
        graphs = [o.graph for a in graphs for o in orientations_at(a, x, graph.names[x])]
    ways = []
    for a in graphs:
        dag = _core.extend(a)[0]
        parents = tuple(frozenset(np.flatnonzero(dag[:, x]).tolist()) for x in xs)
        ways.append(_Ways(parents, dag, count_members(a)))
    return ways


def _slopes(covariance: Floats, at: Mapping[int, int], xs: list[int], y: int, way: _Ways) -> Floats:
    """The slopes of y if all x are set, from the covariance and the parents of each x.

    If x is set to an independent xi of variance 1, every variable v becomes v + t_v (xi - x), where t_v is the total
    effect of x on v: the coefficient of x in the regression of v on x and its parents, 0 for what is no descendant of
    x, and 1 for x itself. That is done for one x after the other, and the x are then independent of all but their
    effects.
    """
    s = covariance
    for x, parents in zip(xs, way.parents, strict=True):
        regressors = [at[x], *(at[p] for p in sorted(parents))]
        below = sorted(at[v] for v in closure({x}, way.dag) if v in at and v != x)
        t = np.zeros(len(s))
        t[at[x]] = 1.0
        if below:
            t[below] = np.linalg.lstsq(s[np.ix_(regressors, regressors)], s[np.ix_(regressors, below)], rcond=None)[0][
                0
            ]
        change = np.eye(len(s))
        change[:, at[x]] -= t
        s = change @ s @ change.T + np.outer(t, t)
    own = [at[x] for x in xs]
    return np.asarray(np.linalg.solve(s[np.ix_(own, own)], s[own, at[y]]))


def _result(
    graph: DAG | PDAG,
    x: tuple[str, ...],
    y: str,
    ways: list[_Ways],
    found: Floats,
    done: Mapping[int, Floats],
    sample: Sample,
    level: float,
    seed: int,
) -> PossibleJointEffects:
    drawn = np.array([done[i] for i in sorted(done)]).reshape(len(done), *found.shape)
    total = sum(way.dags for way in ways)
    effects = [
        PossibleJointEffect(
            tuple(interval(found[k, i], drawn[:, k, i], level) for i in range(len(x))),
            way.dags,
            way.dags / total,
            tuple(tuple(sorted(graph.names[p] for p in own)) for own in way.parents),
        )
        for k, way in enumerate(ways)
    ]
    effects.sort(key=lambda e: ([own.value for own in e.estimates], e.parents))
    notes = (*sample.notes, *repeat_notes(len(done)))
    return PossibleJointEffects(x, y, tuple(effects), total, sample.n, len(done), level, seed, notes)
