"""The command that compares ways to estimate the parameters of related data sets."""

from __future__ import annotations

import json
from typing import Annotated

import typer

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
from .terminal import echo, say


@command(
    "pooling",
    "veridag pooling cases.csv --group hospital --graph '[age][xray]'",
)
@takes_data
def compare_pooling_of_groups(
    source: DataSource,
    graph: Annotated[
        str,
        typer.Option(
            help="The structure: a reference network, a file (.json, .dot, .bif), a modelstring such as '[A][B|A]', "
            "or - for a pipe.",
            metavar="GRAPH",
            autocompletion=network_names,
        ),
    ],
    folds: Annotated[int, typer.Option(help="Number of parts, each of which is predicted from the others.")] = 10,
    ess: Annotated[float, typer.Option(help="Equivalent sample size of the prior.")] = 1.0,
    alpha0: Annotated[float, typer.Option(help="Dirichlet parameter of what the groups share.")] = 1.0,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    processes: ProcessesOption = False,
    dask: DaskOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare pooled, partially pooled and separate parameters.

    Prints the mean log-likelihood of rows that were not used for the estimates, for parameters of each kind: higher is
    better. "hierarchical" is partial pooling. The gain is its difference from the better of the other two.
    --group names the column of the groups.
    """
    from veridag.trust.pooling import METHODS, compare_pooling

    check_one_input(source.path, graph)
    executor = executor_for(jobs, processes, dask)
    dag = load_structure(graph)
    found = compare_pooling(dag, source.read(dag.names), folds, ess, alpha0, seed=seed, jobs=executor)
    if as_json:
        means = {method: getattr(found, method) for method in (*METHODS, "gain")}
        numbers = {name: {"mean": float(own), "standard_error": own.standard_error} for name, own in means.items()}
        echo(json.dumps({**numbers, "best": found.best}, indent=1))
        return
    echo(str(found))
    say(f"best: {found.best}")
