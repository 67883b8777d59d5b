"""Each variable given its parents: a table or an equation, cut to what a page has room for."""

from __future__ import annotations

from itertools import islice, product
from typing import Any

from veridag.network import Network

#: The most rows of a variable's table that the page carries, and cells of all; the file to download has them all.
MOST_CONFIGURATIONS, MOST_CELLS = 64, 15_000


def most_configurations(network: Network) -> int:
    """How many rows of each table a page has room for."""
    if network.is_gaussian:
        return MOST_CONFIGURATIONS
    tables = {name: network.table(name) for name in network.dag.names}
    widths = {name: len(table.parents) + table.probabilities.shape[-1] for name, table in tables.items()}
    heights = {name: table.probabilities.size // table.probabilities.shape[-1] for name, table in tables.items()}
    most = MOST_CONFIGURATIONS
    while most > 1 and sum(min(heights[v], most) * widths[v] for v in tables) > MOST_CELLS:
        most //= 2
    return most


def described(network: Network, name: str, most: int) -> dict[str, Any]:
    """The distribution of a variable given its parents: an equation, or a table of at most so many rows."""
    return _equation(network, name) if network.is_gaussian else _table(network, name, most)


def _equation(network: Network, name: str) -> dict[str, Any]:
    cpd = network.gaussian(name)
    terms = [f"{c:+.4g} {parent}" for c, parent in zip(cpd.coefficients.tolist(), cpd.parents, strict=True)]
    return {"equation": f"{name} = {cpd.intercept:.4g} {' '.join(terms)}, standard deviation {cpd.sd:.4g}"}


def _table(network: Network, name: str, most: int) -> dict[str, Any]:
    cpt, states = network.table(name), network.states[name]
    flat = cpt.probabilities.reshape(-1, len(states))
    configurations = islice(product(*(network.states[p] for p in cpt.parents)), most)
    rows = [
        [*configuration, *(f"{p:.3f}" for p in row)]
        for configuration, row in zip(configurations, flat[:most].tolist(), strict=True)
    ]
    return {"head": [*cpt.parents, *states], "given": len(cpt.parents), "rows": rows, "configurations": len(flat)}
