"""What the page's script knows: the recommended network, as values for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from veridag.graph import PDAG
from veridag.network import Network
from veridag.trust.assessment.assessment import percent

from .content import Report
from .distributions import described, most_configurations
from .lines import MOST_AT_START, lines_of

#: Digits of probabilities after the point, in the details of a variable.
DIGITS = 2


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
                "said": line.sentence,
                "chance": percent(line.chance.joined),
                "way": line.way,
                "cause": None if line.cause is None else at[line.cause],
                "found": len(validation.ranked) - against,
            }
        )
    return {
        "names": report.data.names,
        "learners": len(validation.ranked),
        "start": MOST_AT_START,
        "links": links,
        "variables": described_variables(report.data.names, graph, report.network),
    }


def described_variables(names: Sequence[str], graph: PDAG, network: Network | None) -> list[dict[str, Any]]:
    """The neighbours of each variable, by their numbers, and its distribution if the network has parameters."""
    at = {name: i for i, name in enumerate(names)}
    beside: dict[str, list[int]] = {name: [] for name in names}
    for a, b in graph.edges:
        beside[a].append(at[b])
        beside[b].append(at[a])
    most = 0 if network is None else most_configurations(network)
    found = []
    for name in names:
        neighbours = {
            "before": [at[v] for v in sorted(graph.parents(name))],
            "after": [at[v] for v in sorted(graph.children(name))],
            "beside": sorted(beside[name]),
        }
        found.append(neighbours | ({} if network is None else described(network, name, most, DIGITS)))
    return found
