"""A prior that knows how many parents every variable has at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from veridag.checks import checked

from .base import Prior, PriorTerms
from .indegrees import Indegrees, bind_indegrees, check_indegrees


@dataclass(frozen=True)
class IndegreeAtMost(Prior):
    r"""A uniform prior over the DAGs in which variable $i$ has at most $d_i$ parents.

    $P(G) = c$ if $|G_i| \le d_i$ for all $i$, and 0 otherwise (called Utop+ in Eggeling et al. 2019, section 5.2).
    `log` is 0 or minus infinity.

    `d` maps the name of every variable to its largest indegree, or is one number for all. It is stored as a sorted
    tuple of (name, indegree).

    See also:
        `IndegreeEquals`, `Knowledge`, docs/priors/index.md
    """

    d: Indegrees = field(metadata=checked(check_indegrees))

    def terms(self, names: Sequence[str], rows: int | None = None) -> PriorTerms:
        """Zero for up to $d_i$ parents, minus infinity for more."""
        del rows
        s = np.arange(len(names))
        return PriorTerms(np.where(s <= bind_indegrees(self.d, names)[:, None], 0.0, -np.inf))
