"""Random DAGs: of an expected number of arcs, or uniform over all there are.

**Uniform DAGs, exactly.** `dag_counts` puts the variables of a DAG into layers and has the weight A_mj of all DAGs on m
variables with j in the last layer. To draw a DAG, go back through the layers: the last one has j variables with
probability A_nj / sum over i of A_ni, and the one before a layer of k has j with probability in proportion to
A_mj D_mj^k. Then every variable draws its parents among the m before it, at least one of them among the j just before:
s parents with probability in proportion to ``w(s) (C(m, s) - C(m - j, s))``, h of them in the last layer in proportion
to ``C(j, h) C(m - j, s - h)``. Kuipers and Moffa (2015) draw DAGs in the same way, from layers counted from the other
end.

**A number of arcs.** With the weights w(s) = x^s every DAG with the same number of arcs has the same probability, so a
DAG that happens to have the number asked for is uniform among those, whatever x. An x that makes it the expected number
takes the fewest trials.

The weights are floats with a relative error of about 1e-12, which no sample that anyone can draw will show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.counts import Floats
from veridag.criteria.priors.dag_counts import Layers, log_binomials
from veridag.errors import InputError
from veridag.graph import DAG, check_names, default_names

Random = np.random.Generator

#: The most variables for `uniform_dag`: its weights take n^3 / 6 operations, half a minute for so many.
MAX_EXACT = 1500


def random_dag(
    variables: int | Sequence[str],
    *,
    arcs: float | None = None,
    arcs_per_node: float | None = None,
    max_indegree: int | None = None,
    seed: int = 0,
) -> DAG:
    """A DAG with a random order of the variables and independent arcs, `arcs` of them on average.

    Every pair is joined with the same probability ``p = arcs / (n (n - 1) / 2)``, from the first to the second in the
    order; `arcs_per_node` stands for ``arcs / n``. With `max_indegree` d, the number of parents of the variable with
    t others before it is Binomial(t, p) given that it is at most d, and p is such that the mean of all arcs is still
    as asked. This is not uniform over DAGs: one with many topological orders is more probable. See `uniform_dag`.
    """
    names = _names(variables)
    d = _maximum(max_indegree, len(names))
    mean = _expected_arcs(arcs, arcs_per_node, len(names), d)
    random = _generator(seed)
    order = random.permutation(len(names))
    a = np.zeros((len(names), len(names)), dtype=bool)
    for t, cumulated in enumerate(_parent_weights(len(names), d, mean)):
        s = _draw(cumulated, random)
        a[order[random.permutation(t)[:s]], order[t]] = True
    return DAG(names, a)


def uniform_dag(
    variables: int | Sequence[str],
    *,
    arcs: int | None = None,
    max_indegree: int | None = None,
    seed: int = 0,
) -> DAG:
    """A DAG drawn uniformly from all DAGs on the variables, or from those with exactly so many `arcs`.

    With `max_indegree`, from those in which no variable has more parents. Drawn exactly, from the number of DAGs by
    their layers, as the head of this module says (after Kuipers and Moffa 2015); no Markov chain has to converge.
    """
    names = _names(variables)
    n = len(names)
    d = _maximum(max_indegree, n)
    if n > MAX_EXACT:
        raise InputError(f"variables: {n} are too many for uniform_dag, which takes {MAX_EXACT} at most: use chain_dag")
    if arcs is None:
        sampler = _sampler(n, d, 0.0)
    else:
        arcs = _whole_arcs(arcs, n, d)
        sampler = _sampler(n, d, _log_weight_of_an_arc(n, d, arcs))
    return DAG(names, sampler.draw(arcs, _generator(seed)))


def chain_dag(
    variables: int | Sequence[str], *, arcs: int | None = None, steps: int | None = None, seed: int = 0
) -> DAG:
    """A DAG by a Markov chain that is uniform over all DAGs, or over those with so many `arcs`, after enough steps.

    The chain of Melançon et al. (2001) adds and takes away arcs; here it also turns them round (Melançon and
    Philippe 2004) and, if their number is fixed, moves them. It starts from a random order. Without `steps` it makes
    `default_steps` of them. `uniform_dag` is exact and quicker, except for very many variables.
    """
    names = _names(variables)
    n = len(names)
    if arcs is not None:
        arcs = _whole_arcs(arcs, n, max(n - 1, 0))
    if steps is None:
        steps = default_steps(n, arcs)
    elif not _is_whole(steps) or not 0 <= steps < 2**63:
        raise InputError(f"steps={steps!r}: the number of steps is a whole number, 0 or more")
    return DAG(names, _core.chain_dag(n, -1 if arcs is None else arcs, int(steps), _seed(seed)))


def default_steps(n: int, arcs: int | None = None) -> int:
    """How many steps `chain_dag` makes: 10 n^2 ln(n + 1), or 10 (arcs + n) ln(n + 1) where the number of arcs is fixed.

    With 40 variables a tenth of this already gives the means of `uniform_dag` for the number of arcs, the share of
    v-structures, the longest path and the numbers of sources and sinks, within errors of one part in two hundred.
    """
    return math.ceil(10 * (n * n if arcs is None else arcs + n) * math.log(n + 1))


# ---- independent arcs


def _expected_arcs(arcs: float | None, arcs_per_node: float | None, n: int, d: int) -> float:
    if (arcs is None) == (arcs_per_node is None):
        raise InputError(
            "give either arcs, the expected number of arcs, or arcs_per_node:"
            f" arcs={arcs!r} and arcs_per_node={arcs_per_node!r} were given"
        )
    name, value = ("arcs", arcs) if arcs is not None else ("arcs_per_node", arcs_per_node)
    if value is None or not _is_real(value) or not 0 <= value < math.inf:
        raise InputError(f"{name}={value!r}: the expected number is a number, 0 or more")
    mean, most = float(value) * (n if name == "arcs_per_node" else 1), _most_arcs(n, d)
    if mean > most:
        raise InputError(f"{name}={value!r}: {n} variables{_bound(n, d)} can have {most} arcs at most")
    return mean


@lru_cache(maxsize=16)
def _parent_weights(n: int, d: int, mean: float) -> list[Floats]:
    """For t = 0, ..., n - 1, the cumulated probabilities of 0, ..., min(t, d) parents of the variable with t before."""
    return [np.cumsum(weights) for weights in _indegree_weights(n, d, mean)]


def _indegree_weights(n: int, d: int, mean: float) -> list[Floats]:
    log_c = log_binomials(n)
    if mean in (0.0, _most_arcs(n, d)):  # p is 0 or 1
        return [np.eye(min(t, d) + 1)[min(t, d) if mean else 0] for t in range(n)]

    def at(log_odds: float) -> list[Floats]:
        terms = [log_c[t, : min(t, d) + 1] + log_odds * np.arange(min(t, d) + 1) for t in range(n)]
        weights = [np.exp(row - row.max()) for row in terms]
        return [row / row.sum() for row in weights]

    def excess(log_odds: float) -> float:
        return sum(float(row @ np.arange(len(row))) for row in at(log_odds)) - mean

    p = mean / (n * (n - 1) / 2)
    if d >= n - 1:
        return at(math.log(p / (1 - p)))
    return at(_root(excess, math.log(p / (1 - p))))


def _root(increasing: Callable[[float], float], start: float) -> float:
    """Where an increasing function is 0, by bisection around a start."""
    width = 1.0
    while increasing(start - width) > 0 or increasing(start + width) < 0:
        width *= 2
    low, high = start - width, start + width
    while high - low > 1e-13 * max(1.0, abs(low), abs(high)):
        middle = (low + high) / 2
        low, high = (middle, high) if increasing(middle) < 0 else (low, middle)
    return (low + high) / 2


# ---- uniform DAGs


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
        """An adjacency matrix, from those with so many arcs if a number is given."""
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
        m, k = self.n, _draw_log(self.log_a[self.n], random)
        found = []
        while m > k:
            j = _draw_log(self.log_a[m - k, 1 : m - k + 1] + k * self.log_ways(m - k), random) + 1
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
        of_last = int(h[_draw_log(self.log_c[j, h] + self.log_c[m - j, s - h], random)])
        last = m - j + random.permutation(j)[:of_last]
        return np.concatenate([last, random.permutation(m - j)[: s - of_last]])


@lru_cache(maxsize=4)
def _sampler(n: int, d: int, log_x: float) -> _Sampler:
    return _Sampler(n, d, log_x)


@lru_cache(maxsize=64)
def _log_weight_of_an_arc(n: int, d: int, arcs: int) -> float:
    """log x such that DAGs with weights x^arcs have about so many arcs on average.

    The mean is the derivative of the logarithm of all weights with respect to log x; a difference will do, since how
    near the mean comes decides only how many trials are made.
    """
    most = _most_arcs(n, d)
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


def _draw(cumulated: Floats, random: Random) -> int:
    return int(np.searchsorted(cumulated, random.random() * cumulated[-1], side="right"))


def _draw_log(log_weights: Floats, random: Random) -> int:
    """A place, with probability in proportion to its weight."""
    return _draw(np.cumsum(np.exp(log_weights - log_weights.max())), random)


# ---- what is given


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _names(variables: int | Sequence[str]) -> tuple[str, ...]:
    if isinstance(variables, Sequence):
        if not isinstance(variables, str):
            return check_names(variables)
    elif _is_whole(variables) and variables >= 0:
        return default_names(int(variables))
    raise InputError(f"variables={variables!r}: give a list of names, or a whole number of variables")


def _maximum(max_indegree: int | None, n: int) -> int:
    if max_indegree is None:
        return max(n - 1, 0)
    if not _is_whole(max_indegree) or max_indegree < 0:
        raise InputError(f"max_indegree={max_indegree!r}: give a whole number of parents, 0 or more, or None for any")
    return min(int(max_indegree), max(n - 1, 0))


def _most_arcs(n: int, d: int) -> int:
    return sum(min(t, d) for t in range(n))


def _bound(n: int, d: int) -> str:
    return "" if d >= n - 1 else f" with {d} parents each at most"


def _whole_arcs(arcs: int, n: int, d: int) -> int:
    if not _is_whole(arcs) or arcs < 0:
        raise InputError(f"arcs={arcs!r}: the exact number of arcs is a whole number, 0 or more, or None for any")
    if int(arcs) > _most_arcs(n, d):
        raise InputError(f"arcs={arcs!r}: {n} variables{_bound(n, d)} can have {_most_arcs(n, d)} arcs at most")
    return int(arcs)


def _seed(seed: int) -> int:
    if not _is_whole(seed) or not 0 <= seed < 2**64:
        raise InputError(f"seed={seed!r}: must be a whole number from 0 to 2^64 - 1")
    return int(seed)


def _generator(seed: int) -> Random:
    return np.random.Generator(np.random.PCG64(_seed(seed)))
