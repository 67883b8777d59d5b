"""Commands on networks with parameters: estimating them, and asking what follows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from veridag.display import spreadsheet
from veridag.errors import InputError

from .answers import DoOption, EvidenceOption, LikelihoodOption, answer_facts, evidence_of, likelihood_of
from .app import command
from .completion import network_names
from .inputs import check_one_input, load_network, load_structure
from .options import DataSource, JobsOption, JsonOption, NetworkArgument, Output, SeedOption, takes_data
from .outputs import (
    TABLE_SUFFIXES,
    check_network_path,
    check_one_pipe,
    check_path,
    write_data,
    write_network,
    write_networks,
    write_tables,
    write_text,
)
from .progress_bar import progress_bar
from .terminal import echo, note, say

if TYPE_CHECKING:
    from veridag.data import Data
    from veridag.network import Network
    from veridag.network.fitting import RelatedNetworks


@command(
    "fit",
    "veridag fit cases.csv --graph graph.json -o net.bif",
    "veridag fit cases.csv --graph graph.json -o net.bif --intervals intervals.csv",
    "veridag learn cases.csv -o - | veridag fit cases.csv --graph - -o net.bif",
)
@takes_data
def fit_parameters(
    source: DataSource,
    graph: Annotated[
        str,
        typer.Option(
            help="The structure: a reference network, a file (.json, .dot, .bif), a modelstring such as '[A][B|A]', or "
            "- for standard input.",
            metavar="GRAPH",
            autocompletion=network_names,
        ),
    ],
    ess: Annotated[
        float,
        typer.Option(help="Equivalent sample size (imaginary sample size) of the prior; 0 gives maximum likelihood."),
    ] = 1.0,
    method: Annotated[
        str,
        typer.Option(
            help="Estimate the mean or the mode of the posterior: mean or map. With --group, one network for each "
            "group: hierarchical, pooled or separate.",
            metavar="METHOD",
        ),
    ] = "mean",
    alpha0: Annotated[
        float, typer.Option(help="With --method hierarchical: Dirichlet parameter of what the groups share.")
    ] = 1.0,
    starts: Annotated[
        int,
        typer.Option(
            help="With --missing keep: number of starts of EM, all except the first at random; keeps the best."
        ),
    ] = 1,
    tolerance: Annotated[
        float,
        typer.Option(
            help="With --missing keep: stop EM when an iteration gains at most this much log-likelihood per row."
        ),
    ] = 1e-6,
    max_iterations: Annotated[int, typer.Option(help="With --missing keep: maximum number of iterations of EM.")] = 200,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    intervals: Annotated[
        str | None,
        typer.Option(
            help="Write intervals of the parameters to this file, .csv or .json; - is JSON to standard output.",
            metavar="FILE",
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="With --intervals: the probability of the intervals.")] = 0.95,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="Write the network to this file, such as net.bif. - is standard output: BIF, or JSON if a variable is "
            "continuous.",
            metavar="FILE",
        ),
    ] = "-",
) -> None:
    """Estimate the parameters of a network from a table.

    --graph gives the structure. With --missing keep, EM estimates the parameters from the observed values. You can
    query the resulting network, sample from it, and open it in other programs. --intervals shows how certain each
    parameter is; network files do not store that.
    """
    from veridag.network.fitting import Pooling, RelatedNetworks, fit

    check_one_input(source.path, graph)
    check_network_path(output)
    check_path(intervals, (".csv", ".json"))
    check_one_pipe(output=output, intervals=intervals)
    dag = load_structure(graph)
    data = source.read(dag.names)
    if intervals is not None:
        _check_intervals(data.select(dag.names), level)
    check_network_path(output, several=data.group is not None and method in get_args(Pooling))
    chosen: Any = method  # fit says which there are
    em: Any = {"starts": starts, "tolerance": tolerance, "max_iterations": max_iterations, "seed": seed, "jobs": jobs}
    with progress_bar("EM") as progress:
        network: Network | RelatedNetworks = fit(dag, data, ess, method=chosen, alpha0=alpha0, **em, progress=progress)
    found = None if intervals is None else _interval_text(network, level, as_csv=intervals.endswith(".csv"))
    for label, own in network.items() if isinstance(network, RelatedNetworks) else [("", network)]:
        if own.fitted is not None and own.fitted.converged:  # otherwise a warning says so
            say(f"{label}: {own.fitted}" if label else str(own.fitted))
    if intervals is not None and found is not None:
        write_text(found, intervals)
    if isinstance(network, RelatedNetworks):
        write_networks(network, output)
        return
    write_network(network, output)
    if output == "-":
        return
    loss = -network.log_likelihood(data) / data.n
    say(f"{network.nparams} parameters from {data.n} rows written to {output}; log-loss on these rows {loss:.6g}")


def _check_intervals(data: Data, level: float) -> None:
    """Refuse, before EM begins, intervals that cannot be had."""
    from veridag.network.intervals import LEVEL

    LEVEL("level", level)
    if data.incomplete:
        raise InputError(
            "--intervals: parameters estimated by EM from missing values have no intervals: leave out --intervals, or "
            "fit the complete rows with --missing drop"
        )


def _interval_text(network: Network | RelatedNetworks, level: float, *, as_csv: bool) -> str:
    """The intervals of all parameters, and of all groups, as JSON or CSV."""
    from veridag.network import Network
    from veridag.network.intervals import interval_records

    grouped = {"": network} if isinstance(network, Network) else network
    records = []
    for label, own in grouped.items():
        group = {"group": label} if label else {}
        records += [group | {"level": level} | record for record in interval_records(own, level)]
    if not as_csv:
        return json.dumps(records, indent=1) + "\n"
    given = [", ".join(f"{name} = {state}" for name, state in record["given"].items()) for record in records]
    rows = [(record | {"given": own}).values() for record, own in zip(records, given, strict=True)]
    return spreadsheet([records[0], *rows])


@command(
    "impute",
    "veridag impute net.bif cases.csv -o filled.csv",
    "veridag impute net.bif cases.csv --draws 5 --seed 1 -o filled.csv",
)
@takes_data
def fill_in(
    network: NetworkArgument,
    source: DataSource,
    draws: Annotated[
        int | None,
        typer.Option(
            help="Draw the missing values at random this many times, and write a table for each: filled-1.csv, "
            "filled-2.csv and so on. Default: fill in the most probable values, once.",
            metavar="N",
        ),
    ] = None,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    output: Output = "-",
) -> None:
    """Fill in missing values with a network.

    Completes each row given its observed values. Writes the variables of the network as a table: .csv, .csv.gz, .tsv,
    .parquet or .arrow; CSV on standard output. The kinds and states of the columns are those of the network. If a
    variable has the state "missing", its missing values become that state and are not filled in.
    """
    from veridag.network.incomplete.imputation import impute

    check_one_input(network, source.path)
    check_path(output, TABLE_SUFFIXES)
    if output == "-" and draws is not None and draws > 1:
        raise InputError(f"--draws {draws}: each table needs its own file: give a file name with -o filled.csv")
    net = load_network(network)
    data = source.with_gaps(net).read(net.names)
    with progress_bar("imputation") as progress:
        filled = impute(net, data, draws=draws, seed=seed, jobs=jobs, progress=progress)
    tables = filled if isinstance(filled, tuple) else (filled,)
    for said in tables[0].notes[len(data.notes) :] or ["no value is missing"]:
        note(said)
    told = source.in_effect.rules
    columns = {"weights": told.weight_column, "group": told.group, "targets": told.target_column}
    defaults = {"weights": "weight", "group": "group", "targets": "targets"}
    names = {role: name or defaults[role] for role, name in columns.items()}
    if len(tables) > 1:
        write_tables(tables, output, **names)
    else:
        write_data(tables[0], output, **names)


@command(
    "query",
    "veridag query asia lung -e smoke=yes",
    "veridag query asia lung -e smoke=yes --likelihood xray=yes:0.8,no:0.2",
    "veridag query net.bif cancer xray -e smoker=yes --json",
    "veridag query asia dysp --do smoke=no",
)
def query(
    network: NetworkArgument,
    targets: Annotated[
        list[str],
        typer.Argument(help="The variables to ask about; several give their joint distribution.", metavar="VARIABLE"),
    ],
    evidence: EvidenceOption = None,
    do: DoOption = None,
    likelihood: LikelihoodOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the distribution of variables, given evidence.

    With --do, sets variables by intervention, regardless of their causes. The answer is exact. A continuous variable
    has a mean and a standard deviation: overall, and for each combination of states of the discrete variables you ask
    about.
    """
    net = load_network(network)
    answer = net.query(targets, evidence_of(evidence), do=evidence_of(do, "do"), likelihood=likelihood_of(likelihood))
    if as_json:
        echo(json.dumps(answer_facts(answer), indent=1))
    else:
        echo(repr(answer))
