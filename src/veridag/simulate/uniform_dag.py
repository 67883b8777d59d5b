"""DAGs drawn uniformly from all there are, or from all with a number of arcs.

**Exactly.** `dag_counts` puts the variables of a DAG into layers and has the weight A_mj of all DAGs on m
variables with j in the last layer. To draw a DAG, go back through the layers: the last one has j variables with
probability A_nj / sum over i of A_ni, and the one before a layer of k has j with probability in proportion to
A_mj D_mj^k. Then every variable draws its parents among the m before it, at least one of them among the j just before:
s parents with probability in proportion to ``w(s) (C(m, s) - C(m - j, s))``, h of them in the last layer in proportion
to ``C(j, h) C(m - j, s - h)``. Kuipers and Moffa (2015) draw DAGs in the same way, from layers counted from the other
end.

**A number of arcs.** With the weights w(s) = x^s every DAG with the same number of arcs has the same probability, so a
DAG that happens to have the number asked for is uniform among those, whatever x. An x that makes it the expected number
takes the fewest trials.

The weights are floats with a relative error of about 1e-12, which no sample of realistic size can show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from veridag.counts import Floats
from veridag.criteria.priors.dag_counts import Layers, log_binomials
from veridag.errors import InputError
from veridag.graph import DAG

from .draw import Random, draw_log_index, generator
from .size import exact_arcs, most_arcs, most_parents, variable_names

#: The most variables for `uniform_dag`: its weights take n^3 / 6 operations, half a minute for this number.
MAX_EXACT = 1500


def uniform_dag(
    variables: int | Sequence[str],
    *,
    arcs: int | None = None,
    max_indegree: int | None = None,
    seed: int = 0,
) -> DAG:
    """Draw a DAG uniformly from all DAGs on the variables, or from those with a given number of arcs.

    The draw is exact: it counts DAGs by their layers (after Kuipers and Moffa 2015), so no Markov chain has to
    converge.

    Args:
        variables: The names of the variables, or their number.
        arcs: Draw from the DAGs with exactly this many arcs; from all if None.
        max_indegree: Most parents of a variable; no bound if None.
        seed: Seed of the random numbers. The same seed gives the same result.

    Raises:
        InputError: If there are too many variables, or no DAG has so many arcs.

    See also:
        `chain_dag`, `random_dag`, docs/simulate.md
    """
    names = variable_names(variables)
    n = len(names)
    d = most_parents(max_indegree, n)
    if n > MAX_EXACT:
        raise InputError(f"variables: {n} are too many for uniform_dag, which takes at most {MAX_EXACT}: use chain_dag")
    number = exact_arcs(arcs, n, d)
    sampler = _sampler(n, d, 0.0 if number is None else _log_weight_of_an_arc(n, d, number))
    return DAG(names, sampler.draw(number, generator(seed)))


class _Sampler:
    """Draws DAGs on n variables with probabilities in proportion to x^arcs, at most d parents each."""

    def __init__(self, n: int, d: int, log_x: float) -> None:
        self.n = n
        s = np.arange(n)
        self.log_w = np.where(s <= d, s * log_x, -np.inf)
        self.layers = Layers(self.log_w)
        self.log_a = self.layers.forward()
        self.log_d: dict[int, Floats] = {}
        self.indegrees: dict[tuple[int, int], Floats] = {}

    @cached_property
    def log_c(self) -> Floats:
        """log C(t, s)."""
        return log_binomials(self.n + 1)

    @property
    def log_total(self) -> float:
        """The logarithm of the sum of all weights, without the factors that do not depend on x."""
        return float(np.logaddexp.reduce(self.log_a[self.n]) + self.layers.log_s.sum())

    def draw(self, arcs: int | None, random: Random) -> NDArray[np.bool_]:
        """An adjacency matrix, from those with this number of arcs if one is given."""
        while True:
            layers = self.draw_layers(random)
            parents = [self.draw_indegrees(m, j, k, random) for m, j, k in layers]
            if arcs is None or sum(int(s.sum()) for s in parents) == arcs:
                break
        label = random.permutation(self.n)
        a = np.zeros((self.n, self.n), dtype=bool)
        for (m, j, _), sizes in zip(layers, parents, strict=True):
            for i, s in enumerate(sizes.tolist()):
                a[label[self.draw_parents(m, j, s, random)], label[m + i]] = True
        return a

    def draw_layers(self, random: Random) -> list[tuple[int, int, int]]:
        """(m, j, k) for every layer: m variables before it, j in the layer just before, k in it."""
        if self.n == 0:
            return []
        m, k = self.n, draw_log_index(self.log_a[self.n], random)
        found = []
        while m > k:
            j = draw_log_index(self.log_a[m - k, 1 : m - k + 1] + k * self.log_ways(m - k), random) + 1
            found.append((m - k, j, k))
            m, k = m - k, j
        return [(0, 0, k), *reversed(found)]

    def log_ways(self, m: int) -> Floats:
        """log D_mj for j = 1, ..., m."""
        if m not in self.log_d:
            self.log_d[m] = self.layers.log_d(m)
        return self.log_d[m]

    def draw_indegrees(self, m: int, j: int, k: int, random: Random) -> NDArray[np.intp]:
        """The numbers of parents of the k variables that follow the state (m, j)."""
        if m == 0:
            return np.zeros(k, dtype=np.intp)
        if (m, j) not in self.indegrees:
            s = np.arange(1, min(m, self.n - 1) + 1)
            missed = np.exp(self.log_c[m - j, s] - self.log_c[m, s])  # sets of s parents, none of them among the j
            log_p = self.log_w[s] + self.log_c[m, s]
            weights = np.exp(log_p - log_p.max()) * (1 - missed)
            self.indegrees[m, j] = np.cumsum(weights)
        cumulated = self.indegrees[m, j]
        return np.asarray(1 + np.searchsorted(cumulated, random.random(k) * cumulated[-1], side="right"))

    def draw_parents(self, m: int, j: int, s: int, random: Random) -> NDArray[np.int64]:
        """s of the places 0, ..., m - 1, at least one of the last j."""
        if s == 0:
            return np.empty(0, dtype=np.int64)
        h = np.arange(max(1, s - (m - j)), min(j, s) + 1)
        of_last = int(h[draw_log_index(self.log_c[j, h] + self.log_c[m - j, s - h], random)])
        last = m - j + random.permutation(j)[:of_last]
        return np.concatenate([last, random.permutation(m - j)[: s - of_last]])


@lru_cache(maxsize=4)
def _sampler(n: int, d: int, log_x: float) -> _Sampler:
    return _Sampler(n, d, log_x)


@lru_cache(maxsize=64)
def _log_weight_of_an_arc(n: int, d: int, arcs: int) -> float:
    """log x such that DAGs with weights x^arcs have about this number of arcs on average.

    The mean is the derivative of the logarithm of all weights with respect to log x; a difference is enough, since how
    near the mean comes decides only how many trials are made.
    """
    most = most_arcs(n, d)
    if arcs in (0, most):  # no finite x has the mean there: one that makes these DAGs probable
        return 0.0 if most == 0 else (-1 if arcs == 0 else 1) * 2 * math.log(n * n)

    def mean_arcs(log_x: float) -> float:
        step = 1e-3
        return (_Sampler(n, d, log_x + step).log_total - _Sampler(n, d, log_x - step).log_total) / (2 * step)

    p = arcs / (most + 1)
    low, high = (
        math.log(p / (2 * (1 - p))),
        math.log(p / (1 - p)),
    )  # sparse DAGs are near the first, dense ones the second
    at_low, at_high = mean_arcs(low), mean_arcs(high)
    for _ in range(20):
        if abs(at_high - at_low) < 1e-9:
            break
        log_x = high + (arcs - at_high) * (high - low) / (at_high - at_low)
        low, at_low = high, at_high
        high, at_high = log_x, mean_arcs(log_x)
        if abs(at_high - arcs) < 0.2 * math.sqrt(arcs):
            break
    return high
