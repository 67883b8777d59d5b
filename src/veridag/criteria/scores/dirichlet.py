"""The Bayesian Dirichlet (BD) marginal likelihood of a family: scores differ in the hyperparameters alpha_ijk."""

from __future__ import annotations

from abc import abstractmethod
from math import log

import numpy as np
from numpy.typing import NDArray

from veridag.counts import Counts, FamilyCounts, Floats

from .base import Score


class UniformDirichlet(Score):
    r"""A Bayesian Dirichlet score with the same $\alpha_{ijk}$ in all cells of a family.

    See also:
        `BDeu`, `BDs`, docs/scores/index.md
    """

    @abstractmethod
    def log_alpha(self, family: FamilyCounts) -> float:
        r"""$\log \alpha_{ijk}$ in the parent configurations that occur."""

    @abstractmethod
    def core_formula(self) -> tuple[str, list[float]]:
        """The name of the formula in the C++ core, and its parameters."""


def log_bd(n_ijk: Counts, log_alpha_ijk: Floats, log_alpha_ij: Floats) -> float:
    """The logarithm of BD (Scutari, Graafland and Gutierrez 2019, eq. 9; Heckerman et al. 1995):

    product over j of Gamma(alpha_ij) / Gamma(alpha_ij + n_ij) * product over k of
    Gamma(alpha_ijk + n_ijk) / Gamma(alpha_ijk).

    Configurations j that do not occur give the factor 1, so `n_ijk` needs rows for the others only. The
    hyperparameters come as logarithms because alpha / (r_i q_i) may be smaller than any float. Data with a cell that
    the prior excludes (alpha_ijk = 0, n_ijk > 0) has probability 0, and this is minus infinity.
    """
    if np.any((n_ijk > 0) & (log_alpha_ijk == -np.inf)):
        return -np.inf
    cells = log_rising(log_alpha_ijk, n_ijk).sum()
    return float(cells - log_rising(log_alpha_ij, n_ijk.sum(axis=1)).sum())


def log_bd_uniform(family: FamilyCounts, log_alpha: float) -> float:
    """The logarithm of BD with the same alpha_ijk = exp(log_alpha) in every cell."""
    alpha_ijk = np.full(family.n_ijk.shape, log_alpha)
    alpha_ij = np.full(family.q_observed, log_alpha + log(family.r))
    return log_bd(family.n_ijk, alpha_ijk, alpha_ij)


def log_rising(log_alpha: Floats, n: Counts) -> Floats:
    """log(Gamma(alpha + n) / Gamma(alpha)), elementwise; 0 where n is 0.

    Written as log(alpha) + log(Gamma(alpha + n) / Gamma(alpha + 1)), which holds for n > 0 and stays exact when alpha
    is too small for a float. From alpha = 10 on it is the difference of two series of Stirling,

        n log(alpha) + (alpha + n - 1/2) log(1 + n / alpha) - n + w(alpha + n) - w(alpha),

    with w(x) = 1 / (12 x) - 1 / (360 x^3) + ...: the difference of two log-gammas has no digits left where alpha is
    far above n.
    """
    from scipy.special import gammaln  # takes longer to load than the core to learn: only where the formula is used

    alpha = np.exp(log_alpha)
    occurs: NDArray[np.bool_] = n > 0
    small, large = np.minimum(alpha, _LARGE), np.maximum(alpha, _LARGE)
    with np.errstate(invalid="ignore"):
        direct = log_alpha + gammaln(small + n) - gammaln(small + 1)
        series = (
            n * log_alpha + ((large + n - 0.5) * np.log1p(n / large) - n) + (_stirling(large + n) - _stirling(large))
        )
    return np.where(occurs, np.where(alpha < _LARGE, direct, series), 0.0)


#: From here on Stirling's series is exact to a float's last digits.
_LARGE = 10.0


def _stirling(x: Floats) -> Floats:
    """w(x) = log Gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2, for x of at least 10."""
    y = 1 / x
    z = y * y
    return np.asarray(
        y * (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z * (1 / 1188 - z * (691 / 360360 - z / 156))))))
    )
