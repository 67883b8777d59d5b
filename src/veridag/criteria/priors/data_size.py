"""A penalty that grows with the data."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from veridag import _core
from veridag.checks import Number, checked
from veridag.counts import Floats
from veridag.errors import InputError

from .base import SymmetricPrior


@dataclass(frozen=True)
class DataSize(SymmetricPrior):
    r"""$w(s) = \exp(-(1 + \tau)^s \log N)$ for $N$ rows (*Data* of Eggeling et al. 2019, table 1; Pensar et al. 2016).

    It depends on the number of rows, so it is a penalty rather than a Bayesian prior. $\tau = 0$ is `Uniform`; the
    default is that of Pensar et al. `log` leaves out the normalizing constant of the DAGs alone: log of the empty graph
    on n variables is $-n \log N$.

    `tau`, 0 or more, says how fast the penalty grows with the number of parents.
    """

    tau: float = field(default=0.5, metadata=checked(Number(least=0, example=0.5)))

    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(s) = -(1 + tau)^s log N; minus infinity where that is beyond the range of floats."""
        if rows is None:
            raise InputError(f"rows=None: {self} depends on the number of rows: pass rows, such as rows=data.n")
        if rows < 1:
            raise InputError(f"rows={rows!r}: {self} needs at least one row: pass the number of rows of the data")
        if rows == 1:
            return np.zeros(n)  # log N = 0, which infinity would turn into NaN
        with np.errstate(over="ignore"):
            powers = np.cumprod([1.0, *[1 + self.tau] * (n - 1)], dtype=np.float64)[:n]
            return -_core.log(rows) * powers
