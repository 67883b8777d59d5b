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
    r"""Each of the N - 1 possible parents of a variable is one with probability beta:

    $w(k) = \beta^k (1 - \beta)^{N - 1 - k}$ (the random graph model of Eggeling et al. 2019, table 1, row *Edge*).

    The default, None, is $\beta = 1 / (N - 1)$: one expected parent, before cyclic graphs are taken out (needs N > 2).
    This is the "prior probability of inclusion of 1/(N-1) for each parent of each node" that Scutari, Graafland and
    Gutiérrez (2019, section 4) give to the pair (log P(G|D), log BF). In the score it is this prior; in the test,
    adding a parent changes the log Bayes factor by
    $\log w(k + 1) - \log w(k) = \log \frac{\beta}{1 - \beta} = -\log(N - 2)$, whatever k.

    `log` keeps the factors (1 - beta) and leaves out the normalizing constant of the DAGs alone: log of the empty graph
    is $N (N - 1) \log(1 - \beta)$.

    `beta` is a number between 0 and 1, or None.
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
