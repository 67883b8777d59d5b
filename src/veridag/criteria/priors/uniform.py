"""The uniform prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veridag.counts import Floats

from .base import SymmetricPrior


@dataclass(frozen=True)
class Uniform(SymmetricPrior):
    """Every DAG has the same probability: ``w(s) = 1`` (*Unif* of Eggeling et al. 2019, table 1).

    It is not neutral about the number of parents: with at most 5 of 127 possible parents, five are 72 times as probable
    as none (`veridag.indegree_distribution`). `log` leaves out the constant -log(number of DAGs).
    """

    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(s) = 0."""
        del rows
        return np.zeros(n)
