"""The posterior over structures by looking at every DAG, and the best acyclic graph by trying all orders."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import exp, log

import numpy as np

from naive import graphs as naive
from veridag import DAG, Data, Knowledge, local_score
from veridag.criteria.priors.base import Prior
from veridag.criteria.scores.base import Score


@dataclass(frozen=True)
class Weighted:
    """Every DAG that is allowed, with the logarithms of its weight and of its prior weight."""

    n: int
    dags: list[naive.Arcs]
    logs: list[float]
    log_priors: list[float]

    @property
    def log_sum(self) -> float:
        return log_sum(self.logs)

    def probability(self, holds) -> float:
        weights = self._probabilities().tolist()
        return sum(weight for dag, weight in zip(self.dags, weights, strict=True) if holds(dag))

    def arcs(self) -> np.ndarray:
        return np.tensordot(self._probabilities(), self._matrices(), axes=1)

    def ancestors(self) -> np.ndarray:
        """A path is an arc, or an arc and a path."""
        arcs = self._matrices()
        paths = arcs
        for _ in range(self.n):
            paths = arcs | (np.matmul(arcs.astype(int), paths.astype(int)) > 0)
        return np.tensordot(self._probabilities(), paths, axes=1)

    def _probabilities(self) -> np.ndarray:
        return np.exp(np.array(self.logs) - self.log_sum)

    def _matrices(self) -> np.ndarray:
        return np.array([naive.matrix(self.n, dag) for dag in self.dags])


def log_sum(values: list[float]) -> float:
    best = max(values)
    return best + log(sum(exp(value - best) for value in values))


def every_dag(
    data: Data,
    score: Score,
    prior: Prior,
    max_indegree: int | None = None,
    knowledge: Knowledge | None = None,
    *,
    per_order: bool = False,
) -> Weighted:
    """All DAGs with their weights; with `per_order`, as often as there are orders that they fit."""
    names, n = data.names, len(data.names)
    terms = prior.terms(names, data.n)

    @cache
    def family(v: int, parents: tuple[int, ...]) -> tuple[float, float]:
        own = terms.log(v, parents)
        return local_score(names[v], [names[p] for p in parents], data, score) + own, own

    weighted = Weighted(n, [], [], [])
    for dag in naive.all_dags(n):
        parents = [tuple(sorted(a for a, b in dag if b == v)) for v in range(n)]
        if max_indegree is not None and max(map(len, parents)) > max_indegree:
            continue
        if knowledge is not None and knowledge.violations(DAG(names, naive.matrix(n, dag))):
            continue
        values = [family(v, own) for v, own in enumerate(parents)]
        log_prior = sum(own for _, own in values)
        if log_prior == -np.inf:
            continue
        often = log(orders(n, dag)) if per_order else 0.0
        weighted.dags.append(dag)
        weighted.logs.append(sum(value for value, _ in values) + often)
        weighted.log_priors.append(log_prior + often)
    return weighted


@cache
def orders(n: int, dag: naive.Arcs) -> int:
    """How many orders of the variables a DAG fits."""
    return sum(all(order.index(a) < order.index(b) for a, b in dag) for order in permutations(range(n)))


def heaviest_acyclic(gain: np.ndarray) -> float:
    """The greatest sum of gains above zero that an acyclic graph can have."""
    positive = np.where(gain > 0, gain, 0.0)
    np.fill_diagonal(positive, 0.0)
    n = len(gain)
    return max(
        sum(positive[order[i], order[j]] for i in range(n) for j in range(i + 1, n)) for order in permutations(range(n))
    )


def averaged_joint(data: Data, weighted: Weighted, alpha) -> np.ndarray:
    """P(x | data) of every configuration x, an axis for each variable: the sum over DAGs of P(G | data) P(x | G, data).

    P(x | G, data) is the product of (n_ijk + alpha) / (n_ij + r_i alpha), where ``alpha(family)`` is the same in all
    cells of a family, given the numbers of its variables with the child last.
    """
    codes = np.column_stack([data.column(v) for v in data.names]).astype(int)
    shape = [data.arities[v] for v in data.names]

    @cache
    def table(child: int, parents: tuple[int, ...]) -> np.ndarray:
        found = np.empty(shape)
        for x in np.ndindex(*shape):
            alike = [row for row in codes if all(row[p] == x[p] for p in parents)]
            own = sum(row[child] == x[child] for row in alike)
            a = alpha((*parents, child))
            found[x] = (own + a) / (len(alike) + shape[child] * a)
        return found

    total = np.zeros(shape)
    for dag, weight in zip(weighted.dags, weighted._probabilities().tolist(), strict=True):
        p = np.full(shape, weight)
        for v in range(weighted.n):
            p = p * table(v, tuple(sorted(a for a, b in dag if b == v)))
        total += p
    return total
