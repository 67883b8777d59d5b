"""The fitted network as the page's "what if" computes with it: a junction tree, or regressions, as values for JSON.

The words around it do not belong here; `templates/what_if_engine.js` is what reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from veridag.network import Network, Table
from veridag.network.query import JunctionTree

#: The most entries of all cliques together, or of the covariance matrix: a browser answers within a blink.
MOST_ENTRIES = 200_000
#: The most numbers of all tables together, which the page has to carry.
MOST_NUMBERS = 30_000
#: Significant digits of probabilities and of regressions.
DIGITS, DIGITS_OF_REGRESSIONS = 9, 12


@dataclass(frozen=True)
class Compiled:
    """What the script computes with; no `facts` if `entries` or `numbers` are more than a page can take."""

    entries: float
    numbers: int
    facts: dict[str, Any] | None = None


def compiled(network: Network) -> Compiled:
    """A discrete or Gaussian network, or the discrete part of a mixed one, ready to be asked in the page.

    Discrete variables have discrete parents only, so that their part is a network of its own, and exact for evidence on
    discrete variables.
    """
    return _regressions(network) if network.is_gaussian else _tree(discrete_part(network))


def discrete_part(network: Network) -> Network:
    """The discrete variables alone."""
    if network.kind == "discrete":
        return network
    return Network({v: cpd for v, cpd in network.cpds.items() if isinstance(cpd, Table)}, network.states)


def _tree(network: Network) -> Compiled:
    tables = {v: network.table(v) for v in network.names}
    numbers = sum(table.probabilities.size for table in tables.values())
    tree = JunctionTree(network)
    if tree.entries > MOST_ENTRIES or numbers > MOST_NUMBERS:
        return Compiled(tree.entries, numbers)
    at = {v: i for i, v in enumerate(network.names)}
    cliques = [[at[v] for v in clique] for clique in tree.cliques]
    around: dict[int, list[int]] = {i: [] for i in at.values()}
    for c, clique in enumerate(cliques):
        for i in clique:
            around[i].append(c)
    found = []
    for v, table in tables.items():
        family = [at[u] for u in (*table.parents, v)]
        holding = (c for c in around[at[v]] if set(family) <= set(cliques[c]))
        rows = table.probabilities / table.probabilities.sum(axis=-1, keepdims=True)  # published ones are rounded
        found.append([next(holding), family, [_rounded(p, DIGITS) for p in rows.reshape(-1).tolist()]])
    facts = {
        "kind": "discrete",
        "names": network.names,
        "labels": [network.states[v] for v in network.names],
        "states": [len(network.states[v]) for v in network.names],
        "cliques": cliques,
        "parents": list(tree.parents),
        "tables": found,
    }
    return Compiled(tree.entries, numbers, facts)


def _regressions(network: Network) -> Compiled:
    entries, numbers = len(network.names) ** 2, network.nparams
    if entries > MOST_ENTRIES or numbers > MOST_NUMBERS:
        return Compiled(entries, numbers)
    at = {v: i for i, v in enumerate(network.names)}
    found = []
    for v in network.names:
        own = network.gaussian(v)
        intercept, *slopes = (_rounded(x, DIGITS_OF_REGRESSIONS) for x in (own.intercept, *own.coefficients.tolist()))
        found.append([[at[u] for u in own.parents], intercept, slopes, _rounded(own.sd, DIGITS_OF_REGRESSIONS)])
    order = [at[v] for v in network.dag.topological_order()]
    facts = {"kind": "gaussian", "names": network.names, "order": order, "regressions": found}
    return Compiled(entries, numbers, facts)


def _rounded(number: float, digits: int) -> float | int:
    """With so many significant digits, and without the point where it says nothing."""
    short = float(f"{number:.{digits}g}")
    return int(short) if short in (0.0, 1.0) else short
