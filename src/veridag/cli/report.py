"""Commands that say which learner to trust on a table: a ranking, or a page with all that was found."""

from __future__ import annotations

import json
import math
import shlex
import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veridag.errors import InputError
from veridag.progress import describe_seconds

from .app import command
from .inputs import load_truth, title_of
from .learners import parse_knowledge
from .options import (
    DataSource,
    ForbidOption,
    JobsOption,
    JsonOption,
    RequireOption,
    SeedOption,
    TiersOption,
    TruthOption,
    takes_data,
)
from .outputs import check_path, whole
from .progress_bar import kept, progress_bar
from .terminal import say

if TYPE_CHECKING:
    from veridag.data import Data
    from veridag.graph import DAG, PDAG
    from veridag.search import Algorithm
    from veridag.trust.validation import Validation

AlgorithmsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--algorithm",
        help="A learner to compare, such as 'tabu(score=bdeu)'; give two or more. Default: a set that suits the data.",
        metavar="SPEC",
    ),
]
CompanionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--companion",
        help="A learner that is compared with what the others agree on, but has no vote and no rank; may be repeated.",
        metavar="SPEC",
    ),
]
SizesOption = Annotated[
    str | None,
    typer.Option(help="Subsample sizes, separated by commas. Default: N/2, N/4, ... to at most 100.", metavar="A,B"),
]
RepeatsOption = Annotated[int, typer.Option(help="Number of subsamples of each size.")]
MinutesOption = Annotated[
    float | None, typer.Option(help="Stop after this many minutes and show the results so far.", metavar="M")
]


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
    adjacencies: Annotated[
        bool, typer.Option("--adjacencies", help="Compare which variables are joined, and ignore directions.")
    ] = False,
    minutes: MinutesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rank learners on a table by intersection-validation.

    Every learner learns from the whole table; the structure that all of them agree on is used as the truth. Then they
    learn from subsamples, and are ranked by how close they come to it.
    """
    from veridag.trust.intersection_validation import intersection_validation

    chosen, beside = _parsed(algorithm), _companions(companion)
    target, seconds = _truth(truth), _seconds(minutes)
    known = parse_knowledge(require, forbid, tiers)
    began = time.monotonic()
    data = source.read()
    chosen, beside = _taking_gaps(chosen, data), _taking_gaps(beside, data)
    seconds = _left(seconds, began)
    with progress_bar("learning", seconds=seconds, keeps="what there is") as progress, kept() as stopped:
        found = intersection_validation(
            data,
            chosen,
            _sizes(sizes),
            repeats,
            seed,
            jobs,
            companions=beside,
            knowledge=known,
            truth=target,
            compare="adjacencies" if adjacencies else "types",
            progress=progress,
            seconds=seconds,
        )
    found = stopped[0] if stopped else found
    typer.echo(json.dumps({**_facts(found), "notes": list(data.notes)}, indent=1) if as_json else str(found))
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
    repeats: RepeatsOption = 10,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    minutes: MinutesOption = None,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="Write the page to this file: .html; - is standard output.", metavar="FILE"
        ),
    ] = "report.html",
) -> None:
    """Write a report: which learner to trust, and what it found.

    The report is one web page: the recommended learner and why, its network, the arcs that all learners agree on, and
    those that are contested. Ctrl-C stops early and writes the page from the results so far.
    """
    from veridag.report import make_report

    check_path(output, (".html", ".htm"))
    chosen, beside = _parsed(algorithm), _companions(companion)
    target, seconds = _truth(truth), _seconds(minutes)
    known = parse_knowledge(require, forbid, tiers)
    began = time.monotonic()
    data = source.read()
    chosen, beside = _taking_gaps(chosen, data), _taking_gaps(beside, data)
    seconds = _left(seconds, began)
    with progress_bar("learning", seconds=seconds, keeps="what there is") as progress, kept() as stopped:
        made = make_report(
            data,
            chosen,
            companions=beside,
            truth=target,
            knowledge=known,
            sizes=_sizes(sizes),
            repeats=repeats,
            seed=seed,
            jobs=jobs,
            title=title_of(source.path),
            command=shlex.join(["veridag", *sys.argv[1:]]),
            progress=progress,
            seconds=seconds,
        )
    made = stopped[0] if stopped else made
    with whole(output, ".html") as draft:
        made.write(draft)
    recommends = made.validation.is_ranking and not made.validation.trust.is_unanimous
    first = f"Recommended: {made.validation.ranking[0]}. " if recommends else ""
    say(f"{first}{made.validation.trust.sentence}")
    if output != "-":
        say(f"Open {output} in a browser ({describe_seconds(made.seconds)}).")
    if stopped:
        raise typer.Exit(130)


def _parsed(specs: list[str] | None) -> dict[str, Algorithm] | None:
    """The learners by what the user called them."""
    from veridag.specs import parse

    if not specs:
        return None
    if len(specs) == 1:
        raise InputError(f"--algorithm {specs[0]}: give at least two to compare, or none for a set that suits the data")
    twice = [spec for spec in specs if specs.count(spec) > 1]
    if twice:
        raise InputError(f"--algorithm {twice[0]} is there twice")
    return {spec: parse(spec, "algorithm") for spec in specs}


def _companions(specs: list[str] | None) -> dict[str, Algorithm] | None:
    from veridag.specs import parse

    return None if not specs else {spec: parse(spec, "algorithm") for spec in specs}


def _taking_gaps(learners: dict[str, Algorithm] | None, data: Data) -> dict[str, Algorithm] | None:
    """The learners that were named, as they take the data's gaps."""
    from veridag.trust.defaults import taking_gaps

    if learners is None or not data.incomplete:
        return learners
    return {label: taking_gaps(learner, data) for label, learner in learners.items()}


def _seconds(minutes: float | None) -> float | None:
    if minutes is not None and not 0 < minutes < math.inf:
        raise InputError(f"--minutes {minutes} must be a number above 0, such as 5")
    return None if minutes is None else 60 * minutes


def _left(seconds: float | None, began: float) -> float | None:
    """What reading the table has left of the time; enough for an error to say that it is too little."""
    return None if seconds is None else max(0.1, seconds - (time.monotonic() - began))


def _truth(name: str | None) -> DAG | PDAG | None:
    return None if name is None else load_truth(name)


def _sizes(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"--sizes takes integers separated by commas, such as 500,100, not {text!r}") from None


def _facts(found: Validation) -> dict[str, Any]:
    """All numbers of a validation, for programs; what is not there is null."""
    trust = found.trust
    return {
        "n": found.n,
        "seed": found.seed,
        "compare": found.compare,
        "known": None if found.knowledge is None else found.knowledge.describe(),
        "interrupted": found.interrupted,
        "ranking": list(found.ranking),
        "curves": [{key: _number(value) for key, value in row.items()} for row in found.rows()],
        "learners": [
            {
                "label": learner.label,
                "companion": learner.companion,
                "settings": repr(learner.algorithm),
                "error": learner.error,
                "arcs": None if learner.result is None else [list(arc) for arc in learner.cpdag.arcs],
                "edges": None if learner.result is None else [list(edge) for edge in learner.cpdag.edges],
                "score": None if learner.result is None else learner.result.score,
                "seconds": None if learner.result is None else learner.result.seconds,
                "calls": None if learner.result is None else learner.result.calls,
                "shd": found.distance_to_truth(learner),
            }
            for learner in found.learners
        ],
        "comparisons": [vars(comparison) for comparison in found.comparisons],
        "features": [{"pair": list(f.pair), "agreed": f.agreed, "votes": dict(f.votes)} for f in found.features],
        "failures": [vars(failure) for failure in found.failures],
        "trust": {
            "agreement_size": trust.agreement_size,
            "connected_pairs": trust.connected_pairs,
            "mean_pairwise_shd": trust.mean_pairwise_shd,
            "deviations": [_number(d) for d in trust.deviations],
            "stability": trust.stability,
            "limiting": trust.limiting,
            "unanimous": trust.is_unanimous,
            "sentence": trust.sentence,
        },
    }


def _number(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
