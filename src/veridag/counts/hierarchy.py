r"""The hierarchical Dirichlet model of related data sets: what their distributions have in common.

For one family, the cells $k = 1, \dots, K$ are the joint states of a variable and its parents. $F$ related data sets
$f$ have the counts $n_{kf}$ (Azzimonti, Corani and Scutari 2020, eq. 6):

$$
a \sim \mathrm{Dirichlet}(\alpha_0, \dots, \alpha_0), \quad \theta^f \mid a \sim \mathrm{Dirichlet}(s a), \quad
n_f \sim \mathrm{Multinomial}(\theta^f).
$$

It is approximated (eq. 8) by $a \sim \mathrm{Dirichlet}(\tau \kappa)$ with $\sum_k \kappa_k = 1$, and
$\theta^f \sim \mathrm{Dirichlet}(\nu^f)$, where $\nu_{kf} = s \kappa_k + n_{kf}$ at the optimum. So $s \kappa$ is the
posterior mean of $s a$: what the data sets share. With $\nu$ eliminated, $\kappa$ and $\tau$ maximise the bound
(Azzimonti, Corani and Zaffalon 2019)

$$
\begin{split}
L &= \ln\Gamma(K \alpha_0) - K \ln\Gamma(\alpha_0) + F \ln\Gamma(s) - \ln\Gamma(\tau) - F s (K - 1) / \tau \\
&+ \sum_k \{ A_k [\psi(\tau \kappa_k) - \psi(\tau)] + \ln\Gamma(\tau \kappa_k) - F \ln\Gamma(s \kappa_k)
  - F (1 - s \kappa_k) \ln \kappa_k \} \\
&+ \sum_f \{ \sum_k \ln\Gamma(s \kappa_k + n_{kf}) - \ln\Gamma(s + N_f) \}, \qquad
  A_k = \alpha_0 - \tau \kappa_k + F (1 - s \kappa_k).
\end{split}
$$

The code uses $x_k = \tau \kappa_k$ and $\tau = \sum_k x_k$, with $\sigma = s / \tau$ and
$R_k(z) = \sum_f [\ln\Gamma(z + n_{kf}) - \ln\Gamma(z)]$. The large terms cancel on paper, but not in floating point.
With $w(x) = \ln\Gamma(x) - (x - \frac12) \ln x + x - \frac12 \ln(2 \pi)$ and $d(x) = \ln x - \psi(x)$, both of order
$1 / x$,

$$
\begin{split}
L &= \mathrm{constant} + \sum_k \{ (\alpha_0 - \tfrac12) \ln x_k + w(x_k)
  - (\alpha_0 + F - (1 + F \sigma) x_k)\, d(x_k) + R_k(\sigma x_k) \} \\
&- (K \alpha_0 - \tfrac12) \ln \tau - w(\tau) + (K (\alpha_0 + F) - \tau - F s)\, d(\tau) - F s (K - 1) / \tau.
\end{split}
$$
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi

import numpy as np

from veridag.checks import Number

from .family import Counts, Floats

#: The imaginary sample size s and alpha0 that the optimum is computed for: to 1e-9 and better, in a few steps. Beyond,
#: terms of L that have the size of s cancel, or kappa runs towards 0 step by step.
ESS = Number(least=1e-8, most=1e5)
ALPHA0 = Number(least=1e-6, most=1e8)

#: Larger numbers of cells are replaced by this one: the score has long reached its limit, and squares stay finite.
MOST_CELLS = 1e100

#: Newton's method ends when no kappa and not tau moves by more than this share, or rounding keeps them from settling.
TOLERANCE = 1e-11
MAX_STEPS = 500

# 1/x and its powers in Stirling's series for w(x), up to x^-15: good to 1e-16 from x = 10 on.
_STIRLING: Floats = np.array([1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400])


@dataclass(frozen=True, eq=False)
class SharedPrior:
    """What related data sets have in common: `kappa` for each row of counts, `tau`, and the `bound` L they attain."""

    kappa: Floats
    tau: float
    bound: float


def shared_prior(n_kf: Counts, ess: float, alpha0: float, cells: Floats | None = None) -> SharedPrior:
    """The kappa and tau that maximise L, from the counts of each cell (a row) in each data set (a column).

    `cells` says how many cells each row stands for, one by default; above all those without observations need no row
    each. A data set without observations has to be left out: it would say nothing, but loosen the approximation.
    """
    multiplicity = np.ones(len(n_kf)) if cells is None else cells
    # L does not tell the data sets apart, and cells with the same counts share one kappa.
    rows, place = np.unique(np.sort(n_kf, axis=1), axis=0, return_inverse=True)
    together: Floats = np.zeros(len(rows))
    np.add.at(together, place.reshape(-1), multiplicity)
    bound = _Bound(rows, together, ess, alpha0)
    x, tau = _maximise(bound)
    value = _constant(n_kf, multiplicity, ess, alpha0) + bound.value(x, tau)
    return SharedPrior((x / tau)[place.reshape(-1)], tau, value)


class _Bound:
    """L up to a constant as a function of x and tau, for distinct rows of counts that each stand for m cells."""

    def __init__(self, n: Counts, m: Floats, s: float, alpha0: float) -> None:
        self.n, self.m, self.s, self.alpha0 = n, m, s, alpha0
        self.F, self.K = n.shape[1], float(m.sum())

    def start(self) -> tuple[Floats, float]:
        """All cells alike, and what tau is about where there is no data."""
        x = np.full(len(self.m), self.alpha0 + self.F)
        return x, float(self.m @ x)

    def value(self, x: Floats, tau: float) -> float:
        m, s, F, K, a = self.m, self.s, self.F, self.K, self.alpha0 + self.F
        sigma = s / tau
        terms = (self.alpha0 - 0.5) * np.log(x) + _stirling(x) - (a - (1 + F * sigma) * x) * _log_less_psi(x)
        total = m @ (terms + _rising(sigma * x, self.n)[0])
        total -= (K * self.alpha0 - 0.5) * log(tau) + float(_stirling(np.array(tau)))
        return float(total + (K * a - tau - F * s) * float(_log_less_psi(np.array(tau))) - F * s * (K - 1) / tau)

    def step(self, x: Floats, tau: float) -> tuple[Floats, float]:
        """Newton's step in kappa and tau along sum of m kappa = 1, as shares of each: d kappa / kappa and d tau / tau.

        It goes uphill: where L is not concave, it is taken as if it were. The Hessian is diagonal in kappa with one
        border for tau and one for the constraint, so that the step costs a few operations a cell. Derivatives are in
        ln kappa and ln tau; g, h and c are first, second and mixed ones, and t(x) = x psi'(x) - 1, with t1 its slope.
        """
        m, s, F, K, alpha0, a = self.m, self.s, self.F, self.K, self.alpha0, self.alpha0 + self.F
        z, b, free = s * x / tau, 1 + F * s / tau, K * a - F * s
        d, (t, t1) = _log_less_psi(x), _trigamma_excess(x)
        _, r1, r2 = _rising(z, self.n)
        g = alpha0 + (a - x) * t + F * z * (d - t) + z * r1
        h = (a - b * x) * x * t1 - alpha0 - (a + F * z) * t + z**2 * r2
        c = (a - b * x) * x * t1 - b * x * t
        T, T1 = (float(v) for v in _trigamma_excess(np.array(tau)))
        G = float(m @ (t * (a - b * x))) + F * s * (K - 1) / tau - T * (free - tau)
        H = float(m @ ((a - b * x) * x * t1 - (a - F * z) * t)) - 2 * F * s * (K - 1) / tau
        H += T * free - T1 * tau * (free - tau)
        h = np.where(h < 0, h, -np.abs(h) - 1e-3)
        weight = m / h
        xx, xc, xg = float(weight @ x**2), float(weight @ (x * c)), float(weight @ (x * g))
        curvature = H - float(weight @ c**2) + xc**2 / xx
        slope = G - float(weight @ (c * g)) + xc * xg / xx
        d_tau = -slope / (curvature if curvature < 0 else -abs(curvature) - 1e-3 * K)
        multiplier = (xg + xc * d_tau) / xx
        return np.asarray((multiplier * x - g - c * d_tau) / h), d_tau


def _maximise(bound: _Bound) -> tuple[Floats, float]:
    """Newton's method, its steps shortened until L does not fall."""
    x, tau = bound.start()
    value, before = bound.value(x, tau), np.inf
    for _ in range(MAX_STEPS):
        d_x, d_tau = bound.step(x, tau)
        size = max(float(np.abs(d_x).max()), abs(d_tau))
        length = 1.0
        while True:
            at = x * _factor(length * d_x)
            tau_at = tau * float(_factor(np.array(length * d_tau)))
            at *= tau_at / float(bound.m @ at)
            reached = bound.value(at, tau_at)
            if reached >= value - 1e-13 * abs(value) or size < 1e-6 or length < 1e-12:
                break
            length /= 2
        x, tau, value = at, tau_at, reached
        if size < TOLERANCE or (size < 1e-6 and size > before / 2):
            break
        before = size
    return x, tau


def _factor(share: Floats) -> Floats:
    """By what to multiply for a step of that share: the derivatives go with 1 / kappa, along which it is straight."""
    return np.asarray(1 / (1 - np.clip(share, -3.0, 0.7)))


def _constant(n_kf: Counts, cells: Floats, s: float, alpha0: float) -> float:
    from scipy.special import gammaln

    K, F = float(cells.sum()), n_kf.shape[1]
    half = 0.5 * log(2 * pi)
    sizes = gammaln(s + cells @ n_kf).sum()
    return float(gammaln(K * alpha0) - K * gammaln(alpha0) + F * gammaln(s) - sizes + (K - 1) * half)


# --- functions that stay exact where x is large, since the difference is never taken ----------------------------------


def _series(x: Floats, coefficient: Floats) -> Floats:
    """sum over i of coefficient_i x^-(2 i + 1)."""
    y = 1 / (x * x)
    total = np.zeros_like(x)
    for b in coefficient[::-1]:
        total = total * y + b
    return np.asarray(total / x)


_POWER: Floats = np.arange(1.0, 2 * len(_STIRLING), 2)
_LARGE = 10.0


def _stirling(x: Floats) -> Floats:
    """w(x) = lnG(x) - (x - 1/2) ln x + x - ln(2 pi) / 2."""
    from scipy.special import gammaln

    small = np.minimum(x, _LARGE)
    direct = gammaln(small) - (small - 0.5) * np.log(small) + small - 0.5 * log(2 * pi)
    return np.where(x < _LARGE, direct, _series(np.maximum(x, _LARGE), _STIRLING))


def _log_less_psi(x: Floats) -> Floats:
    """d(x) = ln x - psi(x) = 1 / (2 x) - w'(x)."""
    from scipy.special import psi

    large = np.maximum(x, _LARGE)
    small = np.minimum(x, _LARGE)
    return np.where(x < _LARGE, np.log(small) - psi(small), 0.5 / large + _series(large, _POWER * _STIRLING) / large)


def _trigamma_excess(x: Floats) -> tuple[Floats, Floats]:
    """t(x) = x psi'(x) - 1 = 1 / (2 x) + x w''(x), and its derivative."""
    from scipy.special import polygamma

    large, small = np.maximum(x, _LARGE), np.minimum(x, _LARGE)
    first, second = polygamma(1, small), polygamma(2, small)
    second_power = _POWER * (_POWER + 1) * _STIRLING
    t = 0.5 / large + _series(large, second_power) / large
    t1 = -0.5 / large**2 - _series(large, (_POWER + 1) * second_power) / large**2
    return np.where(x < _LARGE, small * first - 1, t), np.where(x < _LARGE, first + small * second, t1)


def _rising(z: Floats, n: Counts) -> tuple[Floats, Floats, Floats]:
    """R(z) = sum over f of lnG(z + n_f) - lnG(z) for each row of n, and its first two derivatives in z.

    Written with z + 1, so that a z which is nearly nothing does no harm; where n_f is 0 there is no term.
    """
    from scipy.special import gammaln, polygamma, psi

    a, occurs = z[:, None], n > 0
    value = np.where(occurs, gammaln(a + n) - gammaln(a + 1) + np.log(a), 0.0)
    first = np.where(occurs, psi(a + n) - psi(a + 1) + 1 / a, 0.0)
    second = np.where(occurs, polygamma(1, a + n) - polygamma(1, a + 1) - 1 / a**2, 0.0)
    return value.sum(axis=1), first.sum(axis=1), second.sum(axis=1)
