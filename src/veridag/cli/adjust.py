"""The command that says how the effect of one variable on another can be found from data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veridag.errors import InputError

from .app import command
from .inputs import load_graph
from .options import GraphArgument, JsonOption
from .parsing import names_of
from .terminal import echo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veridag.graph import DAG, PDAG


@command(
    "adjust",
    "veridag adjust asia smoke dysp",
    "veridag adjust net.bif cancer xray --observed smoker --json",
    "veridag learn cases.csv -o - | veridag adjust - smoker cancer",
)
def adjust(
    graph: GraphArgument,
    x: Annotated[str, typer.Argument(help="The cause: the variable you set.", metavar="X")],
    y: Annotated[str, typer.Argument(help="The outcome: the variable whose change you want to know.", metavar="Y")],
    kind: Annotated[
        str,
        typer.Option(
            help="Which sets to list: minimal, all (every valid set), or backdoor (minimal sets by the back-door "
            "criterion).",
            metavar="KIND",
        ),
    ] = "minimal",
    observed: Annotated[
        list[str] | None,
        typer.Option(
            help="Adjust only for these variables, separated by commas; treat the others as latent. Default: all.",
            metavar="A,B",
        ),
    ] = None,
    most: Annotated[
        int, typer.Option(help="List at most this many sets; if there are more, stop with an error.", metavar="N")
    ] = 1000,
    as_json: JsonOption = False,
) -> None:
    """List the adjustment sets for a causal effect.

    Prints the sets of variables z for which p(y | do(x)) is the sum over z of p(y | x, z) p(z), and the one with the
    smallest variance. If there is none, prints instruments (for linear models) and front-door sets. If the graph has
    edges without direction, the sets are valid for all DAGs of its equivalence class; if no set is, the command names
    the edges whose direction must be known.
    """
    from veridag.graph import PartialGraph

    content = load_graph(graph)
    if isinstance(content, PartialGraph):
        raise InputError(f"{graph!r} is a PartialGraph, but this command needs a DAG or a CPDAG: give another graph")
    seen = names_of(observed) if observed else None
    facts = _facts(content, x, y, kind, seen, most)
    if as_json:
        echo(json.dumps(facts, indent=1))
        return
    for line in _lines(facts):
        echo(line)


def _facts(graph: DAG | PDAG, x: str, y: str, kind: str, observed: tuple[str, ...] | None, most: int) -> dict[str, Any]:
    from veridag.graph import DAG, NotAmenable

    facts: dict[str, Any] = {"x": x, "y": y, "kind": kind, "observed": observed}
    try:
        sets = graph.adjustment_sets(x, y, kind, observed=observed, most=most)  # type: ignore[arg-type] # checked there
        optimal = graph.optimal_adjustment(x, y)
    except NotAmenable as obstacle:
        return {**facts, "amenable": False, "obstacles": obstacle.edges, "sets": [], "optimal": None}
    usable = optimal is not None and (observed is None or set(optimal) <= set(observed))
    facts |= {"amenable": True, "obstacles": [], "sets": sets, "optimal": optimal if usable else None}
    facts |= {"causal_path": optimal is not None}  # of one x there is no other reason
    if isinstance(graph, DAG) and optimal is not None and not sets:
        found = graph.instruments(x, y, observed=observed, most=most)
        facts |= {
            "front_door": graph.front_door(x, y, observed=observed, most=most),
            "instruments": [one._asdict() for one in found],
        }
    return facts


def _lines(facts: dict[str, Any]) -> list[str]:
    x, y = facts["x"], facts["y"]
    if facts["obstacles"]:
        edges = ", ".join(f"{u} - {v}" for u, v in facts["obstacles"])
        return [
            f"the effect is not identified: the graph does not direct {edges}, where a causal path from {x} to {y} "
            "may start"
        ]
    if not facts["causal_path"]:
        return [f"{x} has no causal path to {y}: its effect is zero"]
    if facts["sets"]:
        lines = [f"to estimate the effect of {x} on {y}, adjust for", *(f"  {_set(z)}" for z in facts["sets"])]
        if facts["optimal"] is not None:
            lines.append(f"smallest variance: {_set(facts['optimal'])}")
        return lines
    lines = [f"no set of these variables is a valid adjustment set for the effect of {x} on {y}"]
    lines += [f"front door: {_set(m)}" for m in facts.get("front_door", [])]
    for one in facts.get("instruments", []):
        given = f" given {_set(one['given'])}" if one["given"] else ""
        lines.append(f"instrument, for linear models: {one['instrument']}{given}")
    return lines


def _set(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "(nothing)"
