"""The description length of a network and of the bins of its variables, and the bins that make it least.

With n observations, and a column X that is cut into k bins at edges chosen among those of m candidate bins,

    DL = -BIC(G, D) + sum over the columns X that are cut of (log C(m - 1, k - 1) + log m - n H(X))

in natural units, after Friedman and Goldszmidt (1996); the edges are coded as one of all choices. The last term is what
the discrete column spares of the description of the continuous one: with it, X's own family counts by the mutual
information I(X; parents of X) and by its parameters. Everything that depends on the bins of X is a sum over these bins,
so that dynamic programming finds the best edges.

Where values are missing, PNAL stands in the place of BIC, and n H(X) is n times the entropy of what is observed: each
family, and each column, counts by its average in the observations in which all of it is observed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import lgamma, log, prod

import numpy as np
from numpy.typing import NDArray

from veridag.criteria.scorer import score
from veridag.criteria.scores import BIC, PNAL
from veridag.criteria.scores.base import Score
from veridag.data import Column, Data
from veridag.data.discretization import TIE, Edges, looked_up_n_log_n, n_log_n
from veridag.graph import DAG

_Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Candidates:
    """A continuous column in its finest bins, whose edges may be chosen."""

    column: Column
    edges: Edges

    @property
    def count(self) -> int:
        """How many candidate bins there are."""
        return len(self.edges) + 1

    def codes(self) -> _Codes:
        """The candidate bin of each row."""
        return np.searchsorted(self.edges, self.column.values, side="left")

    def length_of_choice(self, k: int) -> float:
        """What it takes to say which k - 1 of the edges were chosen."""
        m = self.count
        return lgamma(m) - lgamma(k) - lgamma(m - k + 1) + log(m)


def network_score(data: Data) -> Score:
    """The score that is minus the description length of a network."""
    return PNAL() if data.incomplete else BIC()


def description_length(dag: DAG, data: Data, cut: Mapping[str, Candidates]) -> float:
    """The description length of discrete data by a network, where columns were cut at some of their candidates."""
    length = -score(dag, data, network_score(data))
    for name, candidates in cut.items():
        seen = data.where_observed([name])
        counts = np.bincount(seen.column(name), seen.weights, data.arities[name]).astype(np.int64)
        bits = float(n_log_n(counts.sum()) - n_log_n(counts).sum())
        length += candidates.length_of_choice(data.arities[name]) - _scale(data, seen) * bits
    return length


def best_edges(candidates: Candidates, current: Edges, dag: DAG, data: Data, most: int) -> tuple[Edges, float]:
    """The edges of one column that make the description least while all else stays, and what they spare.

    `data` has all columns cut. There are two to `most` bins; the `current` edges are returned if none are better.
    """
    m = candidates.count
    cost = _interval_costs(candidates, dag, data)
    tie = TIE * max(data.n, 1)
    found = _shortest_paths(cost, min(most, m), tie)
    totals = [length + candidates.length_of_choice(len(inner) + 1) for inner, length in found]
    now = np.searchsorted(candidates.edges, current) + 1
    bounds = np.concatenate([[0], now, [m]])
    length = float(cost[bounds[:-1], bounds[1:]].sum()) + candidates.length_of_choice(len(now) + 1)
    if not totals or min(totals) >= length - tie:
        return current, 0.0
    best = next(i for i, total in enumerate(totals) if total <= min(totals) + tie)
    return candidates.edges[found[best][0] - 1], length - totals[best]


def _shortest_paths(cost: NDArray[np.float64], most: int, tie: float) -> list[tuple[_Codes, float]]:
    """For two, three, ... bins, where the inner ones end and what they cost; of equal ones, the smallest values.

    ``cost[s, e]`` is that of the bin of candidates s to e - 1, infinite if there are none.
    """
    m = cost.shape[0] - 1
    best, before = cost[0].copy(), []
    found = []
    for _ in range(2, most + 1):
        ways = best[:, None] + cost
        least = ways.min(axis=0)
        choice = np.argmax(ways <= least + tie, axis=0)
        best = np.where(np.isfinite(least), ways[choice, np.arange(m + 1)], np.inf)
        before.append(choice)
        inner, end = [], m
        for step in reversed(before):
            end = int(step[end])
            inner.append(end)
        found.append((np.array(inner[::-1], dtype=np.int64), float(best[m])))
    return found


def _interval_costs(candidates: Candidates, dag: DAG, data: Data) -> NDArray[np.float64]:
    """What each possible bin of a column adds to the description length, up to what all choices have in common."""
    name, m = candidates.column.name, candidates.count
    cell = candidates.codes()
    per_parameter = PNAL().penalty(data) if data.incomplete else log(max(data.n, 1)) / 2
    parents = dag.parents(name)
    cost = per_parameter * _configurations(parents, data) + np.zeros((m + 1, m + 1))
    cost -= _counted(cell, m, name, parents, parents, data)
    cost += _counted(cell, m, name, [], [], data)
    for child in dag.children(name):
        others = [parent for parent in dag.parents(child) if parent != name]
        cost += per_parameter * _configurations(others, data) * (data.arities[child] - 1)
        cost -= _counted(cell, m, name, [*others, child], [*others, child], data)
        cost += _counted(cell, m, name, others, [*others, child], data)
    cost[np.tril_indices(m + 1)] = np.inf
    return cost


def _configurations(names: Sequence[str], data: Data) -> float:
    return float(prod(data.arities[name] for name in names))


def _counted(
    cell: _Codes, m: int, name: str, labels: Sequence[str], family: Sequence[str], data: Data
) -> NDArray[np.float64]:
    """For each bin of candidates s to e - 1: the sum of f(x) = x log x over the joint states of `labels` in it.

    It is taken where the column and all of `family` are observed, and scaled to all observations.
    """
    seen = data.where_observed([name, *family])
    if data.incomplete:
        cell = cell[np.logical_and.reduce([data.observed(v) for v in (name, *family)])]
    codes, weights = _joint(labels, seen), seen.weights
    result = np.zeros((m + 1, m + 1))
    f = looked_up_n_log_n(len(cell) if weights is None else int(weights.sum()))
    width = int(codes.max(initial=0)) + 1
    counts = np.bincount(cell * width + codes, weights, m * width).reshape(m, width).astype(np.int64)
    upto = np.vstack([np.zeros((1, width), np.int64), np.cumsum(counts, axis=0)])
    for first in range(m):
        result[first, first + 1 :] = f(upto[first + 1 :] - upto[first]).sum(axis=1)
    return _scale(data, seen) * result


def _scale(data: Data, seen: Data) -> float:
    """What makes a sum over the observations in `seen` one over all."""
    return data.n / max(seen.n, 1)


def _joint(names: Sequence[str], data: Data) -> _Codes:
    """A code for each configuration that occurs, row by row; one at a time, since products of arities overflow."""
    codes = np.zeros(data.nrows, np.int64)
    for name in names:
        _, codes = np.unique(codes * data.arities[name] + data.column(name), return_inverse=True)
    return codes
