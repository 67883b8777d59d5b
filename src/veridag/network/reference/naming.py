"""How settings show a network."""

from __future__ import annotations

from veridag.network.network import Network

from . import load, names


def text_of(network: Network) -> str:
    """A reference network by its name, which `veridag.parse` reads; any other network in short."""
    is_known = network.name in names() and load(network.name) == network
    return repr(network.name if is_known else network)
