"""Slow, obvious versions of what veridag counts, from the definitions and from theorem 3 in exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

from naive import graphs as naive


def indegrees(n: int, arcs: naive.Arcs) -> list[int]:
    return [sum(1 for _, b in arcs if b == v) for v in range(n)]


def count_dags(n: int, d: int) -> int:
    """By looking at every DAG."""
    return sum(1 for arcs in naive.all_dags(n) if max(indegrees(n, arcs), default=0) <= d)


def indegree_distribution(n: int, w: Sequence[float]) -> list[float]:
    """P(|G_1| = r) by looking at every DAG; w(s) for s = 0, ..., n - 1."""
    weights = [0.0] * n
    for arcs in naive.all_dags(n):
        weight = 1.0
        for s in indegrees(n, arcs):
            weight *= w[s]
        weights[indegrees(n, arcs)[0]] += weight
    return [weight / sum(weights) for weight in weights]


def theorem_3(n: int, w: Sequence[Fraction]) -> list[Fraction]:
    """P(|G_1| = r) = C(n-1, r) Z_{n,r} / Z_n by the recurrences of Eggeling et al. 2019, theorem 3, as printed."""
    S = [sum((comb(t, s) * w[s] for s in range(t + 1)), Fraction(0)) for t in range(n)]
    Z = [Fraction(1)]
    for m in range(1, n + 1):
        Z.append(sum(((-1) ** (k - 1) * comb(m, k) * S[m - k] ** k * Z[m - k] for k in range(1, m + 1)), Fraction(0)))

    def marked(r: int) -> Fraction:
        Zr = [Fraction(r == 0)]
        for m in range(1, n + 1):
            first = (
                (-1) ** (k - 1) * comb(m - r - 1, k - 1) * w[r] * S[m - k] ** (k - 1) * Z[m - k]
                for k in range(1, m - r + 1)
            )
            second = ((-1) ** (k - 1) * comb(m - r - 1, k) * S[m - k] ** k * Zr[m - k] for k in range(1, m - r))
            Zr.append(sum(first, Fraction(0)) + sum(second, Fraction(0)))
        return Zr[n]

    return [comb(n - 1, r) * marked(r) / Z[n] for r in range(n)]
