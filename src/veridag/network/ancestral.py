"""The part of a network that some variables depend on."""

from __future__ import annotations

from collections.abc import Iterable

from .network import Network


def ancestral_part(network: Network, names: Iterable[str]) -> Network:
    """The network of these variables and their ancestors: all others sum to one and can be left out."""
    kept = set(names)
    kept |= set(network.dag.ancestors(kept))
    if len(kept) == len(network.names):
        return network
    cpds = {v: network.cpds[v] for v in network.names if v in kept}
    return Network(cpds, {v: network.states[v] for v in cpds if v in network.states}, name=network.name)
