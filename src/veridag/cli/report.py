"""Commands that compare learners on a table: a ranking, or a page with all that was found."""

from __future__ import annotations

import json
import shlex
import sys
import time
from typing import Annotated

import typer

from veridag.progress import describe_seconds

from .app import command
from .comparisons import (
    AlgorithmsOption,
    CompanionsOption,
    MinutesOption,
    RepeatsOption,
    SizesOption,
    parse_companions,
    parse_learners,
    parse_minutes,
    parse_sizes,
    parse_truth,
    take_gaps,
    time_left,
    validation_facts,
)
from .inputs import title_of
from .learners import parse_knowledge
from .options import (
    DaskOption,
    DataSource,
    ForbidOption,
    JobsOption,
    JsonOption,
    ProcessesOption,
    RequireOption,
    SeedOption,
    TiersOption,
    TruthOption,
    executor_for,
    takes_data,
)
from .outputs import check_path, whole
from .progress_bar import kept, progress_bar
from .terminal import echo, say


@command(
    "validate",
    'veridag validate cases.csv --algorithm tabu --algorithm "ges(score=bic)"',
    "veridag validate cases.csv --repeats 5 --tiers tiers.txt --json",
)
@takes_data
def validate(
    source: DataSource,
    algorithm: AlgorithmsOption = None,
    companion: CompanionsOption = None,
    truth: TruthOption = None,
    sizes: SizesOption = None,
    repeats: RepeatsOption = 10,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    processes: ProcessesOption = False,
    dask: DaskOption = None,
    adjacencies: Annotated[
        bool, typer.Option("--adjacencies", help="Compare only which variables are joined, and ignore directions.")
    ] = False,
    minutes: MinutesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rank learners on a table by intersection-validation.

    Every learner learns from the whole table; the structure that all of them agree on is used as the truth. Then they
    learn from subsamples, and are ranked by how close they come to it.
    """
    from veridag.trust.intersection_validation import intersection_validation

    chosen, beside = parse_learners(algorithm), parse_companions(companion)
    target, seconds = parse_truth(truth), parse_minutes(minutes)
    known, executor = parse_knowledge(require, forbid, tiers), executor_for(jobs, processes, dask)
    began = time.monotonic()
    data = source.read()
    chosen, beside = take_gaps(chosen, data), take_gaps(beside, data)
    seconds = time_left(seconds, began)
    with progress_bar("learning", seconds=seconds, keeps="the results so far") as progress, kept() as stopped:
        found = intersection_validation(
            data,
            chosen,
            parse_sizes(sizes),
            repeats,
            seed,
            executor,
            companions=beside,
            knowledge=known,
            truth=target,
            compare="adjacencies" if adjacencies else "types",
            progress=progress,
            seconds=seconds,
        )
    found = stopped[0] if stopped else found
    echo(json.dumps({**validation_facts(found), "notes": list(data.notes)}, indent=1) if as_json else str(found))
    if stopped:
        raise typer.Exit(130)


@command(
    "report",
    "veridag report cases.csv",
    "veridag report cases.csv --minutes 5 --jobs 4 -o cases.html",
    "veridag report cases.csv --group hospital --require smoker:cancer",
)
@takes_data
def report(
    source: DataSource,
    algorithm: AlgorithmsOption = None,
    companion: CompanionsOption = None,
    truth: TruthOption = None,
    sizes: SizesOption = None,
    repeats: RepeatsOption = 5,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    processes: ProcessesOption = False,
    dask: DaskOption = None,
    minutes: MinutesOption = None,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="Write the page to this file, .html; - is standard output.", metavar="FILE"
        ),
    ] = "report.html",
) -> None:
    """Write a report on the network and how reliable it is.

    The report is one web page: the recommended network, open questions in plain words, what would help, and the
    methods. `veridag assess` prints the same results in the terminal. Ctrl-C stops early and writes the page from the
    results so far.
    """
    from veridag.report import make_report

    check_path(output, (".html", ".htm"))
    chosen, beside = parse_learners(algorithm), parse_companions(companion)
    target, seconds = parse_truth(truth), parse_minutes(minutes)
    known, executor = parse_knowledge(require, forbid, tiers), executor_for(jobs, processes, dask)
    began = time.monotonic()
    data = source.read()
    chosen, beside = take_gaps(chosen, data), take_gaps(beside, data)
    seconds = time_left(seconds, began)
    with progress_bar("learning", seconds=seconds, keeps="the results so far") as progress, kept() as stopped:
        made = make_report(
            data,
            chosen,
            companions=beside,
            truth=target,
            knowledge=known,
            sizes=parse_sizes(sizes),
            repeats=repeats,
            seed=seed,
            jobs=executor,
            title=title_of(source.path),
            command=shlex.join(["veridag", *sys.argv[1:]]),
            progress=progress,
            seconds=seconds,
        )
    made = stopped[0] if stopped else made
    with whole(output, ".html") as draft:
        made.write(draft)
    say(made.assessment.sentence)
    if output != "-":
        say(f"Open {output} in a browser ({describe_seconds(made.seconds)}).")
    if stopped:
        raise typer.Exit(130)
