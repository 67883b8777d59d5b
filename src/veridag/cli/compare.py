"""The command that says how far a graph is from another."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veridag.errors import InputError

from .app import command
from .completion import network_names
from .inputs import load_graph
from .options import JsonOption
from .terminal import echo

if TYPE_CHECKING:
    from veridag.graph import DAG, PDAG


@command(
    "compare",
    "veridag compare net.bif graph.json",
    "veridag learn cases.csv -o - | veridag compare net.bif -",
)
def compare(
    a: Annotated[
        str,
        typer.Argument(
            help="The true graph: a reference network, a file (.bif, .xml, .net, .dsc, .json, .dot), a modelstring "
            "such as '[A][B|A]', or - for standard input.",
            metavar="TRUTH",
            autocompletion=network_names,
        ),
    ],
    b: Annotated[
        str,
        typer.Argument(
            help="The graph to compare with the true one, in the same form.",
            metavar="GRAPH",
            autocompletion=network_names,
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Measure how far a graph is from the true graph.

    Prints the structural Hamming distance (shd) and its parts, precision and recall of the joined pairs, and the
    structural intervention distance (sid).
    """
    from veridag.graph import PartialGraph
    from veridag.metrics import confusion, hamming, phd, shd_parts, sid, skeleton_phd

    truth, estimate = load_graph(a), load_graph(b)
    if isinstance(truth, PartialGraph) or isinstance(estimate, PartialGraph):
        facts: dict[str, Any] = {"phd": phd(truth, estimate), "skeleton_phd": skeleton_phd(truth, estimate)}
    else:
        parts, counts = shd_parts(truth, estimate), confusion(truth, estimate)
        facts = {
            "shd": parts.total,
            "missing": parts.missing,
            "spurious": parts.spurious,
            "misoriented": parts.misoriented,
            "skeleton_hamming": hamming(truth, estimate),
            "precision": counts.adjacencies.precision,
            "recall": counts.adjacencies.recall,
            "f1": counts.adjacencies.f1,
            **_intervention_distance(truth, estimate, sid),
        }
    if as_json:
        echo(json.dumps({"a": a, "b": b, **facts}, indent=1))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        echo(
            f"{name.replace('_', ' '):{width}}  {value:.4f}"
            if isinstance(value, float)
            else f"{name.replace('_', ' '):{width}}  {value}"
        )


def _intervention_distance(truth: DAG | PDAG, estimate: DAG | PDAG, sid: Any) -> dict[str, Any]:
    """The distance, or its bounds; none where the truth has no directions, or too many orientations."""
    from veridag.graph import DAG

    if not isinstance(truth, DAG):
        return {}
    try:
        found = sid(truth, estimate)
    except InputError:
        return {}
    return {"sid": found} if isinstance(found, int) else {"sid_lower": found.lower, "sid_upper": found.upper}
