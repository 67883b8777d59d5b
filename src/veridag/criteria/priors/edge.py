"""A constant factor for every arc."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from veridag import _core
from veridag.checks import Number, checked
from veridag.counts import Floats

from .base import SymmetricPrior


@dataclass(frozen=True)
class Edge(SymmetricPrior):
    r"""A structure prior in which each arc multiplies the probability by $\beta$: $w(s) = \beta^s$.

    It is called Edge in Eggeling et al. (2019, table 1), whose section 5 has the default. It is equivalent to drawing
    every arc independently with probability $p = \beta / (1 + \beta)$ and keeping the acyclic graphs (Madigan and
    Raftery 1994). `beta` is above 0; $\beta = 1$ is `Uniform`. `log` omits the normalizing constant: log of the empty
    graph is 0.

    See also:
        `VariableSelection`, `MarginalUniform`, docs/priors/index.md
    """

    beta: float = field(default=0.1, metadata=checked(Number(above=0, example=0.1)))

    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(s) = s log beta."""
        del rows
        return np.arange(n, dtype=np.float64) * _core.log(self.beta)
