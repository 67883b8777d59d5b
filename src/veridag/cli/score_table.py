"""Commands that make a table of local scores, and find its best network."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from .app import command
from .learners import parse_knowledge, parse_memory
from .options import (
    DataSource,
    ForbidOption,
    JobsOption,
    JsonOption,
    MaxIndegreeOption,
    MemoryLimitOption,
    PriorOption,
    RequireOption,
    TiersOption,
    TimeLimitOption,
    takes_data,
)
from .outputs import GRAPH_SUFFIXES, check_path, print_arcs, write_graph, write_score_table
from .progress_bar import describe_gap, finite, kept, progress_bar
from .terminal import echo, say

if TYPE_CHECKING:
    from veridag.search.result import Result


@command(
    "table",
    "veridag table cases.csv -o scores.jkl",
    "veridag table cases.csv --score bdeu --max-indegree 4 -o - | veridag solve -",
)
@takes_data
def make_table(
    source: DataSource,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="Write the table to this file, .jkl or .pss, also with .gz; - is .jkl to standard output.",
            metavar="FILE",
        ),
    ],
    score: Annotated[str, typer.Option(help="Score, such as 'bdeu(ess=1)'.", metavar="SPEC")] = "bic",
    prior: PriorOption = "uniform",
    max_indegree: MaxIndegreeOption = None,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    memory_limit: MemoryLimitOption = None,
    jobs: JobsOption = 1,
) -> None:
    """Compute the local scores of parent sets, for exact search.

    The table lists, for each variable, the parent sets that score higher than all their subsets. `veridag solve` finds
    the best network for it, and so do other programs that read .jkl or .pss. With BIC and AIC you need no limit on the
    number of parents; with other scores give --max-indegree.
    """
    from veridag.criteria.score_table import TABLE_SUFFIXES, score_table
    from veridag.specs import parse
    from veridag.trust.constants import isolating_constants

    check_path(output, (*TABLE_SUFFIXES, *(f"{suffix}.gz" for suffix in TABLE_SUFFIXES)))
    criterion, structure = parse(score, "score"), parse(prior, "prior")
    known, limit = parse_knowledge(require, forbid, tiers), parse_memory(memory_limit)
    data = source.read()
    known = isolating_constants(data, known) or known
    start = time.perf_counter()
    with progress_bar("parent sets") as progress:
        table = score_table(data, criterion, structure, max_indegree, known, jobs, progress, limit)
    seconds = time.perf_counter() - start
    write_score_table(table, output)
    say(f"{len(table)} parent sets of {len(table.names)} variables, made in {seconds:.3f} s")
    limit_said = "no limit on parents" if max_indegree is None else f"at most {max_indegree} parents"
    say(f"{criterion}, {structure}, {limit_said}")


@command(
    "solve",
    "veridag solve scores.jkl",
    "veridag solve scores.jkl --time-limit 60 -o best.json",
)
def solve(
    table: Annotated[
        str,
        typer.Argument(help="Table of local scores, .jkl or .jkl.gz; - for .jkl from standard input.", metavar="TABLE"),
    ],
    time_limit: TimeLimitOption = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the graph to this file, .json or .dot; - is JSON to standard output.",
            metavar="FILE",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the best network for a table of local scores.

    The network is proven to be the best, unless the time runs out. Prints one arc per line, unless -o is given. A
    summary goes to standard error. Ctrl-C stops the search, keeps the best network so far, and exits with code 130.
    """
    from veridag.criteria.score_table import read_table
    from veridag.search import solve as best_network

    check_path(output, GRAPH_SUFFIXES)
    scores = read_table(sys.stdin.buffer, format="jkl") if table == "-" else read_table(table)
    with progress_bar("search", keeps="the best so far") as progress, kept() as stopped:
        result = best_network(scores, time_limit, progress)
    result = stopped[0] if stopped else result
    if output is not None:
        write_graph(result.graph, output)
    if output is None and not as_json:
        print_arcs(result.dag)
    _report(result, len(scores.scores), as_json, piped=output == "-")
    if stopped:
        raise typer.Exit(130)


def _report(result: Result, sets: int, as_json: bool, piped: bool) -> None:
    if as_json:
        facts = {
            "variables": len(result.dag.names),
            "sets": sets,
            "arcs": [list(arc) for arc in result.dag.arcs],
            "score": result.score,
            "optimal": result.optimal,
            "gap": finite(result.gap),
            "seconds": round(result.seconds, 6),
            "interrupted": result.interrupted,
        }
        echo(json.dumps(facts, indent=1), err=piped)
        return
    state = "stopped after" if result.interrupted else "found in"
    say(
        f"{len(result.dag.arcs)} arcs among {len(result.dag.names)} variables, of {sets} parent sets, {state} "
        f"{result.seconds:.3f} s\nscore {result.score:.6f}, {describe_gap(result)}"
    )
