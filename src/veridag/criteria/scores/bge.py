"""The Bayesian Gaussian equivalent score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import lgamma, log, pi
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from veridag import _core
from veridag.checks import Number, Optional, checked
from veridag.counts import FamilyMoments, FamilyStrata, Floats, family_moments, mean_vector, scatter_matrix
from veridag.data import Data
from veridag.data.columns import DataKind
from veridag.errors import InputError, suggest

from .base import Score, rows_for


def _check_mean(name: str, nu: Any) -> tuple[float, ...] | tuple[tuple[str, float], ...] | None:
    """A tuple of numbers, or of (column, number) sorted by column; None stays None."""
    if nu is None:
        return None
    if isinstance(nu, Mapping):
        return _check_mean(name, tuple(nu.items()))
    if isinstance(nu, str) or not hasattr(nu, "__iter__") or not len(entries := tuple(nu)):
        raise InputError(f"{name}={nu!r} must give a mean for each column, as a list of numbers or by name")
    if all(isinstance(e, tuple) and len(e) == 2 and isinstance(e[0], str) for e in entries):
        named = {column: Number()(f"{name}[{column!r}]", value) for column, value in entries}
        if len(named) < len(entries):
            raise InputError(f"{name}={entries!r} names a column twice: give one mean for each")
        return tuple(sorted(named.items()))
    return tuple(Number()(f"{name}[{i}]", value) for i, value in enumerate(entries))


def _check_scale(name: str, T: Any) -> float | str | tuple[tuple[float, ...], ...] | None:
    """A positive number, or a positive definite matrix as nested tuples; None and "scaled" stay as they are."""
    if T is None or (isinstance(T, str) and T == "scaled"):
        return T
    if isinstance(T, str):
        raise InputError(f"{name}={T!r} must be 'scaled', a number or a square matrix")
    if np.ndim(T) == 0:
        return Number(above=0)(name, T)
    try:
        if np.asarray(T).dtype == bool:
            raise TypeError("booleans are not numbers")
        matrix = np.array(T, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}={T!r} must be a square matrix of numbers, or one number") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
        raise InputError(
            f"{name} must be a square matrix of finite numbers, or one number: its shape is {matrix.shape}"
        )
    if not np.array_equal(matrix, matrix.T) or np.linalg.eigvalsh(matrix).min() <= 0:
        raise InputError(
            f"{name}={matrix.tolist()} must be symmetric and positive definite, such as a covariance matrix"
        )
    return tuple(tuple(row) for row in matrix.tolist())


#: Beyond it the logarithms of |R| and |T|, which are multiplied with a_w, differ in digits that a float does not have.
MOST_WISHART = 1e6

#: The diagonal elements of T, so that sums and quotients of those of T and R stay within what a float holds.
LEAST_SCALE, MOST_SCALE = 1e-150, 1e150

#: How many times its diagonal elements a prior mean may add to R: far more would drown their digits.
MOST_SHIFT = 1e6


@dataclass(frozen=True)
class BGe(Score):
    r"""The marginal likelihood of a Gaussian family under a normal-Wishart prior (Geiger and Heckerman 2002).

    With $N$ variables, $n$ observations and $l$ parents $P$ of $X_i$, eq. (10) of Scutari, Graafland and Gutierrez
    (2019) is

    $$
    \begin{split}
    & \tfrac12 \log \frac{\alpha_\mu}{n + \alpha_\mu} + \log \Gamma\!\left(\tfrac{n + \alpha_w - N + l + 1}{2}\right)
      - \log \Gamma\!\left(\tfrac{\alpha_w - N + l + 1}{2}\right) - \tfrac n2 \log \pi \\
    & + \tfrac{\alpha_w - N + l + 1}{2} \log |T_{iP}| - \tfrac{\alpha_w - N + l}{2} \log |T_P| \\
    & + \tfrac{n + \alpha_w - N + l}{2} \log |R_P| - \tfrac{n + \alpha_w - N + l + 1}{2} \log |R_{iP}|
    \end{split}
    $$

    where $R = T + S_n + \frac{n \alpha_\mu}{n + \alpha_\mu} (\bar x - \nu)(\bar x - \nu)^\top$. The exponents and the
    first factor are misprinted there and correct in Kuipers, Moffa and Heckerman (2014).

    - `iss_mu`, $\alpha_\mu$: the equivalent sample size of the mean.
    - `iss_w`, $\alpha_w$: the equivalent sample size of the covariance, above $N - 1$ and at most 1e6; $N + 2$ if None.
    - `nu`: the prior mean: a number for each column, in order or by name; the means of the data if None.
    - `T`: the prior scale: a symmetric positive definite $N \times N$ matrix, or $t$ for $t$ times the identity matrix.
      If None, $t = \alpha_\mu (\alpha_w - N - 1) / (\alpha_\mu + 1)$, which needs $\alpha_w > N + 1$. ``"scaled"`` is
      this $t$ times the variances of the columns, on the diagonal; then the units of the columns do not matter.

    A matrix `T` and a `nu` by position need the columns of the data. Such a score has `local`, but not `continuous`.

    See also:
        `BIC`, `BCG`, docs/scores/index.md
    """

    iss_mu: float = field(default=1.0, metadata=checked(Number(above=0)))
    iss_w: float | None = field(
        default=None, metadata=checked(Optional(Number(above=0, most=MOST_WISHART, example=10)))
    )
    nu: Mapping[str, float] | Sequence[float] | Sequence[tuple[str, float]] | None = field(
        default=None, metadata=checked(_check_mean)
    )
    T: float | ArrayLike | Literal["scaled"] | None = field(default=None, metadata=checked(_check_scale))
    equivalent: ClassVar[bool] = True
    scores_constants: ClassVar[bool] = True  # the prior bounds the likelihood

    def continuous(self, family: FamilyMoments) -> float:
        """The local score of a family, where neither `nu` nor `T` depends on the order of the columns."""
        if isinstance(self.T, tuple) or (isinstance(self.nu, tuple) and not self._named_nu):
            raise InputError(
                f"nu and T follow the order of the columns and need the data: use local({family.child!r}, parents, "
                "data)"
            )
        diagonal = _positive(family.scatter.diagonal() / family.n) if self.T == "scaled" else np.ones(len(family.mean))
        nu = family.mean if self.nu is None else self._nu_of((*family.parents, family.child))
        T = np.diag(self._scale(family.nvariables) * diagonal)
        self._check_range(T.diagonal())
        names = (*family.parents, family.child)
        self._check_shift(names, family.mean, nu, (T + family.scatter).diagonal(), family.n)
        return self._log_marginal(family, T, nu)

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family."""
        data = rows_for(child, data)
        self.check(data)
        family = family_moments(data, child, parents)
        return self._log_marginal(family, *self._prior_of((*family.parents, child), data))

    def stratified(self, family: FamilyStrata, data: Data) -> float:
        """The sum of the local scores in the strata of discrete parents, with the same prior in each.

        `data` are the continuous variables: their number is N, and what the prior takes from the data is from all rows.
        """
        T, nu = self._prior_of((*family.continuous_parents, family.child), data)
        size = len(data.names)
        return sum(self._log_marginal(replace(part, nvariables=size), T, nu) for part in family.strata)

    def _prior_of(self, names: Sequence[str], data: Data) -> tuple[Floats, Floats]:
        """The parts of T and nu that belong to these columns."""
        at = [data.names.index(v) for v in names]
        return self.prior_matrix(data)[np.ix_(at, at)], self.prior_mean(data)[at]

    def _log_marginal(self, family: FamilyMoments, T: Floats, nu: Floats) -> float:
        n, N, l = family.n, family.nvariables, len(family.parents)  # noqa: E741 -- the paper's symbols
        a_mu, a_w = self.iss_mu, self.wishart(N)
        log_T_P, log_T_iP = _log_determinants(T, family, 0.0)
        log_R_P, log_R_iP = _log_determinants(self.posterior_matrix(family, T, nu), family, DROWNED)
        return (
            0.5 * (log(a_mu) - log(n + a_mu))
            + lgamma((n + a_w - N + l + 1) / 2)
            - lgamma((a_w - N + l + 1) / 2)
            - n / 2 * log(pi)
            + (a_w - N + l + 1) / 2 * log_T_iP
            - (a_w - N + l) / 2 * log_T_P
            + (n + a_w - N + l) / 2 * log_R_P
            - (n + a_w - N + l + 1) / 2 * log_R_iP
        )

    def posterior_matrix(self, family: FamilyMoments, T: Floats, nu: Floats) -> Floats:
        """R = T + S_n + n a_mu / (n + a_mu) (mean - nu)(mean - nu)^T, with the family's parts of T and nu."""
        return T + family.scatter + self._weight(family.n) * np.outer(family.mean - nu, family.mean - nu)

    def _weight(self, n: int) -> float:
        """n a_mu / (n + a_mu), whose product may be too large for a float."""
        less, more = sorted((float(n), self.iss_mu))
        return less / (1 + less / more)

    def wishart(self, nvariables: int) -> float:
        """a_w for data with this number of variables."""
        a_w = nvariables + 2.0 if self.iss_w is None else self.iss_w
        least = nvariables + 1 if self._follows else nvariables - 1
        if a_w <= least:
            raise InputError(
                f"iss_w={a_w:g} must be above {least} for {nvariables} variables; leave it out for {nvariables + 2}"
            )
        return a_w

    def _scale(self, nvariables: int) -> float:
        if isinstance(self.T, float):
            return self.T
        return self.iss_mu / (self.iss_mu + 1) * (self.wishart(nvariables) - nvariables - 1)

    def prior_matrix(self, data: Data) -> Floats:
        """T for continuous data."""
        prior = self._matrix_or_diagonal(data, scatter_matrix(data) if self.T == "scaled" else None)
        return np.diag(prior) if prior.ndim == 1 else prior

    def _matrix_or_diagonal(self, data: Data, scatter: Floats | None) -> Floats:
        """T, or its diagonal if it is diagonal; the scatter of the data if T is scaled."""
        nvariables = len(data.names)
        if not isinstance(self.T, tuple):
            diagonal = np.ones(nvariables)
            if self.T == "scaled":
                assert scatter is not None
                diagonal = _positive(scatter.diagonal() / data.n)
            return self._scale(nvariables) * diagonal
        self._check_size(nvariables)
        return np.array(self.T)

    def _check_size(self, nvariables: int) -> None:
        if isinstance(self.T, tuple) and len(self.T) != nvariables:
            raise InputError(f"T has {len(self.T)} rows, but the data {nvariables} columns: give one row for each")

    def prior_mean(self, data: Data) -> Floats:
        """nu in the order of the columns."""
        if self.nu is None:
            return mean_vector(data)
        return self._nu_of(data.names)

    @property
    def _named_nu(self) -> bool:
        return isinstance(self.nu, tuple) and any(isinstance(entry, tuple) for entry in self.nu)

    def _nu_of(self, names: Sequence[str]) -> Floats:
        assert isinstance(self.nu, tuple)
        if not self._named_nu:
            if len(self.nu) != len(names):
                raise InputError(f"nu has {len(self.nu)} numbers, but the data {len(names)} columns: give one for each")
            return np.array(self.nu, dtype=np.float64)
        nu = dict(self.nu)
        for name in names:
            if name not in nu:
                raise InputError(f"nu has no mean for column {name!r}: {suggest(name, nu)}")
        return np.array([nu[name] for name in names])

    def check(self, data: Data) -> DataKind:
        """The kind of the data; raises `InputError` if it is not continuous or does not fit `iss_w`, `nu` and `T`."""
        kind = super().check(data)
        self.check_parameters(data)
        return kind

    def check_parameters(self, data: Data) -> None:
        """Raise `InputError` if `iss_w`, `nu` or `T` does not fit the columns of continuous data."""
        self.wishart(len(data.names))
        self._check_size(len(data.names))
        scatter = scatter_matrix(data) if self.T == "scaled" or self.nu is not None else None
        T = self._matrix_or_diagonal(data, scatter)
        diagonal = T if T.ndim == 1 else T.diagonal()
        self._check_range(diagonal)
        if self.nu is not None and scatter is not None:
            means = mean_vector(data), self.prior_mean(data)
            self._check_shift(data.names, *means, diagonal + scatter.diagonal(), data.n)

    def _check_range(self, diagonal: Floats) -> None:
        least, most = diagonal.min(), diagonal.max()
        if not LEAST_SCALE <= least <= most <= MOST_SCALE:
            given, remedy = f"T={self.T!r} has", "rescale T and the columns"
            if self._follows:
                given, remedy = f"iss_mu={self.iss_mu:g} gives T", "give an iss_mu closer to 1, or rescale the columns"
            raise InputError(
                f"{given} diagonal elements from {least:g} to {most:g}, outside the range of {LEAST_SCALE:g} to "
                f"{MOST_SCALE:g}: {remedy}"
            )

    def _check_shift(self, names: Sequence[str], mean: Floats, nu: Floats, diagonal: Floats, n: int) -> None:
        """Refuse a prior mean that adds far more to R than the diagonal of T + S_n has."""
        with np.errstate(over="ignore"):
            far = self._weight(n) * (mean - nu) ** 2 > MOST_SHIFT * diagonal
        if far.any():
            at = int(far.argmax())
            raise InputError(
                f"nu gives column {names[at]!r} the prior mean {nu[at]:g}, too far from its mean {mean[at]:g} for an "
                "accurate score: leave nu out, or give one that is closer"
            )

    @property
    def _follows(self) -> bool:
        """Whether T follows from the imaginary sample sizes."""
        return self.T is None or self.T == "scaled"

    def compiled(self, data: Data) -> _core.Scorer:
        """The same formula in the core, from T and R of all the columns."""
        return _core.bge_scorer(*self.matrices(data), float(data.n), self.iss_mu, self.wishart(len(data.names)))

    def matrices(self, data: Data) -> tuple[Floats, Floats]:
        """T, or its diagonal if it is diagonal, and R of all columns of continuous data."""
        R = scatter_matrix(data)  # the rest is added in place: with thousands of columns each copy is large
        T = self._matrix_or_diagonal(data, R)
        if T.ndim == 1:
            R[np.diag_indices(len(T))] += T
        else:
            R += T
        shift = mean_vector(data) - self.prior_mean(data)
        if shift.any():
            for i, own in enumerate(shift):
                R[i] += self._weight(data.n) * (own * shift)
        return T, R


def _positive(variances: Floats) -> Floats:
    """The variances, with 1 for a constant, whose scale nothing is known of."""
    return np.where(variances > 0, variances, 1.0)


#: A residual below this share of a variable's own element of R is rounding.
DROWNED = 1e-13


def _log_determinants(matrix: Floats, family: FamilyMoments, least: float) -> tuple[float, float]:
    """Those of the parents' part and of the whole matrix, in which the child comes last.

    No pivot may be at most the `least` share of its diagonal element.
    """
    try:
        pivots = np.diag(np.linalg.cholesky(matrix)) ** 2
        if (pivots <= least * matrix.diagonal()).any():
            raise np.linalg.LinAlgError("only rounding error is left")
        logs = np.log(pivots)
    except np.linalg.LinAlgError:
        raise InputError(
            f"BGe: the columns {(*family.parents, family.child)} are linearly dependent up to rounding: "
            f"leave one out, bring them to a common scale, or give a larger T"
        ) from None
    return float(logs[:-1].sum()), float(logs.sum())
