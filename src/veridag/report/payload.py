"""What the page's script knows: the recommended network, as JSON."""

from __future__ import annotations

import json
from itertools import islice, product
from typing import Any

from veridag.network import Network

from .content import Report
from .markup import Markup

#: The most rows of a variable's table that the page carries; the file to download has them all.
MOST_CONFIGURATIONS = 64


def payload(report: Report) -> Markup:
    """The network's variables and arcs; nothing in it can end the script element that holds it."""
    graph = report.validation.best.cpdag
    votes = {frozenset(f.pair): f for f in report.validation.features}
    arcs = []
    for (a, b), directed in [(arc, True) for arc in graph.arcs] + [(edge, False) for edge in graph.edges]:
        feature = votes[frozenset((a, b))]
        found = {"from": a, "to": b, "directed": directed, "standing": feature.standing}
        found["votes"] = [
            {"how": how, "first": feature.pair[0], "second": feature.pair[1], "who": who, "companions": companions}
            for companions, votes in ((False, feature.votes), (True, feature.beside))
            for how, who in votes.items()
        ]
        if report.strengths is not None:
            i, j = report.strengths.names.index(a), report.strengths.names.index(b)
            found |= {
                "strength": round(float(report.strengths.strength[i, j]), 4),
                "direction": round(float(report.strengths.direction[i, j]), 4),
            }
        arcs.append(found)
    variables = {name: _variable(report, name) for name in graph.names}
    text = json.dumps({"arcs": arcs, "variables": variables}, ensure_ascii=True, allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _variable(report: Report, name: str) -> dict[str, Any]:
    if report.network is None:
        return {}
    dag = report.network.dag
    facts: dict[str, Any] = {
        "parents": dag.parents(name),
        "children": dag.children(name),
        "blanket": dag.markov_blanket(name),
    }
    return facts | described(report.network, name)


def described(network: Network, name: str) -> dict[str, Any]:
    """The distribution of a variable given its parents: an equation, or a table as long as a page can show."""
    return _equation(network, name) if network.is_gaussian else _table(network, name)


def _equation(network: Network, name: str) -> dict[str, Any]:
    cpd = network.gaussian(name)
    terms = [f"{c:+.4g} {parent}" for c, parent in zip(cpd.coefficients.tolist(), cpd.parents, strict=True)]
    return {"equation": f"{name} = {cpd.intercept:.4g} {' '.join(terms)}, standard deviation {cpd.sd:.4g}"}


def _table(network: Network, name: str) -> dict[str, Any]:
    cpt, states = network.table(name), network.states[name]
    flat = cpt.probabilities.reshape(-1, len(states))
    configurations = islice(product(*(network.states[p] for p in cpt.parents)), MOST_CONFIGURATIONS)
    rows = [
        [*configuration, *(f"{p:.3f}" for p in row)]
        for configuration, row in zip(configurations, flat.tolist(), strict=False)
    ]
    return {"head": [*cpt.parents, *states], "given": len(cpt.parents), "rows": rows, "configurations": len(flat)}
