"""Structural EM: learning from incomplete data, with any score-based search."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from veridag.checks import Integer, Optional, checked
from veridag.criteria.expected import AveragedScore, ExpectedScore, expected_score
from veridag.criteria.expected.choice import DRAWS
from veridag.criteria.independence import Test
from veridag.criteria.priors.base import Prior
from veridag.criteria.scorer import Scorer
from veridag.criteria.scores.base import Score
from veridag.data import Column, Data
from veridag.data.completeness import with_missing_mark
from veridag.errors import InputError
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge
from veridag.network.fitting import fit_roughly
from veridag.network.incomplete.imputation import impute
from veridag.progress import Progress

from .base import START, Algorithm
from .boss import BOSS
from .exact.exact import TIME_LIMIT
from .forest import strongest_forest
from .labels import Traits
from .problem import is_higher
from .result import Result

#: Iterations of EM for the parameters between two searches; more of them changed no structure.
PARAMETER_STEPS = 10


def searches_by_score_alone(algorithm: Algorithm) -> bool:
    """Whether the algorithm maximises a score of its own, and makes no tests."""
    own = {each.name for each in fields(algorithm)}
    return "score" in own and "test" not in own


def _check_scored(name: str, value: object) -> Algorithm:
    """An algorithm that maximises a score and nothing else."""
    if isinstance(value, Algorithm) and searches_by_score_alone(value):
        return value
    raise InputError(
        f"{name}={value!r} must be a score-based algorithm, such as BOSS() or Tabu(); test-based algorithms accept "
        "missing values without it"
    )


@dataclass(frozen=True)
class StructuralEM(Algorithm):
    """Structural EM (Friedman 1997, 1998): score-based search on incomplete data.

    It alternates between two steps until the structure no longer changes or improves:

    - the parameters of the current network are estimated by EM, which gives the probability of each missing value given
      the rest of its row;
    - `algorithm` searches for the network with the highest expected score, ``E[score(G, D) | observed, network]``, with
      its own score, prior and bounds.

    The first network is `start`; if None, a forest of the strongest pairwise dependences. There are at most
    `max_iterations` iterations. `draws` determines how the expectation is computed; a note of the result says which
    method was used:

    - None: exactly where possible. Likelihoods of discrete data, such as BIC, use expected counts, and scores of
      Gaussian data expected moments. All others use the mean over 5 random completions.
    - a positive number: all scores use the mean over that many random completions.
    - 0: like None, but BDeu, K2 and BDJeffreys use expected counts, too.

    Values must be missing completely at random or at random: whether a value is missing can depend on what is observed,
    but not on the value itself. On complete data the result is that of the algorithm.

    After `time_limit` seconds no further iteration starts, and a search with its own time limit gets the time that is
    left. `score` of the result is the expected score given the network of the last expectation.

    See also:
        `PNAL`, `impute`, docs/incomplete.md
    """

    algorithm: Algorithm = field(default_factory=BOSS, metadata=checked(_check_scored))
    draws: int | None = field(default=None, metadata=checked(Optional(Integer(0, 2**31 - 1))))
    max_iterations: int = field(default=20, metadata=checked(Integer(1, 2**31 - 1)))
    start: DAG | None = field(default=None, metadata=checked(START))
    time_limit: float | None = field(default=None, metadata=checked(TIME_LIMIT))

    @property
    def traits(self) -> Traits:
        """The traits of `algorithm`."""
        return self.algorithm.traits

    @property
    def criterion(self) -> Score | Test | None:
        """The score that `algorithm` maximises."""
        return self.algorithm.criterion

    @property
    def max_indegree(self) -> int | None:
        """The bound of `algorithm`."""
        found: int | None = getattr(self.algorithm, "max_indegree", None)
        return found

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        if not data.incomplete:
            found = self.algorithm._learn(data, knowledge, seed, progress, jobs, trace)
            return replace(found, settings=repr(self))
        data = data.rows(data.row_order)  # each is completed by random numbers of its own
        data.require_observational("StructuralEM", "learn with the score PNAL, or leave out these rows")
        ordered = _in_order(data)
        run = _Run(self, ordered, knowledge, seed, progress, jobs)
        try:
            run.begin()
            while not run.ended and run.iterations < self.max_iterations:
                run.iterate()
        except KeyboardInterrupt:  # between two searches; during one, the core ends it
            if run.best is None:
                raise
            run.ended = "interrupted"
        return run.result(data.names)


class _Run:
    """The iterations on one data set."""

    def __init__(
        self,
        settings: StructuralEM,
        data: Data,
        knowledge: Knowledge,
        seed: int,
        progress: Progress | None,
        jobs: int,
    ) -> None:
        self._settings, self._data, self._knowledge = settings, data, knowledge
        self._seed, self._progress, self._jobs = seed, progress, jobs
        self._score: Score = settings.algorithm.score  # type: ignore[attr-defined] # see _check_scored
        self._searches: list[Result] = []
        self._seen: list[DAG | PDAG] = []
        self._filling = DAG.empty(data.names)
        self._made = ""
        limit = settings.time_limit
        self._deadline = None if limit is None else time.monotonic() + limit
        self.best: Result | None = None
        self.iterations = 0
        self.ended = ""

    def begin(self) -> None:
        """The network to start from."""
        start = self._settings.start
        required = DAG(self._data.names, self._knowledge.bind(self._data.names).required)
        if start is None:
            self._filling = strongest_forest(self._data, self._jobs)
        else:
            if set(start.names) != set(self._data.names):
                odd = sorted(set(start.names) ^ set(self._data.names))[0]
                raise InputError(f"start: the graph must have the data's variables, but {odd!r} is only in one of them")
            broken = self._knowledge.violations(start)
            if broken:
                raise InputError(f"start: the graph violates the knowledge: {broken[0]}")
            required = self._filling = start.reorder(self._data.names)
        self.best = Result(required, None, 0, 0, 0, 0.0, self._seed, repr(self._settings))

    def iterate(self) -> None:
        """One expectation, and one search."""
        best = self._best
        try:
            expected = self._expected(_with_parameters(self._filling, self._data))
        except InputError as error:  # such as a variable that is a linear function of its parents
            if self.iterations:
                self.ended = f"ended because the network could not fill in the missing values ({error})"
                return
            self._filling = DAG.empty(self._data.names)
            expected = self._expected(self._filling)
        self._made = expected.note or "expected counts were computed exactly"
        now = self._value(self._filling, expected)
        found = self._searcher(expected)._learn(
            self._data, self._knowledge, self._seed, self._progress, self._jobs, False
        )
        self._searches.append(found)
        self.iterations += 1
        assert found.score is not None
        same = self._class(found.dag) == self._class(self._filling)
        if same or self.iterations == 1 or not expected.exact or is_higher(found.score, now):
            returns = self._class(found.dag) in self._seen
            self._accept(found)
            self.ended = "converged" if same else "turns" if returns else "late" if self._late() else ""
        else:
            self.best = replace(best, score=now)
            self.ended = "converged"
        if found.interrupted:
            self.ended = "interrupted"

    def _expected(self, dag: DAG) -> ExpectedScore | AveragedScore:
        """The expected score if the network of this graph, with parameters by EM, fills in missing values."""
        data, draws = self._data, self._settings.draws
        constant = [name for name in data.constants if data.kinds[name] == "continuous"]
        varying = [name for name in data.names if name not in set(constant)]
        own = _ungrouped(data.select(varying)) if constant else _ungrouped(data)
        part = DAG.from_arcs([(u, v) for u, v in dag.arcs if u in own.kinds and v in own.kinds], names=own.names)
        network = fit_roughly(part, own, PARAMETER_STEPS, self._jobs)
        if not constant:
            return expected_score(self._score, network, data, draws=draws, seed=self._seed, jobs=self._jobs)
        # A column with one value has no density, and its gaps no other value.
        drawn = impute(network, data.select(varying), draws=draws or DRAWS, seed=self._seed, jobs=self._jobs)
        return AveragedScore(self._score, tuple(_with_constants(completed, data, constant) for completed in drawn))

    def _searcher(self, score: Score) -> Algorithm:
        """The algorithm with the expected score, and with the time that is left."""
        algorithm = self._settings.algorithm
        changed: dict[str, Any] = {"score": score}
        if self._deadline is not None and hasattr(algorithm, "time_limit"):
            left = max(1e-3, self._deadline - time.monotonic())
            changed["time_limit"] = left if algorithm.time_limit is None else min(left, algorithm.time_limit)
        return replace(algorithm, **changed)

    def _late(self) -> bool:
        return self._deadline is not None and time.monotonic() >= self._deadline

    def result(self, names: tuple[str, ...]) -> Result:
        """What was learned, with the variables in this order."""
        best = self._best
        dag = best.dag.reorder(names)
        return replace(
            best,
            graph=best.graph.reorder(names),
            member=None if best.member is None else dag,
            calls=sum(found.calls for found in self._searches),
            distinct_calls=sum(found.distinct_calls for found in self._searches),
            calls_offset=sum(found.calls_offset for found in self._searches),
            steps=sum(found.steps for found in self._searches),
            settings=repr(self._settings),
            optimal=False,
            gap=None,
            interrupted=self.ended == "interrupted",
            notes=(*best.notes, *self._notes()),
        )

    def _notes(self) -> tuple[str, ...]:
        if not self.iterations:
            return ()
        ended = {
            "converged": "which ended when the structure no longer changed",
            "turns": "which ended when a structure recurred: the draws decide between structures that are about equal",
            "late": f"after which it reached the time limit of {self._settings.time_limit} seconds",
            "interrupted": "which were interrupted",
            "": "the maximum, max_iterations: the structure was still changing",
        }.get(self.ended, f"which {self.ended}")
        many = f"{self.iterations} iterations" if self.iterations > 1 else "1 iteration"
        return (f"structural EM took {many}, {ended}; {self._made}",)

    @property
    def _best(self) -> Result:
        assert self.best is not None
        return self.best

    def _accept(self, result: Result) -> None:
        self.best, self._filling = result, result.dag
        self._seen.append(self._class(result.dag))

    def _class(self, dag: DAG) -> DAG | PDAG:
        """What the score does not tell apart."""
        return dag.cpdag() if self._score.equivalent else dag

    def _value(self, dag: DAG, score: Score) -> float:
        prior: Prior | None = getattr(self._settings.algorithm, "prior", None)
        families = [
            (v, tuple(np.flatnonzero(parents).tolist()))
            for v, parents in enumerate(dag.reorder(self._data.names).adjacency.T)
        ]
        return float(Scorer(self._data, score, prior, jobs=self._jobs).local_many(families).sum())


def _in_order(data: Data) -> Data:
    """The data with columns and rows in an order of its own, so that what is drawn does not depend on theirs."""
    columns = data.in_data_order()
    order = np.lexsort([with_missing_mark(column) for column in columns.columns])
    return columns.rows(order)


def _with_constants(completed: Data, data: Data, constant: list[str]) -> Data:
    """The completed columns and those with one value, in the order of the data."""
    by_name = {column.name: column for column in completed.columns}
    for column in data.columns:
        if column.name in constant:
            there = column.present().values
            value = float(there[0]) if len(there) else 0.0
            by_name[column.name] = Column.continuous(column.name, np.full(data.nrows, value))
    return Data([by_name[name] for name in data.names], data.weights, data.group, data.groups)


def _ungrouped(data: Data) -> Data:
    return Data(data.columns, data.weights)


def _with_parameters(dag: DAG, data: Data) -> DAG:
    """The graph, with arcs from continuous to discrete variables turned, for which a network has no parameters.

    Discrete variables then come before continuous ones, and those of one kind keep their order: no cycle is made.
    """
    if all(data.kinds[u] == "discrete" or data.kinds[v] == "continuous" for u, v in dag.arcs):
        return dag
    turned = [(v, u) if data.kinds[u] == "continuous" and data.kinds[v] == "discrete" else (u, v) for u, v in dag.arcs]
    return DAG.from_arcs(turned, names=dag.names)
