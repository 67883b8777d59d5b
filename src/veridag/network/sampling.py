"""Drawing rows from a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from veridag import _core

from .parameters import ConditionalGaussian, Floats, Table

if TYPE_CHECKING:
    from .network import Network


@dataclass(frozen=True)
class Sampler:
    """A network as the C++ core draws from it: variables by their places, and in which order to draw them."""

    parents: list[list[int]]
    arities: list[int]
    parameters: list[Floats]
    order: list[int]

    @classmethod
    def of(cls, network: Network) -> Sampler:
        """That of a network."""
        at = {v: i for i, v in enumerate(network.names)}
        parents = [[at[p] for p in network.cpds[v].parents] for v in network.names]
        parameters = [
            cpd.probabilities.reshape(-1) if isinstance(cpd, Table) else ConditionalGaussian.of(cpd).rows.reshape(-1)
            for cpd in network.cpds.values()
        ]
        arities = [len(network.states.get(v, ())) for v in network.names]
        return cls(parents, arities, parameters, [at[v] for v in network.dag.topological_order()])

    def columns(self, n: int, seed: int, jobs: int = 1) -> list[NDArray[Any]]:
        """So many rows as a column for each variable: read-only, since a `Column` copies what could be written to."""
        drawn = _core.sample_network(self.parents, self.arities, self.parameters, self.order, n, seed, jobs)
        for column in drawn:
            column.flags.writeable = False
        return drawn
