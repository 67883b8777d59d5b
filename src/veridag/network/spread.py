"""What `fit` keeps with the parameters, so that their intervals can be computed later; small next to the tables.

The intervals themselves do not belong here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from .parameters import CPD, Floats

Own = TypeVar("Own", bound=CPD)


@dataclass(frozen=True, eq=False)
class DirichletSpread:
    """The Dirichlet posteriors of a table: n_ij + alpha_ij of each configuration j of the parents, in `totals`.

    The posterior mean times these is n_ijk + alpha_ijk. A table that is not the mean has them in `weights`. `shared` if
    the prior was estimated from all groups.
    """

    totals: Floats
    weights: Floats | None = None
    shared: bool = False


@dataclass(frozen=True, eq=False)
class RegressionSpread:
    """How well the regressions are known: a row for each configuration of the discrete parents, the last fastest.

    A row has the number of observations n, the degrees of freedom n - rank - 1, and the standard errors of intercept
    and coefficients. An error is infinite if the rows do not determine the coefficient, and a row is `nan` if the
    configuration has no regression of its own.
    """

    rows: Floats


#: What is kept of one variable.
Spread = DirichletSpread | RegressionSpread


class Fitted(NamedTuple, Generic[Own]):
    """The parameters of a variable and what is kept of them; None if there is no posterior."""

    cpd: Own
    spread: Spread | None
