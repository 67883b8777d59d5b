"""The bound of the hierarchical model as it stands in the derivation, and the search for its optimum left to scipy."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln, psi

from veridag import Data


def bound(n_kf: np.ndarray, s: float, alpha0: float, kappa: np.ndarray, tau: float) -> float:
    K, F = n_kf.shape
    total = gammaln(K * alpha0) - K * gammaln(alpha0) + F * gammaln(s) - gammaln(tau) - F * s * (K - 1) / tau
    for k in range(K):
        A = alpha0 - tau * kappa[k] + F * (1 - s * kappa[k])
        total += A * (psi(tau * kappa[k]) - psi(tau)) + gammaln(tau * kappa[k])
        total -= F * gammaln(s * kappa[k]) + F * (1 - s * kappa[k]) * np.log(kappa[k])
    for f in range(F):
        total += gammaln(s * kappa + n_kf[:, f]).sum() - gammaln(s + n_kf[:, f].sum())
    return float(total)


def optimum(n_kf: np.ndarray, s: float, alpha0: float) -> tuple[np.ndarray, float]:
    def unpack(v: np.ndarray) -> tuple[np.ndarray, float]:
        kappa = np.exp(v[:-1] - v[:-1].max())
        return kappa / kappa.sum(), float(np.exp(v[-1]))

    start = np.append(np.zeros(len(n_kf)), np.log(n_kf.size))
    scale = max(1.0, abs(bound(n_kf, s, alpha0, *unpack(start))))
    found = minimize(
        lambda v: -bound(n_kf, s, alpha0, *unpack(v)) / scale, start, method="BFGS", options={"gtol": 1e-10}
    )
    return unpack(found.x)


def bhd(data: Data, child: str, parents: list[str], s: float, alpha0: float) -> float:
    """Every possible cell counted one by one, the optimum by scipy, then eq. 9."""
    names = [*parents, child]
    labels = [g for i, g in enumerate(data.groups) if (data.group == i).any()]
    shape = [len(data.states[v]) for v in names]
    n = np.zeros((len(labels), *shape))
    for i in range(data.nrows):
        weight = 1 if data.weights is None else data.weights[i]
        n[(labels.index(data.groups[data.group[i]]), *(data.column(v)[i] for v in names))] += weight
    n = n[[part.sum() > 0 for part in n]]
    kappa, _ = optimum(n.reshape(len(n), -1).T, s, alpha0)
    alpha = s * kappa.reshape(shape)
    cells = gammaln(alpha + n) - gammaln(alpha)
    rows = gammaln(alpha.sum(axis=-1) + n.sum(axis=-1)) - gammaln(alpha.sum(axis=-1))
    return float(cells.sum() - rows.sum())
