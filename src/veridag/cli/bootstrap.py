"""The command that says how strongly the data supports each arc."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from veridag.display import spreadsheet
from veridag.errors import InputError

from .app import command
from .learners import parse_knowledge, parse_learner
from .options import (
    DaskOption,
    DataSource,
    ForbidOption,
    JobsOption,
    JsonOption,
    MaxIndegreeOption,
    MaybeAlgorithmOption,
    MaybePriorOption,
    MaybeScoreOption,
    MaybeTestOption,
    ProcessesOption,
    RequireOption,
    SeedOption,
    TiersOption,
    executor_for,
    takes_data,
)
from .outputs import (
    GRAPH_SUFFIXES,
    check_figure,
    check_one_pipe,
    check_path,
    whole,
    write_drawing,
    write_graph,
    write_text,
)
from .progress_bar import kept, progress_bar
from .terminal import echo, say

if TYPE_CHECKING:
    from veridag.trust.bootstrap import Strengths


@command(
    "bootstrap",
    "veridag bootstrap cases.csv",
    "veridag bootstrap cases.csv --repeats 100 --jobs 4 -o averaged.json",
    "veridag bootstrap cases.csv --strengths arcs.csv --figure arcs.svg",
)
@takes_data
def strengths_of_arcs(
    source: DataSource,
    algorithm: MaybeAlgorithmOption = None,
    test: MaybeTestOption = None,
    score: MaybeScoreOption = None,
    prior: MaybePriorOption = None,
    max_indegree: MaxIndegreeOption = None,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    repeats: Annotated[int, typer.Option("--repeats", "-r", help="Number of bootstrap samples.")] = 200,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Keep arcs whose strength is above this, such as 0.5. Default: estimated from the strengths."
        ),
    ] = None,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    processes: ProcessesOption = False,
    dask: DaskOption = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Write the averaged network to this file, .json or .dot.", metavar="FILE"),
    ] = None,
    strengths: Annotated[
        str | None, typer.Option(help="Write the strengths of all arcs to this file, .csv.", metavar="FILE")
    ] = None,
    figure: Annotated[
        str | None, typer.Option(help="Plot the strengths to this file, .svg or .png.", metavar="FILE")
    ] = None,
    draw: Annotated[
        str | None, typer.Option(help="Draw the averaged network to this file, .svg.", metavar="FILE")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show how strongly the data supports each arc.

    Draws rows with replacement and learns a network from them, many times. The strength of an arc is the share of the
    networks that have it; the averaged network has the strong arcs. The default learner is that of `veridag learn`.
    Ctrl-C keeps the repeats done so far and exits with code 130.
    """
    from veridag.trust.bootstrap import bootstrap

    check_path(output, GRAPH_SUFFIXES)
    check_path(draw, (".svg",))
    check_path(strengths, (".csv",))
    check_figure(figure)
    check_one_pipe(output=output, strengths=strengths, figure=figure, draw=draw)
    if threshold is not None and not 0 <= threshold <= 1:
        raise InputError(f"--threshold {threshold:g} must be a number from 0 to 1, such as 0.5")
    choose = parse_learner(algorithm, test, score, prior, max_indegree)
    known, executor = parse_knowledge(require, forbid, tiers), executor_for(jobs, processes, dask)
    data = source.read()
    learner = choose(data, known)
    with progress_bar("bootstrap", keeps="the finished repeats") as progress, kept() as stopped:
        found = bootstrap(data, learner, repeats, knowledge=known, seed=seed, jobs=executor, progress=progress)
    found = stopped[0] if stopped else found
    _write_strengths(found, threshold, output, strengths, figure, draw)
    _report_strengths(
        found, learner.label, threshold, data.notes, as_json, piped="-" in (output, strengths, figure, draw)
    )
    if stopped:
        raise typer.Exit(130)


def _write_strengths(
    found: Strengths,
    threshold: float | None,
    output: str | None,
    strengths: str | None,
    figure: str | None,
    draw: str | None,
) -> None:
    averaged = found.averaged(threshold)
    if output is not None:
        write_graph(averaged, output)
    if strengths is not None:
        write_text(_strengths_csv(found), strengths)
    if figure is not None:
        from veridag.figures import strength_figure

        with whole(figure, ".svg") as draft:
            strength_figure(draft, found)
    if draw is not None:
        write_drawing(averaged, draw, "averaged network")


def _strengths_csv(found: Strengths) -> str:
    return spreadsheet([("from", "to", "strength", "direction"), *found.arcs])


def _report_strengths(
    found: Strengths, label: str, threshold: float | None, notes: Sequence[str], as_json: bool, piped: bool
) -> None:
    """What was found, on standard output unless that is taken."""
    limit = found.threshold if threshold is None else threshold
    averaged = found.averaged(threshold)
    if as_json:
        facts = {
            "repeats": found.repeats,
            "seed": found.seed,
            "settings": found.settings,
            "threshold": limit,
            "averaged": [list(arc) for arc in averaged.arcs],
            "arcs": [arc._asdict() for arc in found.arcs],
            "notes": list(notes),
        }
        echo(json.dumps(facts, indent=1), err=piped)
        return
    kept = [] if piped else [arc for arc in found.arcs if arc.strength > limit]
    width = max((len(f"{arc.source} -> {arc.target}") for arc in kept), default=3)
    if not piped:
        echo(f"{'arc':{width}}  strength  direction")
    for arc in kept:
        echo(f"{f'{arc.source} -> {arc.target}':{width}}  {arc.strength:8.3f}  {arc.direction:9.3f}")
    seen = f"{len(found.arcs)} seen in {found.repeats} repeats, seed {found.seed}"
    say(f"{len(averaged.arcs)} arcs stronger than {limit:.3g} of {seen}\nlearner: {label}")
