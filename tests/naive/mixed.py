"""Slow, obvious versions of the scores of mixed data, written from the papers alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, lgamma, log, pi

import numpy as np

from veridag import Data

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
