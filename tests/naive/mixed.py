"""Slow, obvious versions of the scores of mixed data, written from the papers alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, lgamma, log, pi

import numpy as np

from veridag import Data
from veridag.counts import FamilyMoments

Rows = list[dict[str, float | str]]


def rows(data: Data) -> Rows:
    """The observations, a row of weight w being there w times, with the names of states."""
    weights = [1] * data.nrows if data.weights is None else data.weights.tolist()
    found: Rows = []
    for i in range(data.nrows):
        row = {
            v: data.states[v][data.column(v)[i]] if data.kinds[v] == "discrete" else float(data.column(v)[i])
            for v in data.names
        }
        found += [row] * weights[i]
    return found


def strata(data: Data, discrete: Sequence[str]) -> list[Rows]:
    """The observations by the configuration of some discrete variables."""
    found: dict[tuple[float | str, ...], Rows] = {}
    for row in rows(data):
        found.setdefault(tuple(row[v] for v in discrete), []).append(row)
    return list(found.values())


def regression_loglik(part: Rows, child: str, parents: Sequence[str]) -> float:
    """The maximised likelihood of a linear regression, by least squares."""
    y = np.array([row[child] for row in part], float)
    x = np.array([[1.0, *(float(row[p]) for p in parents)] for row in part])
    residuals = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    if len(y) <= len(parents) + 1:
        return inf
    return -len(y) / 2 * (log(2 * pi * float(residuals @ residuals) / len(y)) + 1)


def conditional_gaussian(data: Data, child: str, parents: Sequence[str], penalty: float) -> float:
    """A continuous child: a regression in each configuration, less a penalty for each parameter."""
    discrete = [p for p in parents if data.kinds[p] == "discrete"]
    continuous = [p for p in parents if data.kinds[p] == "continuous"]
    fit = sum(regression_loglik(part, child, continuous) for part in strata(data, discrete))
    q = int(np.prod([len(data.states[p]) for p in discrete]))
    return fit - penalty * q * (len(continuous) + 2)


def joint_loglik(data: Data, names: Sequence[str]) -> float:
    """The maximised likelihood of a set of variables under the conditional Gaussian distribution (Lauritzen 1996):

    a probability for each configuration of the discrete ones, and in each a joint Gaussian of the continuous ones.
    """
    discrete = [v for v in names if data.kinds[v] == "discrete"]
    continuous = [v for v in names if data.kinds[v] == "continuous"]
    n, total = len(rows(data)), 0.0
    for part in strata(data, discrete):
        total += len(part) * log(len(part) / n)
        if continuous:
            x = np.array([[float(row[v]) for v in continuous] for row in part])
            if len(x) <= len(continuous):
                return inf
            sign, determinant = np.linalg.slogdet(np.cov(x.T, bias=True).reshape(len(continuous), -1))
            if sign <= 0:
                return inf
            total -= len(x) / 2 * (len(continuous) * (log(2 * pi) + 1) + determinant)
    return total


def joint_nparams(data: Data, names: Sequence[str]) -> float:
    """Probabilities, means and covariances of that distribution."""
    q = int(np.prod([len(data.states[v]) for v in names if data.kinds[v] == "discrete"]))
    c = sum(data.kinds[v] == "continuous" for v in names)
    return q - 1 + q * (c + c * (c + 1) / 2)


def bge_of_set(x: np.ndarray, T: np.ndarray, nu: np.ndarray, N: int, a_mu: float, a_w: float) -> float:
    """The marginal likelihood of all columns of x (Kuipers et al. 2014, eq. A.21), T and nu being their parts."""
    n, l = x.shape  # noqa: E741 -- the paper's symbols
    if l == 0:
        return 0.0
    off = x.mean(axis=0) - nu
    R = T + (x - x.mean(axis=0)).T @ (x - x.mean(axis=0)) + n * a_mu / (n + a_mu) * np.outer(off, off)
    shape = a_w - N + l
    gammas = sum(lgamma((shape + n + 1 - i) / 2) - lgamma((shape + 1 - i) / 2) for i in range(1, l + 1))
    return (
        l / 2 * log(a_mu / (n + a_mu))
        - n * l / 2 * log(pi)
        + gammas
        + shape / 2 * np.linalg.slogdet(T)[1]
        - (shape + n) / 2 * np.linalg.slogdet(R)[1]
    )


def bcg_of_set(data: Data, names: Sequence[str], ess: float, a_mu: float = 1.0) -> float:
    """The marginal likelihood of a set of variables: BDeu of the discrete ones, BGe in each of their configurations."""
    discrete = [v for v in names if data.kinds[v] == "discrete"]
    continuous = [v for v in names if data.kinds[v] == "continuous"]
    q = int(np.prod([len(data.states[v]) for v in discrete]))
    N = sum(kind == "continuous" for kind in data.kinds.values())
    a_w = N + 2
    everything = np.array([[float(row[v]) for v in continuous] for row in rows(data)])
    T = a_mu * (a_w - N - 1) / (a_mu + 1) * np.diag(everything.var(axis=0)) if continuous else np.zeros((0, 0))
    nu = everything.mean(axis=0)
    total = lgamma(ess) - lgamma(ess + len(rows(data)))
    for part in strata(data, discrete):
        total += lgamma(ess / q + len(part)) - lgamma(ess / q)
        x = np.array([[float(row[v]) for v in continuous] for row in part]).reshape(len(part), len(continuous))
        total += bge_of_set(x, T, nu, N, a_mu, a_w)
    return total


def degenerate_gaussian_of_set(data: Data, names: Sequence[str], penalty: float, ess: float) -> float:
    """The Gaussian likelihood of continuous columns and of indicators of all states but the first."""
    columns, extra, start = [], [], 0
    for v in names:
        if data.kinds[v] == "continuous":
            columns.append([float(row[v]) for row in rows(data)])
            start += 1
            continue
        r = len(data.states[v])
        columns += [[float(row[v] == state) for row in rows(data)] for state in data.states[v][1:]]
        extra.append((start, r))
        start += r - 1
    if not columns:
        return 0.0
    x = np.array(columns).T
    n, d = x.shape
    scatter = (x - x.mean(axis=0)).T @ (x - x.mean(axis=0))
    for first, r in extra:
        scatter[first : first + r - 1, first : first + r - 1] += ess * (np.eye(r - 1) / r - 1 / r**2)
    sign, determinant = np.linalg.slogdet(scatter / n)
    if sign <= 0:
        return inf
    return -n / 2 * (d * (log(2 * pi) + 1) + determinant) - penalty * d * (d + 3) / 2


def _values(part: Rows, names: Sequence[str]) -> np.ndarray:
    return np.array([[float(row[v]) for v in names] for row in part]).reshape(len(part), len(names))


def _fit(part: Rows, child: str, parents: Sequence[str]) -> tuple[int, float]:
    """The rank of the parents around their mean, and the residual sum of squares of the child; 0 for almost none."""
    z, y = _values(part, parents), _values(part, [child])[:, 0]
    z, y = z - z.mean(axis=0), y - y.mean()
    scale = np.abs(z).max(axis=0, initial=0.0)
    z = z / np.where(scale > 0, scale, 1.0)
    coefficients, _, rank, _ = np.linalg.lstsq(z, y, rcond=1e-7) if z.shape[1] else (np.zeros(0), 0, 0, 0)
    left = y - z @ coefficients
    return int(rank), 0.0 if left @ left <= 1e-12 * (y @ y) else float(left @ left)


def g2(data: Data, x: str, y: str, given: Sequence[str]) -> tuple[float, int]:
    """The likelihood ratio and its degrees of freedom by what occurs, with the rules for cells of few rows."""
    z_discrete = [v for v in given if data.kinds[v] == "discrete"]
    z = [v for v in given if data.kinds[v] == "continuous"]
    total, df = 0.0, 0
    for stratum in strata(data, z_discrete):
        if data.kinds[x] == data.kinds[y] == "discrete":
            term, own = _two_discrete(stratum, x, y, z)
        elif data.kinds[x] == data.kinds[y]:
            term, own = _two_continuous(stratum, x, y, z)
        else:
            discrete, continuous = (x, y) if data.kinds[x] == "discrete" else (y, x)
            term, own = _discrete_and_continuous(stratum, discrete, continuous, z)
        total, df = total + term, df + own
    return max(total, 0.0), df


def _split(part: Rows, name: str) -> list[Rows]:
    return [[row for row in part if row[name] == state] for state in sorted({str(row[name]) for row in part})]


def _two_continuous(part: Rows, x: str, y: str, z: Sequence[str]) -> tuple[float, int]:
    n, (rank, without), (_, beside) = len(part), _fit(part, x, z), _fit(part, x, [y, *z])
    if n <= rank + 2 or without == 0 or _fit(part, y, z)[1] == 0:
        return 0.0, 0
    if beside == 0:
        return (inf, 1) if n > rank + 7 else (0.0, 0)
    return n * log(without / beside), 1


def _discrete_and_continuous(part: Rows, x: str, y: str, z: Sequence[str]) -> tuple[float, int]:
    cells = []
    for cell in _split(part, x):
        rank, residual = _fit(cell, y, z)
        if len(cell) > rank + 1 + (5 if residual == 0 else 0):
            cells.append((len(cell), rank, residual, cell))
    if len(cells) < 2:
        return 0.0, 0
    together = [row for *_, cell in cells for row in cell]
    rank, residual = _fit(together, y, z)
    if residual == 0:
        return 0.0, 0
    df = sum(own + 2 for _, own, _, _ in cells) - rank - 2
    if any(own == 0 for _, _, own, _ in cells):
        return inf, df
    each = sum(n * log(own / n) for n, _, own, _ in cells)
    return len(together) * log(residual / len(together)) - each, df


def _two_discrete(part: Rows, x: str, y: str, z: Sequence[str]) -> tuple[float, int]:
    def log_det(some: Rows) -> float:
        values = _values(some, kept)
        return len(some) * float(np.linalg.slogdet(np.cov(values.T, bias=True).reshape(len(kept), -1))[1])

    kept: list[str] = []
    for v in z:
        if _fit(part, v, kept)[1] > 0:
            kept.append(v)
    cells = [cell for row in _split(part, x) for cell in _split(row, y)]
    good = [c for c in cells if len(c) > len(kept) and all(_fit(c, v, kept[:i])[1] > 0 for i, v in enumerate(kept))]
    xs, ys = {c[0][x] for c in good}, {c[0][y] for c in good}
    if min(len(xs), len(ys)) < 2:
        return 0.0, 0
    counted = [row for row in part if row[x] in xs and row[y] in ys]
    gaussian = [row for cell in good for row in cell]
    sides = [[counted], _split(counted, x), _split(counted, y), [c for s in _split(counted, x) for c in _split(s, y)]]
    g2 = sum(sign * 2 * len(c) * log(len(c)) for sign, side in zip((1, -1, -1, 1), sides, strict=True) for c in side)
    if kept:
        g2 -= log_det(gaussian) + sum(map(log_det, good))
        g2 += sum(log_det(c) for v in (x, y) for c in _split(gaussian, v))
    free = max(len(good) - len(xs) - len(ys) + 1, 0)
    return g2, (len(xs) - 1) * (len(ys) - 1) + free * (len(kept) + len(kept) * (len(kept) + 1) // 2)


def degenerate_g2(data: Data, x: str, y: str, given: Sequence[str], ess: float) -> float:
    """By four determinants."""
    sets = ([x, y, *given], list(given), [x, *given], [y, *given])
    h = [degenerate_gaussian_of_set(data, names, 0.0, ess) for names in sets]
    return 2 * (h[0] + h[1] - h[2] - h[3])


def unbiased(stratum: FamilyMoments) -> float:
    """The likelihood with the residual sum of squares divided by n - |parents| - 1, as the oracle has it."""
    rest = stratum.n - len(stratum.parents) - 1
    variance = stratum.residual_variance * stratum.n / rest
    return -stratum.n / 2 * log(2 * pi * variance) - rest / 2
