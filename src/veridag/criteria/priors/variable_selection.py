"""The variable selection prior: every possible parent is included on its own."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from veridag import _core
from veridag.checks import Number, Optional, checked
from veridag.counts import Floats
from veridag.errors import InputError

from .base import SymmetricPrior


@dataclass(frozen=True)
class VariableSelection(SymmetricPrior):
    r"""A structure prior that includes each of the $N - 1$ possible parents of a variable with probability $\beta$.

    $w(k) = \beta^k (1 - \beta)^{N - 1 - k}$: the random graph model of Eggeling et al. (2019, table 1, row Edge).
    `beta` is a number between 0 and 1. The default, None, is $\beta = 1 / (N - 1)$: one expected parent before cyclic
    graphs are excluded (needs $N > 2$).

    This is the "prior probability of inclusion of 1/(N-1) for each parent of each node" that Scutari, Graafland and
    Gutiérrez (2019, section 4) use in the pair (log P(G|D), log BF). In the score it is this prior. In the test, adding
    a parent changes the log Bayes factor by $\log w(k + 1) - \log w(k) = \log \frac{\beta}{1 - \beta} = -\log(N - 2)$,
    for any $k$.

    `log` includes the factors $1 - \beta$ and omits the normalizing constant: log of the empty graph is
    $N (N - 1) \log(1 - \beta)$.

    See also:
        `Edge`, `ScoreTest`, docs/priors/index.md
    """

    beta: float | None = field(default=None, metadata=checked(Optional(Number(above=0, below=1, example=0.1))))

    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(k) = k log beta + (N - 1 - k) log(1 - beta)."""
        del rows
        if self.beta is None and n <= 2:
            raise InputError(
                f"beta=None means 1/(N-1), which needs at least 3 variables, not {n}: give beta as a number"
            )
        beta = 1 / (n - 1) if self.beta is None else self.beta
        k = np.arange(n)
        return k * _core.log(beta) + (n - 1 - k) * _core.log1p(-beta)
