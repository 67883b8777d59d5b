"""A prior that knows how many parents every variable has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from veridag.checks import checked
from veridag.errors import InputError

from .base import Prior, PriorTerms
from .indegrees import Indegrees, bind_indegrees, check_indegrees


@dataclass(frozen=True)
class IndegreeEquals(Prior):
    """A uniform prior over the DAGs in which variable $i$ has exactly $d_i$ parents.

    $P(G) = c$ if $|G_i| = d_i$ for all $i$, and 0 otherwise (called Utop in Eggeling et al. 2019, section 5.2). `log`
    is 0 or minus infinity. It is minus infinity for the empty graph unless all $d_i$ are 0, so a search must start from
    a DAG with these indegrees.

    `d` maps the name of every variable to its indegree, or is one number for all. A DAG always has a variable without
    parents, so that number can only be 0. It is stored as a sorted tuple of (name, indegree).

    See also:
        `IndegreeAtMost`, docs/priors/index.md
    """

    d: Indegrees = field(metadata=checked(check_indegrees))

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.d, int) and self.d > 0:
            raise InputError(
                f"d={self.d}: every DAG has a variable without parents, so they cannot all have {self.d}: give a "
                f"dictionary {{name: indegree}}, or use IndegreeAtMost({self.d})"
            )

    def terms(self, names: Sequence[str], rows: int | None = None) -> PriorTerms:
        """Zero for $d_i$ parents, minus infinity for any other number."""
        del rows
        d = bind_indegrees(self.d, names)
        # Variables in order of their indegree: the i-th can have no more parents than there are before it.
        for before, i in enumerate(np.argsort(d, kind="stable").tolist()):
            if d[i] > before:
                raise InputError(
                    f"d: no DAG has these indegrees: {names[i]!r} has {d[i]}, but in order of indegree only {before} "
                    "variables come before it: lower some indegrees, or use IndegreeAtMost"
                )
        s = np.arange(len(names))
        return PriorTerms(np.where(s == d[:, None], 0.0, -np.inf))
