"""`discretize`: continuous columns in bins, by what they say about each other or by the network that is learned."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from veridag.data import Column, Data, DataWarning
from veridag.data.discretization import (
    TIE,
    Blanket,
    Choice,
    Edges,
    Hartemink,
    choose,
    cut,
    discretized,
    quantile_edges,
    require_observations,
)
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.search import Algorithm

from .defaults import default_learner, learner_or_default
from .description_length import Candidates, best_edges, description_length, network_score

#: The bins that the first network is learned from.
START = Hartemink(bins=3, initial=20)


def discretize(
    data: Data | Any,
    method: Choice = "blanket",
    columns: Iterable[str] | None = None,
    *,
    algorithm: Algorithm | None = None,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Data:
    """Discretize continuous columns; the notes of the result list the cut points.

    ``"blanket"`` starts with Hartemink's bins and learns a network. Then it gives each column the bins with the
    smallest description length for the column given its parents and for its children given the column, and learns
    again, until nothing changes (Friedman and Goldszmidt 1996). The description length never increases. Columns without
    neighbours keep their first bins.

    Args:
        data: The table: a `Data` or a data frame.
        method: ``"blanket"``, a method of `Data.discretize`, or methods by column.
        columns: The columns to discretize; all continuous ones if None.
        algorithm: The learner for ``"blanket"``; the default search with BIC, which is the description length of the
            network, if None. It uses PNAL if values are missing; they stay missing.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        seed: Seed of the random numbers. The same seed gives the same result.
        jobs: Number of threads.
        progress: Progress callback, see `ProgressBar`.

    See also:
        `Data.discretize`, docs/data.md
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "mixed data", DataWarning)  # it is what the caller is about to change
        data = Data.of(data)
    if isinstance(columns, str):
        raise InputError(f"columns={columns!r} must be a list of names: [{columns!r}]")
    by_name = {column.name: column for column in data.columns}
    methods = choose(by_name, method, columns, "method")
    by_network = {name: chosen for name, chosen in methods.items() if isinstance(chosen, Blanket)}
    changed, notes = discretized(by_name, data.weights, {k: v for k, v in methods.items() if k not in by_network})
    data = _with(data, changed, notes)
    if not by_network:
        return data

    def learn(discrete: Data) -> DAG:
        usual = default_learner(discrete, network_score(discrete), knowledge=knowledge)
        learner = usual if algorithm is None else learner_or_default(algorithm, discrete)
        return learner.learn(discrete, knowledge, seed, progress, jobs=jobs).dag

    return _alternate(_Bins.start(data, by_network), learn)


def _with(data: Data, columns: Mapping[str, Column], notes: Iterable[str] = ()) -> Data:
    return replace(data, columns=tuple(columns.values()), notes=(*data.notes, *notes))


@dataclass
class _Bins:
    """The columns to cut with their candidates and the edges of now, and the data with these bins."""

    method: Blanket
    candidates: dict[str, Candidates]
    edges: dict[str, Edges]
    data: Data

    @classmethod
    def start(cls, data: Data, methods: Mapping[str, Blanket]) -> _Bins:
        """The bins to begin with; edges are chosen among quantiles and those that were begun with."""
        method, *others = dict.fromkeys(methods.values())
        if others:
            raise InputError(f"columns have {method} and {others[0]}: give all the same settings of blanket")
        rest = [name for name in data.names if data.kinds[name] == "continuous" and name not in methods]
        if rest:
            raise InputError(
                f"blanket learns a network of discrete columns, and {rest[0]!r} would stay continuous: discretize it "
                "too, for example with quantile(3), or leave it out"
            )
        columns = {column.name: column for column in data.columns}
        require_observations(columns, data.weights, methods)
        start = replace(START, bins=min(START.bins, method.most))
        edges = start.edges(columns, list(methods), data.weights)
        candidates = {
            name: Candidates(
                columns[name], np.union1d(own, quantile_edges(columns[name], data.weights, method.candidates))
            )
            for name, own in edges.items()
        }
        bins = cls(method, candidates, edges, data)
        bins._cut(methods)
        return bins

    def _cut(self, names: Iterable[str]) -> list[str]:
        """Cut these columns at the edges of now; the notes that say so."""
        columns, notes = {column.name: column for column in self.data.columns}, []
        for name in names:
            columns[name], note = cut(self.candidates[name].column, self.data.weights, self.edges[name], self.method)
            notes.append(note)
        self.data = _with(self.data, columns)
        return notes

    def improve(self, dag: DAG) -> bool:
        """Give every column its best bins in turn, until none has better ones; whether any changed.

        The order comes from the data. A column is looked at again when one of its Markov blanket has changed. This
        ends, for every change makes the description shorter.
        """
        order = [name for name in self.data.in_data_order().names if name in self.edges and dag.markov_blanket(name)]
        waiting, changed = set(order), False
        while waiting:
            name = next(name for name in order if name in waiting)
            waiting.remove(name)
            found, spared = best_edges(self.candidates[name], self.edges[name], dag, self.data, self.method.most)
            if spared > 0:
                self.edges[name], changed = found, True
                self._cut([name])
                waiting |= {other for other in dag.markov_blanket(name) if other in order}
        return changed

    def length(self, dag: DAG) -> float:
        """The description length of the data by this network and these bins."""
        return description_length(dag, self.data, self.candidates)

    def result(self, summary: str) -> Data:
        """The data with notes on every column that was cut."""
        notes = self._cut(self.edges)
        return _with(self.data, {column.name: column for column in self.data.columns}, [*notes, summary])


def _alternate(bins: _Bins, learn: Callable[[Data], DAG]) -> Data:
    """Networks and bins in turns; a network is taken over only if it makes the description shorter."""
    dag = learn(bins.data)
    first = bins.length(dag)
    learned, stable = 1, not bins.improve(dag)
    while not stable and learned < bins.method.rounds:
        other = learn(bins.data)
        learned += 1
        stable = bins.length(other) >= bins.length(dag) - TIE * max(bins.data.n, 1)
        if not stable:
            dag = other
            stable = not bins.improve(dag)
    networks = f"{learned} network{'s' * (learned > 1)}"
    state = "until nothing changed" if stable else "and stopped at the limit of rounds"
    return bins.result(
        f"alternating bins and networks, {networks} {state}: description length {first:.1f} at first, "
        f"{bins.length(dag):.1f} at the end"
    )
