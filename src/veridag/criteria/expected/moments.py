"""Expected moments: mean and scatter of continuous data once a Gaussian network has filled in missing values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from veridag.counts import Floats
from veridag.data import Column, Data
from veridag.network import Network
from veridag.network.query.gaussian import CERTAIN, moments

Mask = NDArray[np.bool_]


class GaussianFill:
    r"""Missing values of continuous data given the observed ones: a mean for each, and a covariance for each pattern.

    With the mean $m$ and the covariance $S$ of the network, the missing values $u$ of a row, given its observed values
    $o$, have the mean $m_u + S_{uo} S_{oo}^{-1} (x_o - m_o)$ and the covariance $S_{uu} - S_{uo} S_{oo}^{-1} S_{ou}$.
    The covariance is the same for all rows in which the same variables are missing.
    """

    def __init__(self, network: Network, data: Data) -> None:
        self.mean, self.covariance = moments(network, data.names)
        self.observed = np.column_stack([data.observed(v) for v in data.names])
        self.values = np.column_stack([c.values for c in data.columns])
        self.patterns, inverse = np.unique(self.observed, axis=0, return_inverse=True)
        order = np.argsort(inverse.reshape(-1), kind="stable")
        ends = np.cumsum(np.bincount(inverse.reshape(-1), minlength=len(self.patterns)))
        self.rows = np.split(order, ends[:-1])
        self.covariances = [self._fill(pattern, rows) for pattern, rows in zip(self.patterns, self.rows, strict=True)]

    def _fill(self, observed: Mask, rows: NDArray[np.intp]) -> Floats:
        """Puts the means into these rows; returns the covariance of what they lack."""
        o, u = np.flatnonzero(observed), np.flatnonzero(~observed)
        S = self.covariance
        if not len(u):
            return np.zeros((0, 0))
        slopes = S[np.ix_(u, o)] @ _inverse(S[np.ix_(o, o)])
        self.values[np.ix_(rows, u)] = self.mean[u] + (self.values[np.ix_(rows, o)] - self.mean[o]) @ slopes.T
        left = S[np.ix_(u, u)] - slopes @ S[np.ix_(o, u)]
        return (left + left.T) / 2


def expected_moments(network: Network, data: Data) -> tuple[Floats, Floats]:
    """E[mean] and E[sum (x - mean)(x - mean)^T], with the expected mean, of all variables given what is observed."""
    filled = GaussianFill(network, data)
    w = np.ones(data.nrows) if data.weights is None else data.weights.astype(float)
    mean = np.asarray(w @ filled.values) / data.n
    x = (filled.values - mean) * np.sqrt(w)[:, None]
    scatter = x.T @ x
    for pattern, rows, covariance in zip(filled.patterns, filled.rows, filled.covariances, strict=True):
        u = np.flatnonzero(~pattern)
        scatter[np.ix_(u, u)] += w[rows].sum() * covariance
    return mean, scatter


def data_with_moments(data: Data, mean: Floats, scatter: Floats) -> Data:
    """Complete data with this mean and scatter, and the variables and the number of observations of `data`.

    Scores of Gaussian data see nothing else of it. One row for each variable and one more carry the scatter; the other
    observations lie at the mean. There must be more observations than variables.
    """
    variables = len(mean)
    weights = np.append(np.ones(variables + 1, np.int64), np.int64(data.n - variables - 1))
    rows = np.vstack([_helmert(variables) @ _root(scatter).T, np.zeros((1, variables))]) + mean
    return Data([Column.continuous(v, rows[:, i]) for i, v in enumerate(data.names)], weights)


def _helmert(k: int) -> Floats:
    """k orthonormal columns of k + 1 numbers that sum to zero."""
    columns = np.tril(np.full((k + 1, k + 1), -1.0), -1).T[:, 1:]
    steps = np.arange(1, k + 1)
    columns[steps, steps - 1] = steps
    return np.asarray(columns / np.sqrt(steps * (steps + 1.0)))


def _scale(covariance: Floats) -> Floats:
    scale = np.sqrt(covariance.diagonal())
    return np.where(scale > 0, scale, 1.0)


def _root(covariance: Floats) -> Floats:
    """A with A A^T = the matrix, which may be singular."""
    scale = _scale(covariance)
    variances, directions = np.linalg.eigh(covariance / np.outer(scale, scale))
    return np.asarray(scale[:, None] * directions * np.sqrt(np.maximum(variances, 0.0)))


def _inverse(covariance: Floats) -> Floats:
    """The inverse, which leaves out directions that do not vary."""
    if not len(covariance):
        return covariance
    scale = _scale(covariance)
    correlation = covariance / np.outer(scale, scale)
    return np.linalg.pinv(correlation, rcond=CERTAIN * len(scale), hermitian=True) / np.outer(scale, scale)
