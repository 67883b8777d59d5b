"""The command that makes a score table."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from .app import app
from .inputs import parse_knowledge
from .options import (
    ForbidOption,
    JobsOption,
    MaxIndegreeOption,
    PriorOption,
    RequireOption,
    Table,
    TiersOption,
    takes_data,
)
from .outputs import check_path, write_score_table
from .waiting import progress_bar


@app.command("table")
@takes_data
def make_table(
    data: Table,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="Where the table goes: .jkl or .pss, also with .gz; - is .jkl to standard output.",
            metavar="FILE",
        ),
    ],
    score: Annotated[str, typer.Option(help="Score, such as 'bdeu(ess=1)'.", metavar="SPEC")] = "bic",
    prior: PriorOption = "uniform",
    max_indegree: MaxIndegreeOption = None,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    memory_limit: Annotated[
        float | None, typer.Option(help="The most memory, in GB; three quarters of what is free if not given.")
    ] = None,
    jobs: JobsOption = 1,
) -> None:
    """Score all parent sets, and write those that no subset beats.

    A file in .jkl or .pss can be searched for the best network by other programs too. With BIC and AIC no limit on the
    number of parents is needed; with other scores give --max-indegree.
    """
    from veridag.criteria.score_table import TABLE_SUFFIXES, score_table
    from veridag.specs import parse

    check_path(output, (*TABLE_SUFFIXES, *(f"{suffix}.gz" for suffix in TABLE_SUFFIXES)))
    criterion, structure = parse(score, "score"), parse(prior, "prior")
    known = parse_knowledge(require, forbid, tiers)
    cases = data.read()
    start = time.perf_counter()
    limit = None if memory_limit is None else 1e9 * memory_limit
    with progress_bar("parent sets") as progress:
        table = score_table(cases, criterion, structure, max_indegree, known, jobs, progress, limit)
    seconds = time.perf_counter() - start
    write_score_table(table, output)
    typer.echo(f"{len(table)} parent sets of {len(table.names)} variables, made in {seconds:.3f} s", err=True)
    typer.echo(f"{criterion}, {structure}, max_indegree={max_indegree}", err=True)
