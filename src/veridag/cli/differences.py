"""The command that says where related data sets differ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veridag.display import spreadsheet
from veridag.errors import InputError

from .app import command
from .completion import network_names
from .inputs import check_one_input, load_structure
from .options import (
    DaskOption,
    DataSource,
    JobsOption,
    JsonOption,
    ProcessesOption,
    SeedOption,
    executor_for,
    takes_data,
)
from .outputs import check_one_pipe, check_path, write_text
from .progress_bar import progress_bar
from .terminal import echo, note, say

if TYPE_CHECKING:
    from veridag.data import Data
    from veridag.graph import DAG
    from veridag.trust.differences import GroupDifferences


@command(
    "differences",
    "veridag differences cases.csv --group hospital",
    "veridag differences cases.csv --group hospital -o arcs.csv --draw arcs.svg",
)
@takes_data
def differences_of_groups(
    source: DataSource,
    graph: Annotated[
        str | None,
        typer.Option(
            "--graph",
            "-g",
            help="The common structure: a file, a reference network, or a modelstring such as '[A][B|A]'. Default: "
            "learn one.",
            metavar="GRAPH",
            autocompletion=network_names,
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(help="An arc is present if its log ratio is above this, and absent if it is below minus this."),
    ] = 1.0,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    processes: ProcessesOption = False,
    dask: DaskOption = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Write the log ratios and verdicts to this file, .csv.", metavar="FILE"),
    ] = None,
    draw: Annotated[
        str | None,
        typer.Option(
            help="Draw the arcs to this file, .svg. Arcs that are absent in some groups are dashed.", metavar="FILE"
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show which arcs are present in which groups.

    --group names the column of the groups; all other columns must be discrete. For each arc and group, prints the log
    ratio of the probability of the group's rows with the arc and without it. Without --graph, learns a structure from
    the same rows with the default learner.
    """
    from veridag.checks import Number
    from veridag.criteria.scores import BHD
    from veridag.trust.differences import group_differences

    check_one_input(source.path, graph or "")
    check_path(output, (".csv",))
    check_path(draw, (".svg",))
    check_one_pipe(output=output, draw=draw)
    executor, threshold = executor_for(jobs, processes, dask), Number(least=0)("threshold", threshold)
    dag = None if graph is None else load_structure(graph)
    data = source.read(None if dag is None else dag.names)
    if data.group is None:
        raise InputError("differences: the table has no groups: name the column of the groups with --group")
    BHD().check(data)  # complains before anything is learned
    dag = _learned(data, seed, executor.local_threads) if dag is None else dag
    with progress_bar("arcs") as progress:
        found = group_differences(dag, data, threshold=threshold, jobs=executor, progress=progress)
    if output is not None:
        write_text(spreadsheet([("from", "to", "group", "evidence", "verdict"), *_rows(found)]), output)
    if draw is not None:
        write_text(found.to_svg("where the groups differ"), draw)
    piped = "-" in (output, draw)
    if as_json:
        echo(json.dumps({**_facts(found), "notes": list(data.notes)}, indent=1), err=piped)
        return
    if not piped:
        echo(found)
    say(repr(found).strip("<>"))


def _learned(data: Data, seed: int, threads: int) -> DAG:
    from veridag.progress import Interrupted
    from veridag.trust.learning import learn

    with progress_bar("search") as progress:
        try:
            found = learn(data, seed=seed, progress=progress, jobs=threads)
        except Interrupted as stop:
            raise KeyboardInterrupt from stop  # a structure is no answer
    note("the structure was learned from the same rows")
    return found.dag


def _rows(found: GroupDifferences) -> list[tuple[str, str, str, float, str]]:
    return [
        (*arc, group, float(value), found.verdict(arc, group))
        for arc, row in zip(found.arcs, found.evidence, strict=True)
        for group, value in zip(found.groups, row, strict=True)
    ]


def _facts(found: GroupDifferences) -> dict[str, Any]:
    names = ("from", "to", "group", "evidence", "verdict")
    return {
        "threshold": found.threshold,
        "groups": list(found.groups),
        "arcs": [list(arc) for arc in found.arcs],
        "evidence": [dict(zip(names, row, strict=True)) for row in _rows(found)],
    }
