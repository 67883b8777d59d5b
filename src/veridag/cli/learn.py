"""The command that learns a network structure."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veridag.errors import InputError

from .app import app
from .inputs import load_structure
from .options import JsonOption, Table, takes_data

if TYPE_CHECKING:
    from veridag.criterion import Result
    from veridag.data import Data
    from veridag.graph import DAG


@app.command()
@takes_data
def learn(
    data: Table,
    algorithm: Annotated[
        str, typer.Option(help="Algorithm, such as 'tabu' or 'hill-climbing(restarts=10)'.", metavar="SPEC")
    ] = "tabu",
    score: Annotated[str | None, typer.Option(help="Score, such as 'bdeu(ess=1)'.", metavar="SPEC")] = None,
    prior: Annotated[str | None, typer.Option(help="Structure prior, such as 'fair'.", metavar="SPEC")] = None,
    max_indegree: Annotated[int | None, typer.Option(help="The most parents that a variable may have.")] = None,
    require: Annotated[
        list[str] | None, typer.Option(help="An arc that must be there; may be repeated.", metavar="A:B")
    ] = None,
    forbid: Annotated[
        list[str] | None, typer.Option(help="An arc that must not be there; may be repeated.", metavar="C:D")
    ] = None,
    tiers: Annotated[
        str | None,
        typer.Option(help="File of tiers, one a line, names separated by commas, first causes.", metavar="FILE"),
    ] = None,
    seed: Annotated[int, typer.Option(help="For what is random, such as restarts.")] = 0,
    jobs: Annotated[int, typer.Option(help="Number of threads.")] = 1,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Where the graph goes: .json or .dot; - is JSON to standard output.", metavar="FILE"
        ),
    ] = None,
    draw: Annotated[str | None, typer.Option(help="Where a drawing goes: .svg.", metavar="FILE")] = None,
    truth: Annotated[
        str | None, typer.Option(help="The true network, to say how far from it what was learned is.", metavar="GRAPH")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Learn a network structure from a table.

    A summary goes to standard error. Ctrl-C stops the search, saves the best so far and exits with 130.
    """
    from veridag.catalogue import parse
    from veridag.knowledge import Knowledge, parse_arc

    learner = parse(algorithm, "algorithm")
    chosen: dict[str, Any] = {}
    if score is not None:
        chosen["score"] = parse(score, "score")
    if prior is not None:
        chosen["prior"] = parse(prior, "prior")
    if max_indegree is not None:
        chosen["max_indegree"] = max_indegree
    learner = replace(learner, **chosen)
    known = Knowledge(
        required=[parse_arc(arc) for arc in require or []],
        forbidden=[parse_arc(arc) for arc in forbid or []],
        tiers=() if tiers is None else Knowledge.read_tiers(tiers).tiers,
    )
    for path in (output, draw):
        _check_graph_path(path, (".svg",) if path is draw else (".json", ".dot", ".gv"))
    true_dag = None if truth is None else load_structure(truth)
    table = data.read()
    stopped = False
    try:
        result = learner.learn(table, knowledge=known, seed=seed, jobs=jobs, progress=_progress_line())
    except KeyboardInterrupt as stop:
        if not hasattr(stop, "result"):
            raise
        result, stopped = stop.result, True
    if sys.stderr.isatty():
        typer.echo("\r\x1b[K", err=True, nl=False)
    if output is not None:
        text = result.graph.to_dot() if output.endswith((".dot", ".gv")) else result.graph.to_json()
        typer.echo(text, nl=False) if output == "-" else Path(output).write_text(text, "utf-8")
    if draw is not None:
        result.graph.draw(draw, Path(data.path).name)
    _report_result(result, table, true_dag, as_json, quiet=output == "-")
    if stopped:
        raise typer.Exit(130)


def _check_graph_path(path: str | None, suffixes: tuple[str, ...]) -> None:
    if path not in (None, "-") and not str(path).endswith(suffixes):
        raise InputError(f"{path!r}: the name of the file must end in {' or '.join(suffixes)}")


def _progress_line() -> Callable[[int, float], None] | None:
    """Shows how far a search is, on a terminal."""
    if not sys.stderr.isatty():
        return None

    def show(steps: int, best: float) -> None:
        typer.echo(f"\r\x1b[K{steps} moves, best score {best:.2f} (Ctrl-C keeps it)", err=True, nl=False)

    return show


def _report_result(result: Result, data: Data, truth: DAG | None, as_json: bool, quiet: bool) -> None:
    from veridag.metrics import shd

    distance = None if truth is None else shd(truth, result.graph)
    facts: dict[str, Any] = {
        "variables": len(data.names),
        "rows": data.n,
        "arcs": [list(arc) for arc in result.dag.arcs],
        "score": result.score,
        "seconds": round(result.seconds, 6),
        "steps": result.steps,
        "calls": result.calls,
        "distinct_calls": result.distinct_calls,
        "interrupted": result.interrupted,
        "seed": result.seed,
        "settings": result.settings,
        "shd": distance,
    }
    if as_json:
        typer.echo(json.dumps(facts, indent=1), err=quiet)
        return
    calls = f"{result.calls} calls of the criterion ({result.distinct_calls} different)"
    state = "stopped after" if result.interrupted else "learned in"
    lines = [
        f"{len(result.dag.arcs)} arcs among {len(data.names)} variables, {state} {result.seconds:.3f} s",
        f"score {result.score:.6f}, {result.steps} moves, {calls}",
        f"{result.settings}, seed {result.seed}",
    ]
    if truth is not None:
        lines.append(f"structural Hamming distance {distance} to the truth, which has {len(truth.arcs)} arcs")
    typer.echo("\n".join(lines), err=True)
