"""A fair share for every number of parents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veridag import _core
from veridag.counts import Floats

from .base import SymmetricPrior


@dataclass(frozen=True)
class Fair(SymmetricPrior):
    r"""All parent sets of one size share one unit of weight (*Fair* of Eggeling et al. 2019, table 1):

    $w(s) = 1 / \binom{n - 1}{s}$ for $n$ variables; Friedman and Koller (2003) use it given an order of the variables.
    `log` leaves out the normalizing constant of the DAGs: log of the empty graph is 0.
    """

    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(s) = -log C(n - 1, s), as the sum of log(i / (n - i)) over i = 1, ..., s."""
        del rows
        i = np.arange(1, n)
        return np.concatenate([np.zeros(min(n, 1)), np.cumsum(_core.log(i / (n - i)))])
