"""Knowledge as matrices over the variables of the data, as algorithms use it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridag.graph.matrices import Matrix


@dataclass(frozen=True, eq=False)
class BoundKnowledge:
    """Knowledge about the variables `names`, in that order; the arrays cannot be written to.

    ``required[i, j]`` and ``forbidden[i, j]`` speak of the arc i -> j; `forbidden` holds what the tiers forbid and the
    diagonal, and not the reverse of a required arc, which acyclicity rules out. ``max_indegree[j]`` is the most parents
    of j, len(names) - 1 if there is no limit.
    """

    names: tuple[str, ...]
    required: Matrix
    forbidden: Matrix
    max_indegree: NDArray[np.int64]

    def __post_init__(self) -> None:
        for array in (self.required, self.forbidden, self.max_indegree):
            array.flags.writeable = False
