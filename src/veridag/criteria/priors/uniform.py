"""The uniform prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veridag.counts import Floats

from .base import SymmetricPrior


@dataclass(frozen=True)
class Uniform(SymmetricPrior):
    """The uniform structure prior: every DAG has the same probability, $w(s) = 1$.

    It is called Unif in Eggeling et al. (2019, table 1). It is not neutral about the number of parents: with at most 5
    of 127 possible parents, five parents are 72 times as probable as none (see `indegree_distribution`). `log` omits
    the constant, minus the log of the number of DAGs.

    See also:
        `Fair`, `count_dags`, docs/priors/index.md
    """

    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(s) = 0."""
        del rows
        return np.zeros(n)
