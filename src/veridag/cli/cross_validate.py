"""The command that says how well what is learned predicts rows that it has not seen."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veridag.display import spreadsheet

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
from .outputs import check_path, write_text
from .progress_bar import progress_bar
from .terminal import echo, say

if TYPE_CHECKING:
    from veridag.metrics import Estimate


@command(
    "cross-validate",
    "veridag cross-validate cases.csv --folds 5",
    "veridag cross-validate cases.csv --score bic --folds 5 --json",
)
@takes_data
def cross_validated_loss(
    source: DataSource,
    algorithm: MaybeAlgorithmOption = None,
    test: MaybeTestOption = None,
    score: MaybeScoreOption = None,
    prior: MaybePriorOption = None,
    max_indegree: MaxIndegreeOption = None,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    folds: Annotated[int, typer.Option(help="Number of folds. Each fold is predicted from the others.")] = 10,
    ess: Annotated[
        float, typer.Option(help="Equivalent sample size (imaginary sample size) of the prior on parameters.")
    ] = 1.0,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    processes: ProcessesOption = False,
    dask: DaskOption = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Write the losses of all folds to this file, .csv.", metavar="FILE"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how well a learner predicts unseen rows.

    Splits the rows at random into folds. For each fold, learns a network from the other folds; the loss is the mean of
    -log q(x) over the rows of the fold. Lower is better. With --group, each row is predicted by the network of its
    group. The default learner is that of `veridag learn`. Ctrl-C stops without a result, because it needs all folds.
    """
    from veridag.trust.cross_validation import cross_validate

    check_path(output, (".csv",))
    choose = parse_learner(algorithm, test, score, prior, max_indegree)
    known, executor = parse_knowledge(require, forbid, tiers), executor_for(jobs, processes, dask)
    data = source.read()
    learner = choose(data, known)
    with progress_bar("cross-validation") as progress:
        found = cross_validate(data, learner, folds, ess, knowledge=known, seed=seed, jobs=executor, progress=progress)
    piped = output == "-"
    if output is not None:
        rows = [(f"{i + 1}", *_numbers(fold).values()) for i, fold in enumerate(found.folds)]
        write_text(spreadsheet([("fold", *_numbers(found.loss)), *rows]), output)
    if as_json:
        facts = {
            **_numbers(found.loss),
            "folds": [_numbers(fold) for fold in found.folds],
            "seed": found.seed,
            "settings": found.settings,
            "notes": list(data.notes),
        }
        echo(json.dumps(facts, indent=1), err=piped)
        return
    echo(f"loss {found.loss}" if piped else str(found), err=piped)
    say(f"mean of -log q(x) on held-out rows, in nats; lower is better\nlearner: {learner.label}")


def _numbers(loss: Estimate) -> dict[str, Any]:
    """A loss for programs; null if a row is impossible under the network that was learned without it."""
    own = {"loss": float(loss), "standard_error": loss.standard_error}
    return {name: x if math.isfinite(x) else None for name, x in own.items()} | {"rows": loss.n}
