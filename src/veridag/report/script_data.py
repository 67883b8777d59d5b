"""What the page's script knows: the recommended network, as values for JSON."""

from __future__ import annotations

from typing import Any

from .content import Report
from .distributions import described, most_configurations


def script_data(report: Report) -> dict[str, Any]:
    """The network's variables and arcs.

    Variables and learners go by their numbers, or wide tables would repeat their names thousands of times.
    """
    validation = report.validation
    graph, labels = report.graph, validation.labels
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
    return {
        "names": graph.names,
        "learners": labels,
        "samples": None if report.strengths is None else report.strengths.repeats,
        "arcs": arcs,
        "variables": [_variable(report, name, at, most) for name in graph.names],
    }


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
