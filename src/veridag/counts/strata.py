"""Moments of continuous variables in each configuration of discrete ones. Readable, not fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from veridag.data import Data

from .family import check_variables
from .moments import FamilyMoments, family_moments


@dataclass(frozen=True, eq=False)
class FamilyStrata:
    """The moments of a continuous variable in each configuration of its discrete parents that occurs.

    Attributes:
        child: The variable.
        discrete_parents: Its discrete parents.
        continuous_parents: Its continuous parents.
        strata: For each configuration that occurs, the moments of the variable and its continuous parents in its rows.
        q: The number of possible configurations, whether they occur or not.
        nvariables: The number of variables in the data.

    See also:
        `criteria.scores.base.Score`, docs/adding.md
    """

    child: str
    discrete_parents: tuple[str, ...]
    continuous_parents: tuple[str, ...]
    strata: tuple[FamilyMoments, ...]
    q: int
    nvariables: int

    @cached_property
    def n(self) -> int:
        """The number of observations."""
        return sum(stratum.n for stratum in self.strata)

    @cached_property
    def log_likelihood(self) -> float:
        """The maximised log-likelihood of one regression per stratum; infinite if a stratum has no residuals.

        A stratum has no residuals if the variable is a linear function of its continuous parents there. This is always
        the case if it has no more rows than continuous parents plus one.
        """
        return float(sum(stratum.log_likelihood for stratum in self.strata))


def family_strata(data: Data, child: str, parents: Sequence[str]) -> FamilyStrata:
    """The moments of a continuous variable and its continuous parents in each configuration of its discrete parents."""
    ordered = check_variables(data, child, parents)
    discrete = tuple(p for p in ordered if data.kinds[p] == "discrete")
    continuous = tuple(p for p in ordered if data.kinds[p] == "continuous")
    codes = np.column_stack([np.zeros((data.nrows, 0), np.intp), *(data.column(p).astype(np.intp) for p in discrete)])
    seen = np.ones(data.nrows, bool) if data.weights is None else data.weights > 0
    _, j = np.unique(codes[seen], axis=0, return_inverse=True)
    rows = np.flatnonzero(seen)
    part = data.select((*continuous, child))
    strata = [
        family_moments(part.rows(rows[j.reshape(-1) == k]), child, continuous, len(data.names))
        for k in range(int(j.max()) + 1)
    ]
    return FamilyStrata(
        child, discrete, continuous, tuple(strata), prod(data.arities[p] for p in discrete), len(data.names)
    )
