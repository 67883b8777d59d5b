"""Gaussian networks: the moments of a joint distribution, and conditioning on some of its variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError
from veridag.network.network import Network

Floats = NDArray[np.float64]

#: A direction in which the standardised evidence varies by less than this does not vary: its value is certain.
CERTAIN = 1e-12

#: How far, in standard deviations or in shares of the mean, evidence may be from a value that is certain.
AGREES = 1e-6


def moments(network: Network, names: Sequence[str]) -> tuple[Floats, Floats]:
    """The mean vector and the covariance matrix of some variables of a Gaussian network.

    With x = a + B x + e, where B[v, u] is the coefficient of the parent u of v and e has the variances D, the mean is
    `(I - B)^-1 a` and the covariance `(I - B)^-1 D (I - B)^-T`. Only the rows of `(I - B)^-1` that are needed are made.
    """
    ancestors = {*names, *network.dag.ancestors(names)}
    relevant = [v for v in network.dag.topological_order() if v in ancestors]
    at = {v: i for i, v in enumerate(relevant)}
    system = np.eye(len(relevant))
    for v in relevant:
        cpd = network.gaussian(v)
        system[at[v], [at[u] for u in cpd.parents]] = -cpd.coefficients
    unit = np.zeros((len(relevant), len(names)))
    unit[[at[v] for v in names], np.arange(len(names))] = 1.0
    rows = np.linalg.solve(system.T, unit).T
    scaled = rows * np.array([network.gaussian(v).sd for v in relevant])
    return rows @ np.array([network.gaussian(v).intercept for v in relevant]), scaled @ scaled.T


def condition(network: Network, targets: Sequence[str], evidence: Mapping[str, float]) -> tuple[Floats, Floats]:
    """The mean and the covariance of the targets given values of other variables.

    m_t + S_te S_ee^-1 (e - m_e) and S_tt - S_te S_ee^-1 S_et, where the inverse leaves out what is certain already.
    """
    mean, covariance = moments(network, (*targets, *evidence))
    t, e = slice(None, len(targets)), slice(len(targets), None)
    if not evidence:
        return mean, covariance
    scale = np.sqrt(covariance.diagonal()[e])
    scale[scale == 0] = np.maximum(1.0, np.abs(mean[e]))[scale == 0]
    distance = (np.array(list(evidence.values())) - mean[e]) / scale
    variances, directions = np.linalg.eigh(covariance[e, e] / np.outer(scale, scale))
    varies = variances > CERTAIN * len(evidence)
    along = directions.T @ distance
    if (np.abs(along[~varies]) > AGREES * max(1.0, float(np.abs(distance).max()))).any():
        given = ", ".join(f"{v} = {x:g}" for v, x in evidence.items())
        raise InputError(
            f"evidence: {given} has density zero under the network, where some of these variables are determined: "
            "change the evidence"
        )
    loading = (covariance[t, e] / scale) @ directions[:, varies]
    left = covariance[t, t] - (loading / variances[varies]) @ loading.T
    left = (left + left.T) / 2
    np.fill_diagonal(left, np.maximum(left.diagonal(), 0.0))
    return mean[t] + (loading / variances[varies]) @ along[varies], left
