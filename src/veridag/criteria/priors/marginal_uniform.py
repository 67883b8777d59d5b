"""The marginal uniform prior: independent arcs with the marginal probabilities of the uniform prior."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from veridag import _core
from veridag.checks import Number, OneOf, checked
from veridag.counts import Floats
from veridag.errors import InputError

from .base import SymmetricPrior

ByVariables = Literal["sparse", "finite"]


def _check_beta(name: str, value: object) -> float | str:
    """A probability, or one of the two rules that depend on the number of variables."""
    if isinstance(value, str) and value in get_args(ByVariables):
        return value
    try:
        return Number(above=0, below=1, example=0.5)(name, value)
    except InputError as error:
        raise InputError(f"{error}, or {OneOf(get_args(ByVariables))}") from None


@dataclass(frozen=True)
class MarginalUniform(SymmetricPrior):
    r"""A structure prior that joins two variables with probability $\beta$, half of it for each direction.

    This is MU of Scutari (2017, slides). With $\beta = p(\to) + p(\leftarrow)$ and $p(\text{no arc}) = 1 - \beta$,
    every arc multiplies the probability by

    $$
    \frac{\beta / 2}{1 - \beta}.
    $$

    This is exactly 1/2 for the default $\beta = 1/2$, the limit of the marginal probabilities under the uniform prior
    for many variables. `beta` is a number between 0 and 1, or one of two words that depend on the number of variables
    $N$:

    - ``"sparse"``: $\beta = 2 / (N - 1)$, so that the expected number of arcs is of order $N$ (needs $N > 3$);
    - ``"finite"``: the approximate probabilities for finite $N$, $\frac14 + \frac1{4(N - 1)}$ for each direction and
      $\frac12 - \frac1{2(N - 1)}$ for no arc: a factor of $N / (2(N - 2))$ (needs $N > 2$; above 1 for $N = 3$, exactly
      1 for $N = 4$).

    The probabilities are those of a pair before cyclic graphs are excluded. `log` omits the normalizing constant: log
    of the empty graph is 0.

    See also:
        `Edge`, `VariableSelection`, docs/priors/index.md
    """

    beta: float | ByVariables = field(default=0.5, metadata=checked(_check_beta))

    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(s) = s log((beta / 2) / (1 - beta))."""
        del rows
        return np.arange(n, dtype=np.float64) * _core.log(self._factor(n))

    def _factor(self, n: int) -> float:
        if self.beta == "finite":
            _require(n > 2, self, n, 3)
            return n / (2 * (n - 2))
        if self.beta == "sparse":
            _require(n > 3, self, n, 4)
        beta = 2 / (n - 1) if self.beta == "sparse" else self.beta
        return (beta / 2) / (1 - beta)


def _require(enough: bool, prior: MarginalUniform, n: int, least: int) -> None:
    if not enough:
        raise InputError(
            f"beta={prior.beta!r} needs at least {least} variables, not {n}: give beta as a number, such as 0.5"
        )
