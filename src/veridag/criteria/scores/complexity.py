"""The multinomial complexity: the normaliser of the NML distribution of a multinomial variable."""

from __future__ import annotations

from functools import lru_cache
from math import fsum, isqrt, log

import numpy as np

from veridag.counts import Floats
from veridag.errors import InputError

#: Terms are summed until those left are together below this share of the sum.
NEGLIGIBLE = 1e-17
BLOCK = 1 << 12


#: The most observations that scores compute the complexity for. It takes about sqrt(n k) steps, in which nothing can be
#: interrupted: a tenth of a second at this number.
MOST_OBSERVATIONS = 10**12


def check_observations(n: int, score: str) -> None:
    """Refuse more observations than the complexity can be computed for in a moment."""
    if n > MOST_OBSERVATIONS:
        raise InputError(
            f"{score} is for up to 10^12 observations, and the data has {n}: use BIC, which it approaches, or divide "
            "all weights by the same number"
        )


@lru_cache(maxsize=1 << 16)
def log_complexity(n: int, k: int) -> float:
    """log C(n, k), the complexity of a variable with k states and n observations; k may be any integer above 0.

    C(n, k) = sum over k_1 + ... + k_r = n of n! / (k_1! ... k_r!) * product of (k_j / n)^k_j, with r = k
    (Viinikka 2019, section 2.6.3), equals

        sum over m = 0, ..., n of  t_m = n (n-1) ... (n-m+1) * (k-1) k ... (k+m-2) / (n^m m!)

    (Mononen and Myllymäki 2008), and this one form is used for all n and k: its terms are positive, t_m / t_(m-1) falls
    as m grows, and the sum is taken outwards from its largest term until the remaining ones cannot matter. No
    approximation for large n is involved. C(0, k) = C(n, 1) = 1.
    """
    if n < 0 or k < 1:
        raise InputError(f"log_complexity(n={n}, k={k}) needs n of at least 0 and k of at least 1")
    n, k = int(n), int(k)  # numpy's integers overflow
    if n == 0 or k == 1:
        return 0.0
    a = k - 1
    # t_m / t_(m-1) passes 1 at the positive root of m^2 + a m - n (a - 1) = 0.
    peak = min(n, 1 + (isqrt(a * a + 4 * n * (a - 1)) - a) // 2)
    return _log_term(n, a, peak) + log(1 + _sum_above(n, a, peak) + _sum_below(n, a, peak))


def _log_term(n: int, a: int, m: int) -> float:
    """log t_m = sum over i < m of log(1 - i/n) + log(a + i) - log(1 + i)."""
    sums = []
    for start in range(0, m, 1 << 18):
        i = np.arange(start, min(m, start + (1 << 18)), dtype=np.float64)
        sums.append(float(np.sum(np.log1p(-i / n) + np.log1p(i * (1 / a)) - np.log1p(i))))
    return fsum([m * log(a), *sums])


def _sum_above(n: int, a: int, peak: int) -> float:
    """Sum of t_m / t_peak over m > peak."""
    most = float(min(a, 10**300))  # beyond, the largest term is the last
    total, term = 0.0, 1.0
    for start in range(peak, n, BLOCK):
        m = np.arange(start, min(n, start + BLOCK), dtype=np.float64)
        ratios = (1 - m / n) * ((most + m) / (m + 1))  # t_(m+1) / t_m
        total, term, left = _add(total, term, ratios)
        if left <= NEGLIGIBLE * (1 + total):
            break
    return total


def _sum_below(n: int, a: int, peak: int) -> float:
    """Sum of t_m / t_peak over m < peak."""
    total, term = 0.0, 1.0
    for start in range(peak, 0, -BLOCK):
        m = np.arange(start, max(0, start - BLOCK), -1, dtype=np.float64)
        ratios = m * (1 / a) / ((1 - (m - 1) / n) * (1 + (m - 1) * (1 / a)))  # t_(m-1) / t_m
        total, term, left = _add(total, term, ratios)
        if left <= NEGLIGIBLE * (1 + total):
            break
    return total


def _add(total: float, term: float, ratios: Floats) -> tuple[float, float, float]:
    """Go on by these ratios of neighbouring terms: the new sum, the last term, and a bound for all that follow.

    The ratios fall, so what follows is at most a geometric series with the last of them.
    """
    with np.errstate(under="ignore"):
        terms = term * np.cumprod(ratios)
    last, ratio = float(terms[-1]), float(ratios[-1])
    return total + float(terms.sum()), last, last * ratio / (1 - ratio) if ratio < 1 else np.inf
