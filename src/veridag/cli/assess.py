"""The command that says which learner to take, how good a choice that is, and how likely each arc is."""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veridag.display import spreadsheet

from .app import command
from .comparisons import (
    AlgorithmsOption,
    MinutesOption,
    parse_learners,
    parse_minutes,
    take_gaps,
    time_left,
    validation_facts,
)
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
    executor_for,
    takes_data,
)
from .outputs import MOST_ARCS, check_path, write_text
from .progress_bar import kept, progress_bar
from .terminal import echo, say

if TYPE_CHECKING:
    from veridag.trust.assessment.assessment import Assessment

_CHANCES = ("a", "b", "joined", "forward", "backward")


@command(
    "assess",
    "veridag assess cases.csv",
    "veridag assess cases.csv --minutes 5 --jobs 2 -o arcs.csv",
    "veridag assess cases.csv --tiers tiers.txt --seed 1 --json",
)
@takes_data
def assess_table(
    source: DataSource,
    algorithm: AlgorithmsOption = None,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    processes: ProcessesOption = False,
    dask: DaskOption = None,
    minutes: MinutesOption = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Write the chances of all arcs to this file, .csv.", metavar="FILE"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Recommend a learner, and show how likely each arc is.

    Compares several learners and collects evidence for each pair of columns. A model fitted to samples of known
    networks turns the evidence into chances: joined (an arc in either direction), forward (from a to b), backward (from
    b to a) and either (joined, and the data fits both directions). Ctrl-C keeps the results so far, with exit code 130.
    """
    from veridag.trust.assessment.assess import assess_learners

    check_path(output, (".csv",))
    chosen, seconds = parse_learners(algorithm), parse_minutes(minutes)
    known, executor = parse_knowledge(require, forbid, tiers), executor_for(jobs, processes, dask)
    began = time.monotonic()
    data = source.read()
    chosen, seconds = take_gaps(chosen, data), time_left(seconds, began)
    with progress_bar("learning", seconds=seconds, keeps="the results so far") as progress, kept() as stopped:
        found = assess_learners(
            data, chosen, knowledge=known, seed=seed, jobs=executor, progress=progress, seconds=seconds
        )
    found = stopped[0] if stopped else found
    if output is not None:
        write_text(_arcs_csv(found), output)
    piped = output == "-"
    if as_json:
        echo(json.dumps({**_facts(found), "notes": list(data.notes)}, indent=1), err=piped)
    else:
        _report(found, piped)
    if stopped:
        raise typer.Exit(130)


def _arcs_csv(found: Assessment) -> str:
    rows = ((arc.a, arc.b, arc.joined, arc.forward, arc.backward, arc.why) for arc in found.arcs)
    return spreadsheet([(*_CHANCES, "why"), *rows])


def _facts(found: Assessment) -> dict[str, Any]:
    """All of it for JSON, which has no NaN: a hit rate that was not measured is null."""
    rate = found.hit_rate
    return {
        "recommended": found.recommended,
        "level": found.level,
        "within_one": found.within_one,
        "hit_rate": {
            "tables": rate.tables,
            "within_one": rate.within_one,
            "share": None if math.isnan(rate.share) else rate.share,
        },
        "sentence": found.sentence,
        "advice": list(found.advice),
        "expected": found.expected,
        "network": {"arcs": [list(arc) for arc in found.graph.arcs], "edges": [list(e) for e in found.graph.edges]},
        "arcs": [{**{name: getattr(arc, name) for name in _CHANCES}, "why": arc.why} for arc in found.arcs],
        "interrupted": found.interrupted,
        "failed": {learner.label: learner.error for learner in found.failed},
        "missing_evidence": list(found.evidence.absent),
        "seconds": round(found.seconds, 6),
        "validation": validation_facts(found.validation),
    }


def _report(found: Assessment, piped: bool) -> None:
    """What follows, and the table; on standard error alone if standard output is taken."""
    said = [f"recommended: {found.recommended}", f"trust in this choice: {found.level}", found.sentence, *found.advice]
    echo("\n".join(said), err=piped)
    if piped:
        return
    shown = found.arcs[:MOST_ARCS]
    width = [max(len(text) for text in (name, *(getattr(arc, name) for arc in shown))) for name in ("a", "b")]
    echo(f"\n{'a':{width[0]}}  {'b':{width[1]}}  joined  forward  backward  either")
    for arc in shown:
        names = f"{arc.a:{width[0]}}  {arc.b:{width[1]}}"
        echo(f"{names}  {arc.joined:6.2f}  {arc.forward:7.2f}  {arc.backward:8.2f}  {arc.open:6.2f}")
    if len(found.arcs) > len(shown):
        say(f"... and {len(found.arcs) - len(shown)} more: -o FILE or --json gives all")
