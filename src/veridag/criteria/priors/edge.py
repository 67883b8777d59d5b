"""A constant factor for every arc."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from veridag.counts import Floats

from ._parameters import number
from .base import SymmetricPrior


@dataclass(frozen=True)
class Edge(SymmetricPrior):
    """Every arc multiplies the probability by beta: ``w(s) = beta^s`` (*Edge* of Eggeling et al. 2019, table 1).

    Equivalent to drawing every arc on its own with probability p = beta / (1 + beta) and keeping the acyclic graphs
    (Madigan and Raftery 1994); beta = 1 is `Uniform`. The default is that of Eggeling et al. 2019, section 5.
    `log` leaves out the normalizing constant of the DAGs: log of the empty graph is 0.
    """

    beta: float = 0.1

    def __post_init__(self) -> None:
        rule = "the factor of an arc is a positive number: below 1 to favour few arcs, 1 to be indifferent"
        object.__setattr__(self, "beta", number("beta", self.beta, lambda b: 0 < b < math.inf, rule))

    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(s) = s log beta."""
        del rows
        return np.arange(n, dtype=np.float64) * math.log(self.beta)
