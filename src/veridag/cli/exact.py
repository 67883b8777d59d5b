"""The command that finds the best network of a table of local scores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from .app import app
from .options import JsonOption, TimeLimitOption
from .outputs import GRAPH_SUFFIXES, check_path, write_graph
from .waiting import describe_gap, kept, progress_bar

if TYPE_CHECKING:
    from veridag.search.result import Result


@app.command()
def solve(
    table: Annotated[str, typer.Argument(help="Local scores: .jkl or .jkl.gz.", metavar="TABLE")],
    time_limit: TimeLimitOption = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Where the graph goes: .json or .dot; - is JSON to standard output.", metavar="FILE"
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the best network of a table of local scores, with a proof.

    A summary goes to standard error. Ctrl-C stops the search, saves the best so far and exits with 130.
    """
    from veridag.criteria.score_table import read_table
    from veridag.search import solve as best_network

    check_path(output, GRAPH_SUFFIXES)
    scores = read_table(table)
    with progress_bar("search", keeps="the best so far") as progress, kept() as stopped:
        result = best_network(scores, time_limit, progress)
    result = stopped[0] if stopped else result
    if output is not None:
        write_graph(result.graph, output)
    _report(result, len(scores.scores), as_json, quiet=output == "-")
    if stopped:
        raise typer.Exit(130)


def _report(result: Result, sets: int, as_json: bool, quiet: bool) -> None:
    if as_json:
        facts = {
            "variables": len(result.dag.names),
            "sets": sets,
            "arcs": [list(arc) for arc in result.dag.arcs],
            "score": result.score,
            "optimal": result.optimal,
            "gap": result.gap,
            "seconds": round(result.seconds, 6),
            "interrupted": result.interrupted,
        }
        typer.echo(json.dumps(facts, indent=1), err=quiet)
        return
    state = "stopped after" if result.interrupted else "found in"
    typer.echo(
        f"{len(result.dag.arcs)} arcs among {len(result.dag.names)} variables, of {sets} parent sets, {state} "
        f"{result.seconds:.3f} s\nscore {result.score:.6f}, {describe_gap(result)}",
        err=True,
    )
