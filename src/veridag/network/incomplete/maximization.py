"""The M-step: parameters from expected statistics, as `fit` has them from counted ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridag.counts import SINGULAR
from veridag.errors import InputError
from veridag.network.network import Network
from veridag.network.parameters import CPD, ConditionalGaussian, Floats, LinearGaussian, Table

from .expectation import Statistics


@dataclass(frozen=True)
class Maximization:
    """The M-step with a prior that adds `imaginary` counts to each cell of a variable's table.

    It maximises sum n_ijk log theta_ijk + sum a_ijk log theta_ijk, with the expected counts n and the imaginary ones a,
    by (n_ijk + a_ijk) / (n_ij + a_ij), and the expected log-density of continuous variables by least squares.

    A configuration of discrete parents that is too rare for a regression of its own, or leaves no variance, takes that
    of all rows or keeps the one it had, whichever has the higher expected log-density: so none ever falls.
    """

    imaginary: dict[str, float]

    def __call__(self, statistics: Statistics, before: Network) -> Network:
        """The next parameters; `before` are those of which the statistics are."""
        cpds: dict[str, CPD] = {}
        for v in before.names:
            cpd = before.cpds[v]
            if isinstance(cpd, Table):
                counts = statistics.counts[v].reshape(cpd.probabilities.shape)
                cpds[v] = Table(cpd.parents, distributions(counts + self.imaginary[v]))
            else:
                cpds[v] = self._regressions(v, ConditionalGaussian.of(cpd), statistics.moments[v])
        return Network(cpds, before.states, name=before.name)

    def _regressions(self, x: str, cpd: ConditionalGaussian, moments: Floats) -> LinearGaussian | ConditionalGaussian:
        own, enough = regressions(moments)
        if not cpd.discrete:
            if not enough[0]:
                raise _without_density(x)
            return LinearGaussian(cpd.continuous, float(own[0, 0]), own[0, 1:-1], float(own[0, -1]))
        if not enough.all():
            pooled, usable = regressions(moments.sum(axis=0, keepdims=True))
            others = np.broadcast_to(pooled, own.shape) if usable[0] else cpd.rows
            better = expected_log_density(others, moments) >= expected_log_density(cpd.rows, moments)
            own = np.where(enough[:, None], own, np.where(better[:, None], others, cpd.rows))
        return ConditionalGaussian.from_rows(cpd.discrete, cpd.continuous, cpd.intercepts.shape, own)

    def require_all(self, statistics: Statistics, network: Network) -> None:
        """Refuse statistics in which a configuration has nothing to go by."""
        for v in network.names:
            cpd = network.cpds[v]
            if isinstance(cpd, Table):
                weight = statistics.counts[v].reshape(cpd.probabilities.shape) + self.imaginary[v]
                known, parents = weight.sum(axis=-1) > 0, cpd.parents
            else:
                own = ConditionalGaussian.of(cpd)
                known, parents = regressions(statistics.moments[v])[1].reshape(own.intercepts.shape), own.discrete
            if not known.all():
                where = np.unravel_index(int(known.argmin()), known.shape)
                given = ", ".join(f"{p} = {network.states[p][k]}" for p, k in zip(parents, where, strict=True))
                raise InputError(
                    f"unobserved='error': too few rows have, or can have, {given}, to estimate {v!r}: give a prior "
                    "with ess > 0 or fewer parents, or leave out unobserved='error'"
                )

    def log_prior(self, network: Network) -> float:
        """sum a_ijk log theta_ijk: the logarithm of the prior, up to a constant."""
        terms = [a * float(np.log(network.table(v).probabilities).sum()) for v, a in self.imaginary.items() if a > 0]
        return float(sum(terms))


def distributions(weight: Floats) -> Floats:
    """The weights divided by their sums over the last axis; uniform where there are none."""
    total = weight.sum(axis=-1, keepdims=True)
    return np.where(total > 0, weight / np.where(total > 0, total, 1.0), 1 / weight.shape[-1])


def regressions(moments: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Intercept, coefficients and standard deviation for each configuration, and whether its moments give them.

    They need as many observations as there are continuous parents, plus 2, and a variance that is left. The last of
    the variables that the moments are of, after 1, is regressed on the others; variables are in units of about their
    standard deviations. Parents that are linear functions of each other share their coefficients.
    """
    n = moments[:, 0, 0]
    k = moments.shape[-1] - 2
    per = moments / np.where(n > 0, n, 1.0)[:, None, None]
    mean = per[:, 0, 1:]
    covariance = per[:, 1:, 1:] - mean[:, :, None] * mean[:, None, :]
    variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    varies = variance > SINGULAR * np.diagonal(per[:, 1:, 1:], axis1=-2, axis2=-1)
    sd = np.sqrt(np.where(varies, variance, 1.0))
    correlation = np.where(varies[:, :, None] & varies[:, None, :], covariance / (sd[:, :, None] * sd[:, None, :]), 0.0)
    inside, towards = correlation[:, :k, :k], correlation[:, :k, k]
    slopes = (np.linalg.pinv(inside, rcond=SINGULAR, hermitian=True) @ towards[:, :, None])[..., 0] if k else towards
    left = 1.0 - 2 * (slopes * towards).sum(axis=1) + np.einsum("qi,qij,qj->q", slopes, inside, slopes)
    enough = (n >= k + 2) & varies[:, k] & (left > SINGULAR)
    coefficients = slopes * sd[:, k:] / sd[:, :k]
    intercept = mean[:, k] - (coefficients * mean[:, :k]).sum(axis=1)
    deviation = sd[:, k] * np.sqrt(np.maximum(left, SINGULAR))
    return np.column_stack([intercept, coefficients, deviation]), enough


def expected_log_density(rows: Floats, moments: Floats) -> Floats:
    """The expected log-density of each configuration's regression, up to a constant: -n log s - E[e^2] / (2 s^2)."""
    residual = np.column_stack([-rows[:, :-1], np.ones(len(rows))])
    squares = np.einsum("qi,qij,qj->q", residual, moments, residual)
    return np.asarray(-moments[:, 0, 0] * np.log(rows[:, -1]) - squares / (2 * rows[:, -1] ** 2))


def _without_density(x: str) -> InputError:
    return InputError(
        f"{x!r} is constant or a linear function of its parentsin the observed values, so its distribution has no "
        "density: leave it out, or give it fewer parents"
    )
