"""What the page's script knows: the recommended network, as JSON."""

from __future__ import annotations

import json
from itertools import islice, product
from typing import Any

from veridag.network import Network

from .content import Report
from .markup import Markup

#: The most rows of a variable's table that the page carries, and cells of all; the file to download has them all.
MOST_CONFIGURATIONS, MOST_CELLS = 64, 15_000


def payload(report: Report) -> Markup:
    """The network's variables and arcs; nothing in it can end the script element that holds it.

    Variables and learners go by their numbers, or wide tables would repeat their names thousands of times.
    """
    validation = report.validation
    graph, labels = validation.best.cpdag, validation.labels
    at = {name: i for i, name in enumerate(graph.names)}
    votes = {frozenset(f.pair): f for f in validation.features}
    arcs = []
    for (a, b), directed in [(arc, True) for arc in graph.arcs] + [(edge, False) for edge in graph.edges]:
        feature = votes[frozenset((a, b))]
        found: dict[str, Any] = {"from": at[a], "to": at[b], "directed": directed}
        found["votes"] = [
            [how, at[feature.pair[0]], at[feature.pair[1]], [labels.index(label) for label in who], companions]
            for companions, ways in ((False, feature.votes), (True, feature.beside))
            for how, who in ways.items()
        ]
        if report.strengths is not None:
            i, j = report.strengths.names.index(a), report.strengths.names.index(b)
            found |= {
                "strength": round(float(report.strengths.strength[i, j]), 4),
                "direction": round(float(report.strengths.direction[i, j]), 4),
            }
        arcs.append(found)
    most = 0 if report.network is None else most_configurations(report.network)
    facts = {
        "names": graph.names,
        "learners": labels,
        "samples": None if report.strengths is None else report.strengths.repeats,
        "arcs": arcs,
        "variables": [_variable(report, name, at, most) for name in graph.names],
    }
    text = json.dumps(facts, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _variable(report: Report, name: str, at: dict[str, int], most: int) -> dict[str, Any]:
    if report.network is None:
        return {}
    dag = report.network.dag
    facts: dict[str, Any] = {
        "parents": [at[v] for v in dag.parents(name)],
        "children": [at[v] for v in dag.children(name)],
        "blanket": [at[v] for v in dag.markov_blanket(name)],
    }
    return facts | described(report.network, name, most)


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
