"""A fair share for every number of parents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veridag import _core
from veridag.counts import Floats

from .base import SymmetricPrior


@dataclass(frozen=True)
class Fair(SymmetricPrior):
    r"""A structure prior that gives each size of parent set the same total weight: $w(s) = 1 / \binom{n - 1}{s}$.

    $n$ is the number of variables. It is called Fair in Eggeling et al. (2019, table 1); Friedman and Koller (2003) use
    it given an order of the variables. `log` omits the normalizing constant: log of the empty graph is 0.

    See also:
        `Uniform`, `Edge`, docs/priors/index.md
    """

    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(s) = -log C(n - 1, s), as the sum of log(i / (n - i)) over i = 1, ..., s."""
        del rows
        i = np.arange(1, n)
        return np.concatenate([np.zeros(min(n, 1)), np.cumsum(_core.log(i / (n - i)))])
