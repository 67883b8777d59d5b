"""What the page's script knows: the recommended network, as values for JSON."""

from __future__ import annotations

from typing import Any

from veridag.trust.assessment.assessment import percent

from .content import Report
from .distributions import described, most_configurations
from .lines import MOST_AT_START, lines_of


def script_data(report: Report) -> dict[str, Any]:
    """The network's variables and links, the surest first.

    Variables go by their numbers, or wide tables would repeat their names thousands of times.
    """
    validation, graph = report.validation, report.graph
    at = {name: i for i, name in enumerate(report.data.names)}
    votes = {frozenset(f.pair): f for f in validation.features}
    links = []
    for line in lines_of(report):
        feature = votes.get(frozenset(line.pair))
        against = len(validation.ranked) if feature is None else len(feature.votes.get("none", ()))
        links.append(
            {
                "from": at[line.first],
                "to": at[line.second],
                "directed": line.directed,
                "standing": line.standing,
                "said": line.chance.sentence,
                "chance": percent(line.chance.joined),
                "found": len(validation.ranked) - against,
            }
        )
    most = 0 if report.network is None else most_configurations(report.network)
    variables = []
    for name in report.data.names:
        neighbours = {
            "before": [at[v] for v in sorted(graph.parents(name))],
            "after": [at[v] for v in sorted(graph.children(name))],
            "beside": sorted(at[v] for edge in graph.edges if name in edge for v in edge if v != name),
        }
        numbers = {} if report.network is None else described(report.network, name, most)
        variables.append(neighbours | numbers)
    return {
        "names": report.data.names,
        "learners": len(validation.ranked),
        "start": MOST_AT_START,
        "links": links,
        "variables": variables,
    }
