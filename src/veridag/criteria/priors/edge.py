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
    r"""Every arc multiplies the probability by beta: $w(s) = \beta^s$ (*Edge* of Eggeling et al. 2019, table 1).

    Equivalent to drawing every arc on its own with probability $p = \beta / (1 + \beta)$ and keeping the acyclic graphs
    (Madigan and Raftery 1994); $\beta = 1$ is `Uniform`. The default is that of Eggeling et al. 2019, section 5.
    `log` leaves out the normalizing constant of the DAGs: log of the empty graph is 0.

    `beta`, above 0, is the factor of an arc.
    """

    beta: float = field(default=0.1, metadata=checked(Number(above=0, example=0.1)))

    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(s) = s log beta."""
        del rows
        return np.arange(n, dtype=np.float64) * _core.log(self.beta)
