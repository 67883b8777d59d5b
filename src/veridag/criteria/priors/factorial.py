"""A prior in favour of many parents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veridag import _core
from veridag.counts import Floats

from .base import SymmetricPrior


@dataclass(frozen=True)
class Factorial(SymmetricPrior):
    """A structure prior that favours large parent sets: $w(s) = s!$.

    It is called Fact in Eggeling et al. (2019, figure 1), which uses it to show what it takes to support large parent
    sets. `log` omits the normalizing constant: log of the empty graph is 0.

    See also:
        `Uniform`, `Fair`, docs/priors/index.md
    """

    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(s) = log s!."""
        del rows
        return np.cumsum(_core.log(np.maximum(np.arange(n, dtype=np.float64), 1)))
