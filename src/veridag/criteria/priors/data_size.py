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
    r"""A sparse structure prior that depends on the number of rows $N$: $w(s) = \exp(-(1 + \tau)^s \log N)$.

    It is called Data in Eggeling et al. (2019, table 1); see also Pensar et al. (2016). Because it depends on the
    number of rows, it is a penalty rather than a Bayesian prior. `tau`, 0 or more, sets how fast the penalty grows with
    the number of parents; $\tau = 0$ is `Uniform`, and the default is that of Pensar et al. `log` omits the normalizing
    constant of the DAGs: log of the empty graph on n variables is $-n \log N$.

    See also:
        `Fair`, `Edge`, docs/priors/index.md
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
