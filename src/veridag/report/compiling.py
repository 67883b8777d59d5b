"""The fitted network as the page's "what if" computes with it: a junction tree, or regressions, as values for JSON.

The words around it do not belong here; `templates/what_if_engine.js` is what reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridag.network import Network, Table
from veridag.network.query import JunctionTree

Floats = NDArray[np.float64]

#: The most entries of all cliques together, or of the covariance matrix: answers take about a tenth of a second.
MOST_ENTRIES = 500_000
#: The most numbers of all tables together, which the page has to carry.
MOST_NUMBERS = 30_000
#: Significant digits of probabilities and of regressions.
DIGITS, DIGITS_OF_REGRESSIONS = 9, 12


@dataclass(frozen=True)
class Compiled:
    """What the script computes with; no `facts` if `entries` or `numbers` are more than a page can take."""

    entries: int
    numbers: int
    facts: dict[str, Any] | None = None


def compiled(network: Network) -> Compiled:
    """A discrete, Gaussian or mixed network, ready to be asked in the page.

    Of a mixed network, evidence is on discrete variables alone. These have discrete parents only, so that their part is
    a network of its own. A continuous variable is normal given the discrete ones `mixture` finds; it is left out if
    the tree would be too large with it.
    """
    if network.is_gaussian:
        return _regressions(network)
    discrete = discrete_part(network)
    followers = {v: mixture(network, v) for v in network.names if v not in network.states}
    made = _tree(discrete, followers)
    return _tree(discrete, {}) if made.facts is None and followers else made


def discrete_part(network: Network) -> Network:
    """The discrete variables alone."""
    if network.kind == "discrete":
        return network
    return Network({v: cpd for v, cpd in network.cpds.items() if isinstance(cpd, Table)}, network.states)


@dataclass(frozen=True)
class Mixture:
    """A continuous variable given discrete ones, the `scope`: normal, with `means` and `sds` for each configuration."""

    scope: tuple[str, ...]
    means: Floats | None = None
    sds: Floats | None = None


def mixture(network: Network, name: str) -> Mixture:
    """A continuous variable given the discrete parents of its own and of its continuous ancestors.

    Given these, all of them are jointly normal (Lauritzen 1992), and means and covariances follow from parents to
    children, for all configurations at once. Without numbers if there are too many configurations.
    """
    wanted, found = [name], {name}
    while wanted:
        new = {*network.conditional_gaussian(wanted.pop()).continuous} - found
        found |= new
        wanted += new
    own = {v: network.conditional_gaussian(v) for v in network.dag.topological_order() if v in found}
    parents = {p for cpd in own.values() for p in cpd.discrete}
    scope = tuple(v for v in network.names if v in parents)
    shape = tuple(len(network.states[v]) for v in scope)
    if prod(shape) > MOST_NUMBERS:
        return Mixture(scope)
    axes = dict(zip(scope, np.indices(shape), strict=True))
    mean: dict[str, Floats] = {}
    covariance: dict[tuple[str, str], Floats] = {}
    for v, cpd in own.items():
        at = tuple(axes[p] for p in cpd.discrete)
        slopes = [(u, cpd.coefficients[at][..., k]) for k, u in enumerate(cpd.continuous)]
        for u in mean:
            covariance[u, v] = covariance[v, u] = sum((b * covariance[p, u] for p, b in slopes), np.zeros(shape))
        mean[v] = sum((b * mean[p] for p, b in slopes), np.zeros(shape) + cpd.intercepts[at])
        covariance[v, v] = sum((b * covariance[p, v] for p, b in slopes), np.zeros(shape) + cpd.sds[at] ** 2)
    return Mixture(scope, mean[name], np.sqrt(covariance[name, name]))


def _tree(network: Network, followers: Mapping[str, Mixture]) -> Compiled:
    tables = {v: network.table(v) for v in network.names}
    numbers = sum(table.probabilities.size for table in tables.values())
    numbers += sum(2 * prod(len(network.states[v]) for v in own.scope) for own in followers.values())
    tree = JunctionTree(network, [own.scope for own in followers.values() if own.scope])
    if tree.entries > MOST_ENTRIES or numbers > MOST_NUMBERS:
        return Compiled(tree.entries, numbers)
    at = {v: i for i, v in enumerate(network.names)}
    cliques = [[at[v] for v in clique] for clique in tree.cliques]
    around: dict[int, list[int]] = {i: [] for i in at.values()}
    for c, clique in enumerate(cliques):
        for i in clique:
            around[i].append(c)

    def placed(scope: Sequence[str]) -> tuple[int, list[int]]:
        """A clique that holds these variables, and their numbers."""
        own = [at[v] for v in scope]
        return next(c for c in (around[own[0]] if own else (0,)) if {*own} <= {*cliques[c]}), own

    found = []
    for v, table in tables.items():
        rows = table.probabilities / table.probabilities.sum(axis=-1, keepdims=True)  # published ones are rounded
        found.append([*placed((*table.parents, v)), _rounded(rows, DIGITS)])
    facts = {
        "kind": "discrete",
        "names": [*network.names, *followers],
        "labels": [network.states[v] for v in network.names],
        "states": [len(network.states[v]) for v in network.names],
        "cliques": cliques,
        "parents": list(tree.parents),
        "tables": found,
        "mixtures": [
            [*placed(own.scope), *(_rounded(x, DIGITS_OF_REGRESSIONS) for x in (own.means, own.sds))]
            for own in followers.values()
        ],
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
        intercept, *slopes, sd = _rounded([own.intercept, *own.coefficients, own.sd], DIGITS_OF_REGRESSIONS)
        found.append([[at[u] for u in own.parents], intercept, slopes, sd])
    order = [at[v] for v in network.dag.topological_order()]
    facts = {"kind": "gaussian", "names": network.names, "order": order, "regressions": found}
    return Compiled(entries, numbers, facts)


def _rounded(numbers: ArrayLike | None, digits: int) -> list[float | int]:
    """With so many significant digits, and without the point where it says nothing."""
    short = [float(f"{x:.{digits}g}") for x in np.asarray(numbers, dtype=np.float64).reshape(-1).tolist()]
    return [int(x) if x in (0.0, 1.0) else x for x in short]
