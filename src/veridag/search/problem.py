"""A search problem in the form of the C++ core: data, score, prior and knowledge together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.criteria.priors.base import Prior
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge

from .result import Result

Matrix = NDArray[np.bool_]
Ties = Literal["data", "columns"]
Floats = NDArray[np.float64]

#: Scores that differ by less than this share of their size tie, as in the core.
TIE = 1e-9

_shared: ContextVar[dict[object, _core.Scorer] | None] = ContextVar("shared", default=None)


def is_higher(score: float, other: float) -> bool:
    """Whether a score is higher than another and does not tie with it."""
    return score > other + TIE * max(1.0, abs(other))


@contextmanager
def sharing_scores() -> Iterator[None]:
    """Searches inside, with the same data, score, prior and knowledge, score no family twice."""
    if _shared.get() is not None:
        yield
        return
    token = _shared.set({})
    try:
        yield
    finally:
        _shared.reset(token)


def _bound_scorer(data: Data, score: Score, prior: Prior, knowledge: Knowledge) -> _core.Scorer:
    shared = _shared.get()
    if shared is None:
        return score.bind(data)
    key = (id(data), score, prior, knowledge)  # of the data in the order at hand
    if key not in shared:
        shared[key] = score.bind(data)
    return shared[key]


class Problem:
    """Data, score, prior and knowledge bound to each other, with the variables in an order that comes from the data.

    That order breaks ties, and makes what is learned independent of names and of the order of columns and rows. With
    `ties="columns"` it is the order of the columns instead.
    """

    def __init__(
        self,
        data: Data,
        score: Score,
        prior: Prior,
        knowledge: Knowledge,
        max_indegree: int | None,
        ties: Ties = "data",
    ) -> None:
        self.data = data if ties == "columns" else data.in_data_order()
        self.names = self.data.names
        self.columns = data.names
        self.prior = prior
        self.scorer = _bound_scorer(self.data, score, prior, knowledge)
        self._check_constants(score)
        n = len(self.names)
        bound = knowledge.bind(self.names)
        self.required, self.forbidden = bound.required, bound.forbidden
        self.knowledge = knowledge
        limit = n - 1 if max_indegree is None else min(max_indegree, n - 1)
        self.max_indegree = max(0, limit)
        self.limits = np.minimum(bound.max_indegree, self.max_indegree)
        terms = prior.terms(self.names, data.n)
        self.prior_size = terms.size
        self.prior_arc = terms.arc

    def _check_constants(self, score: Score) -> None:
        if self.data.kind == "discrete" or score.scores_constants:
            return
        for name in self.names:
            if self.data.kinds[name] == "continuous" and name in self.data.not_set(name).constants:
                where = " in the rows where it was not set" if self.data.targets is not None else ""
                raise InputError(
                    f"column {name!r} is constant{where} and its Gaussian likelihood is unbounded: leave it out, or "
                    "use BGe or BCG"
                )

    def start(self, given: DAG | None) -> Matrix:
        """The adjacency matrix of the graph to start from: the one given, or the required arcs alone."""
        adjacency = self.required if given is None else self._checked_start(given)
        most = int(adjacency.sum(axis=0).max(initial=0))
        if most > self.max_indegree:
            raise InputError(f"start: a variable has {most} parents, but max_indegree is {self.max_indegree}")
        if self._log_prior(adjacency) == -np.inf:
            raise InputError(
                f"{self.prior} gives the graph to start from probability zero: pass start=, a DAG that the prior allows"
            )
        return adjacency

    def _checked_start(self, given: DAG) -> Matrix:
        if set(given.names) != set(self.names):
            odd = sorted(set(given.names) ^ set(self.names))[0]
            raise InputError(f"start: the graph must have the data's variables, but {odd!r} is only in one of them")
        broken = self.knowledge.violations(given)
        if broken:
            raise InputError(f"start: the graph violates the knowledge: {broken[0]}")
        return given.reorder(self.names).adjacency

    def _log_prior(self, adjacency: Matrix) -> float:
        sizes = self.prior_size[np.arange(len(self.names)), adjacency.sum(axis=0)].sum()
        return float(sizes if self.prior_arc is None else sizes + self.prior_arc[adjacency].sum())

    @property
    def core(self) -> _core.SearchProblem:
        """The same as the core knows it."""
        limits = self.limits.tolist()
        return _core.SearchProblem(self.scorer, self.prior_size, self.prior_arc, self.required, self.forbidden, limits)

    def result(self, found: _core.SearchOutcome, seed: int, settings: str) -> Result:
        """What the core found as the result of a search; `learn` adds the seconds."""
        return Result(
            graph=self.dag(found.dag),
            score=found.score,
            calls=found.calls,
            distinct_calls=found.distinct_calls,
            steps=found.steps,
            seconds=0.0,
            seed=seed,
            settings=settings,
            interrupted=found.interrupted,
        )

    def dag(self, adjacency: Matrix) -> DAG:
        """A graph of the core, with the variables in the order of the data's columns."""
        at = {name: i for i, name in enumerate(self.names)}
        order = [at[name] for name in self.columns]
        return DAG(self.columns, adjacency[np.ix_(order, order)])
