"""The command that says how far a graph is from another."""

from __future__ import annotations

import json
from math import inf
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veridag.errors import InputError

from .app import command
from .completion import network_names
from .inputs import load_any
from .options import JsonOption, SeedOption
from .terminal import echo, note

if TYPE_CHECKING:
    from veridag.graph import DAG, PDAG
    from veridag.network import Network


@command(
    "compare",
    "veridag compare net.bif graph.json",
    "veridag learn cases.csv -o - | veridag compare net.bif -",
    "veridag fit cases.csv --graph graph.json | veridag compare net.bif -",
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
    rows: Annotated[
        int | None,
        typer.Option(
            help="Estimate cross-entropy and divergence from this many rows of the true network. Default: exact.",
            metavar="N",
        ),
    ] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Measure how far a graph is from the true graph.

    Prints the structural Hamming distance (shd) and its parts, precision and recall of the joined pairs, and the
    structural intervention distance (sid). If both are networks with parameters, it also prints the cross-entropy and
    the Kullback-Leibler divergence, in nats.
    """
    from veridag.graph import PartialGraph
    from veridag.metrics import confusion, hamming, phd, shd_parts, sid, skeleton_phd
    from veridag.network import Network

    p, q = load_any(a), load_any(b)
    truth, estimate = (one.dag if isinstance(one, Network) else one for one in (p, q))
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
    if isinstance(p, Network) and isinstance(q, Network):
        facts |= _divergences(p, q, rows, seed)
    elif rows is not None:
        raise InputError("--rows: cross-entropy needs two networks with parameters: fit them first, or leave it out")
    if as_json:
        finite = {name: None if x in (inf, -inf) else x for name, x in facts.items()}
        echo(json.dumps({"a": a, "b": b, **finite}, indent=1))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        echo(
            f"{name.replace('_', ' '):{width}}  {value:.4f}"
            if isinstance(value, float)
            else f"{name.replace('_', ' '):{width}}  {value}"
        )


def _divergences(p: Network, q: Network, rows: int | None, seed: int) -> dict[str, float]:
    """Cross-entropy and divergence, with standard errors if they are estimated; none if there are no such numbers."""
    from veridag.metrics import cross_entropy, kl_divergence

    try:
        found = {"cross_entropy": cross_entropy(p, q, rows, seed), "kl_divergence": kl_divergence(p, q, rows, seed)}
    except InputError as error:
        if rows is not None:
            raise
        note(f"no cross-entropy: {error}")
        return {}
    facts = {name: float(own) for name, own in found.items()}
    if rows is not None:
        facts |= {f"{name}_standard_error": own.standard_error for name, own in found.items()}
    return facts


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
