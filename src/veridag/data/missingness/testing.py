"""Tests of whether missing values depend on the values of a variable, or on missing values of another one."""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Expected counts below this are too small for the chi-square distribution, far out where corrected p-values are.
_EXACT_BELOW = 20


class Association(NamedTuple):
    """How being missing goes with something: p-value, correlation, and of discrete variables which state it is."""

    p_value: float
    correlation: float
    state: int = -1


def with_states(missing: Floats, total: Floats) -> Association | None:
    """Being missing against the states of a variable; None if there is nothing to test.

    `missing` has the number of observations in which the value is missing, by state of the other variable, and
    `total` the number of all. Each state is tested against the rest, by Fisher's exact test if an expected count is
    below 20 and by G2 otherwise. The p-value is the smallest times the number of states (once for two of them).
    """
    n, m = total.sum(), missing.sum()
    seen = np.flatnonzero(total > 0)
    if len(seen) < 2 or not 0 < m < n:
        return None
    k, t = missing[seen], total[seen]
    p = two_by_two(k, t, m, n) if len(seen) > 2 else two_by_two(k[:1], t[:1], m, n)
    best = int(p.argmin())
    p_value = min(1.0, len(p) * float(p[best]))
    spread = sqrt(t[best] * (n - t[best]) * m * (n - m))
    correlation = (k[best] * n - t[best] * m) / spread
    if len(seen) == 2 and correlation < 0:  # the same test; name the state in which more is missing
        best, correlation = 1 - best, -correlation
    return Association(p_value, float(correlation), int(seen[best]))


def with_numbers(n: float, spread: float, m: float, rank_sum: float) -> Association | None:
    """Being missing against the numbers of a continuous variable: the rank test of Mann and Whitney.

    Of the ranks of n observed numbers, `spread` is the sum of squares around their mean; equal numbers have their mean
    rank. In m of them the value is missing, and the ranks of these add up to `rank_sum`. By the normal
    approximation with correction for continuity, which is on the safe side where m is small.
    """
    if not 0 < m < n:
        return None
    variance = m * (n - m) / (n * (n - 1)) * spread
    if variance <= 0:
        return None
    excess = rank_sum - m * (n + 1) / 2
    z = max(0.0, abs(excess) - 0.5) / sqrt(variance)
    return Association(erfc(z / sqrt(2)), float(np.clip(excess / sqrt(variance * (n - 1)), -1, 1)))


def weighted_ranks(values: Floats, weights: Floats) -> Floats:
    """The rank of each value, where a value of weight w is there w times; equal ones have their mean rank."""
    _, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place, weights=weights)
    upto = np.cumsum(counts)
    ranks: Floats = (upto - (counts - 1) / 2)[place]
    return ranks


def two_by_two(k: Floats, t: Floats, m: float, n: float) -> Floats:
    """The two-sided p-values of independence, where k of t observations have one mark and m of all n have it."""
    from scipy.special import chdtrc, xlogy

    e = t * m / n
    cells = ((k, e), (t - k, t - e), (m - k, m - e), (n - t - m + k, n - t - m + e))
    g2 = 2 * np.sum(
        [xlogy(seen, np.where(seen > 0, seen, 1) / np.where(seen > 0, at, 1)) for seen, at in cells], axis=0
    )
    p: Floats = np.asarray(chdtrc(1, np.maximum(g2, 0.0)), dtype=np.float64)
    small = np.min([at for _, at in cells], axis=0) < _EXACT_BELOW
    for i in np.flatnonzero(small & (t > 0) & (t < n)):
        p[i] = _exact(float(k[i]), float(t[i]), m, n)
    return p


def _exact(k: float, t: float, m: float, n: float) -> float:
    """Fisher's exact test: twice the smaller tail of the hypergeometric distribution.

    Of the rarer mark in the smaller part there are few terms: up to sqrt(20 n) if an expected count is below 20.
    """
    from scipy.special import gammaln

    if t > n / 2:
        k, t = m - k, n - t
    if m > n / 2:
        k, m = t - k, n - m
    x = np.arange(0.0, min(t, m) + 1)
    log_p = -(gammaln(x + 1) + gammaln(t - x + 1) + gammaln(m - x + 1) + gammaln(n - t - m + x + 1))
    p = np.exp(log_p - log_p.max())
    at = int(k)
    return float(min(1.0, 2 * min(p[: at + 1].sum(), p[at:].sum()) / p.sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number, so that the chance of any false finding is bounded (Holm 1979)."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    factors = len(p) - np.arange(len(p))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return corrected.tolist()
