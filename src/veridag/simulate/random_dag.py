"""Random DAGs with independent arcs, a given number of them on average."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from veridag.checks import Number
from veridag.counts import Floats
from veridag.criteria.priors.dag_counts import log_binomials
from veridag.errors import InputError
from veridag.graph import DAG

from .draw import draw_index, generator
from .size import most_arcs, most_parents, refuse_arcs, variable_names


def random_dag(
    variables: int | Sequence[str],
    *,
    arcs: float | None = None,
    arcs_per_node: float | None = None,
    max_indegree: int | None = None,
    seed: int = 0,
) -> DAG:
    """Draw a DAG with a random order of the variables and independent arcs.

    Every pair is joined with the same probability ``p = arcs / (n (n - 1) / 2)``, from the first to the second variable
    in the order. With `max_indegree` d, the number of parents of the variable with t others before it is Binomial(t, p)
    given that it is at most d, and p is such that the expected number of arcs is still as requested. This is not
    uniform over DAGs: a DAG with many topological orders is more probable. See `uniform_dag`.

    Args:
        variables: The names of the variables, or their number.
        arcs: The expected number of arcs.
        arcs_per_node: The expected number of arcs divided by the number of variables; give this or `arcs`.
        max_indegree: Most parents of a variable; no bound if None.
        seed: Seed of the random numbers. The same seed gives the same result.

    See also:
        `uniform_dag`, `chain_dag`, `random_network`, docs/simulate.md
    """
    names = variable_names(variables)
    d = most_parents(max_indegree, len(names))
    mean = _expected_arcs(arcs, arcs_per_node, len(names), d)
    random = generator(seed)
    order = random.permutation(len(names))
    a = np.zeros((len(names), len(names)), dtype=bool)
    for t, cumulated in enumerate(_parent_weights(len(names), d, mean)):
        s = draw_index(cumulated, random)
        a[order[random.permutation(t)[:s]], order[t]] = True
    return DAG(names, a)


def _expected_arcs(arcs: float | None, arcs_per_node: float | None, n: int, d: int) -> float:
    if (arcs is None) == (arcs_per_node is None):
        raise InputError(
            "give either arcs, the expected number of arcs, or arcs_per_node:"
            f" arcs={arcs!r} and arcs_per_node={arcs_per_node!r} were given"
        )
    name, value = ("arcs_per_node", arcs_per_node) if arcs is None else ("arcs", arcs)
    mean = Number(least=0)(name, value) * (n if name == "arcs_per_node" else 1)
    refuse_arcs(name, value, mean, n, d)
    return mean


@lru_cache(maxsize=16)
def _parent_weights(n: int, d: int, mean: float) -> list[Floats]:
    """For t = 0, ..., n - 1, the cumulated probabilities of 0, ..., min(t, d) parents of the variable with t before."""
    return [np.cumsum(weights) for weights in _indegree_weights(n, d, mean)]


def _indegree_weights(n: int, d: int, mean: float) -> list[Floats]:
    log_c = log_binomials(n)
    if mean in (0.0, most_arcs(n, d)):  # p is 0 or 1
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
