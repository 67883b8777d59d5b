"""What a structure prior is: terms for each family, all of which depend on the graph alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from veridag.checks import Checked, Instance
from veridag.counts import Floats
from veridag.errors import InputError
from veridag.graph import DAG


@dataclass(frozen=True, eq=False)
class PriorTerms:
    r"""A modular prior for given variables, as arrays.

    Up to a constant, $\log P(G)$ is the sum over variables v of
    ``size[v, |parents|] + sum of arc[u, v] over the parents u``. The arrays are contiguous and of 64 bits, as the C++
    core needs them. If all variables have the same row of `size`, it can be one row that numpy repeats without a copy.

    Attributes:
        size: The term for each variable and number of parents.
        arc: The term for each arc; none if None.

    See also:
        `criteria.priors.base.Prior`
    """

    size: Floats
    arc: Floats | None = None

    def __post_init__(self) -> None:
        if self.size.strides[0] != 0 or self.size.dtype != np.float64:
            object.__setattr__(self, "size", np.ascontiguousarray(self.size, dtype=np.float64))
        if self.arc is not None:
            object.__setattr__(self, "arc", np.ascontiguousarray(self.arc, dtype=np.float64))

    def log(self, variable: int, parents: Sequence[int]) -> float:
        """The term of one family."""
        term = float(self.size[variable, len(parents)])
        return term if self.arc is None else term + float(self.arc[list(parents), variable].sum())


class Prior(Checked, ABC):
    r"""A modular structure prior: $P(G) = c \prod_i \rho_i(G_i)$, where $G_i$ are the parents of variable $i$.

    See Eggeling et al. (2019, section 2).

    See also:
        `SearchSpacePenalty`, docs/priors/index.md, docs/adding.md
    """

    @abstractmethod
    def terms(self, names: Sequence[str], rows: int | None = None) -> PriorTerms:
        """The prior for these variables, and for the number of rows if it depends on it."""

    def log(self, graph: DAG, rows: int | None = None) -> float:
        r"""$\log P(G)$, up to the constant that the description of the prior states."""
        if not isinstance(graph, DAG):
            raise InputError(f"graph: a DAG is needed, not a {type(graph).__name__}; a PDAG's extension() is one")
        terms = self.terms(graph.names, rows)
        if terms.arc is None:
            return float(sum(terms.size[np.arange(len(graph)), graph.adjacency.sum(axis=0)].tolist()))
        parents = [np.flatnonzero(graph.adjacency[:, v]).tolist() for v in range(len(graph))]
        return float(sum(terms.log(v, p) for v, p in enumerate(parents)))


#: The check of an argument or a field that is a structure prior.
PRIOR = Instance(Prior, "a structure prior, such as Uniform()")


class SymmetricPrior(Prior):
    r"""A prior whose factors depend only on the indegree: $\rho_i(G_i) = w(|G_i|)$.

    See Eggeling et al. (2019, section 4).

    See also:
        `indegree_distribution`, docs/priors/index.md
    """

    @abstractmethod
    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        r"""$\log w(s)$ for $s = 0, \dots, n - 1$ parents in a network of $n$ variables."""

    def terms(self, names: Sequence[str], rows: int | None = None) -> PriorTerms:
        """The same weights for every variable."""
        n = len(names)
        weights = np.ascontiguousarray(self.log_weights(n, rows), dtype=np.float64)
        return PriorTerms(np.broadcast_to(weights, (n, n)))
