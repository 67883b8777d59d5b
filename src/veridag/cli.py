"""The command line. Commands import what they need when they run, so that ``veridag --help`` answers at once."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .errors import InputError, suggest

if TYPE_CHECKING:
    from .criterion import Result
    from .data import Data
    from .graph import DAG
    from .network import Network

app = typer.Typer(
    name="veridag",
    help="Learn the structure of Bayesian networks, and find out which learner to trust on your data.",
    epilog="A file given as - is standard input or output. --debug shows the traceback of an error.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Output = Annotated[str, typer.Option("--output", "-o", help="Where to write to; - is standard output.", metavar="FILE")]
NetworkArgument = Annotated[
    str,
    typer.Argument(
        help="A reference network (see `veridag networks`), a network file (.bif, .bif.gz), or - for BIF from a pipe.",
        metavar="NET",
    ),
]
GraphArgument = Annotated[
    str,
    typer.Argument(
        help="A reference network, a file (.bif, .bif.gz, .json, .dot), a modelstring such as '[A][B|A]',"
        " or - for BIF from a pipe.",
        metavar="GRAPH",
    ),
]
DataArgument = Annotated[
    str,
    typer.Argument(help="A table: .csv, .tsv (also .gz), .parquet, .arrow, or - for CSV from a pipe.", metavar="DATA"),
]


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere.")] = False,
) -> None:
    """Options that come before the command."""
    del debug  # main() has looked for it, wherever it stands
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"veridag {installed('veridag')}")
        raise typer.Exit


@app.command("networks")
def list_networks(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the reference networks.

    With the kind of each, and its numbers of variables, arcs and free parameters.
    """
    from . import networks

    rows = [networks.info(name) for name in networks.names()]
    if as_json:
        typer.echo(json.dumps([r._asdict() for r in rows], indent=1))
        return
    width = max(len(r.name) for r in rows)
    typer.echo(f"{'name':{width}}  {'kind':8}  {'nodes':>5}  {'arcs':>5}  {'parameters':>10}")
    for r in rows:
        typer.echo(f"{r.name:{width}}  {r.kind:8}  {r.nodes:5}  {r.arcs:5}  {r.parameters:10}")


@app.command()
def sample(
    network: NetworkArgument,
    n: Annotated[int, typer.Option("-n", "--rows", help="Number of rows.", metavar="N")],
    seed: Annotated[int, typer.Option(help="The same seed gives the same rows, whatever the number of jobs.")] = 0,
    jobs: Annotated[int, typer.Option(help="Number of threads.")] = 1,
    output: Output = "-",
) -> None:
    """Draw rows from a network.

    They are written as a table: .csv, .csv.gz, .parquet or .arrow.
    """
    _write_data(_load_network(network).sample(n, seed, jobs=jobs), output)


KindOption = Annotated[
    list[str] | None,
    typer.Option(help="NAME=discrete or NAME=continuous, against the rule; may be repeated.", metavar="NAME=KIND"),
]
StatesOption = Annotated[
    str | None, typer.Option(help="A network whose declared states the columns have, seen or not.", metavar="NET")
]
GroupOption = Annotated[
    str | None, typer.Option(help="Column that says which related data set a row belongs to.", metavar="NAME")
]
WeightsOption = Annotated[str | None, typer.Option(help="Column that says how often a row counts.", metavar="NAME")]
MissingOption = Annotated[Literal["error", "state", "drop"], typer.Option(help="What to do with missing values.")]
SeparatorOption = Annotated[
    str | None, typer.Option(help="What separates fields; without it the file's ending decides.", metavar="TEXT")
]
EncodingOption = Annotated[str, typer.Option(help="How a text file is encoded, such as latin-1.", metavar="NAME")]
MissingValuesOption = Annotated[
    str | None, typer.Option(help="Texts that mean a missing value, separated by commas.", metavar="A,B")
]
PriorOption = Annotated[str, typer.Option(help="Structure prior, such as 'fair' or 'edge(beta=0.05)'.", metavar="SPEC")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@app.command()
def describe(
    data: DataArgument,
    kind: KindOption = None,
    states: StatesOption = None,
    group: GroupOption = None,
    weights: WeightsOption = None,
    missing: MissingOption = "error",
    separator: SeparatorOption = None,
    encoding: EncodingOption = "utf-8",
    missing_values: MissingValuesOption = None,
) -> None:
    """Summarise a table.

    Shows each column's kind and the rule that decided it, its states, and what was done about missing values.
    """
    typer.echo(
        str(_read_data(data, kind, states, group, weights, missing, separator, encoding, missing_values).describe())
    )


@app.command()
def score(
    data: DataArgument,
    graph: GraphArgument,
    score: Annotated[str, typer.Option(help="Score, such as 'bdeu(ess=1)' or 'bic'.", metavar="SPEC")] = "bic",
    prior: PriorOption = "uniform",
    by_node: Annotated[bool, typer.Option("--by-node", help="Show each variable's local score.")] = False,
    as_json: JsonOption = False,
    kind: KindOption = None,
    states: StatesOption = None,
    group: GroupOption = None,
    weights: WeightsOption = None,
    missing: MissingOption = "error",
    separator: SeparatorOption = None,
    encoding: EncodingOption = "utf-8",
    missing_values: MissingValuesOption = None,
) -> None:
    """Score a network structure on a table.

    The score is a natural logarithm, prior included, and higher is better.
    """
    from . import scorer
    from .catalogue import parse

    chosen, chosen_prior = parse(score, "score"), parse(prior, "prior")
    table = _read_data(data, kind, states, group, weights, missing, separator, encoding, missing_values)
    nodes = scorer.score(_load_structure(graph), table, chosen, chosen_prior, by_node=True)
    total = sum(nodes.values())
    if as_json:
        settings = {"data": data, "graph": graph, "score": repr(chosen), "prior": repr(chosen_prior), "rows": table.n}
        typer.echo(json.dumps({**settings, "total": total, "nodes": nodes}, indent=1))
        return
    width = max(len(name) for name in (*nodes, "total"))
    for name, value in nodes.items() if by_node else ():
        typer.echo(f"{name:{width}}  {value:.6f}")
    typer.echo(f"{'total':{width}}  {total:.6f}" if by_node else f"{total:.6f}")


@app.command("test")
def decide_independence(
    data: DataArgument,
    x: Annotated[str, typer.Argument(help="A variable.", metavar="X")],
    y: Annotated[str, typer.Argument(help="Another.", metavar="Y")],
    given: Annotated[str, typer.Option(help="Variables to condition on, separated by commas.", metavar="A,B")] = "",
    test: Annotated[
        str, typer.Option(help="Test, such as 'g2(alpha=0.01)', 'fisher-z' or 'score(bic)'.", metavar="SPEC")
    ] = "g2",
    as_json: JsonOption = False,
    kind: KindOption = None,
    states: StatesOption = None,
    group: GroupOption = None,
    weights: WeightsOption = None,
    missing: MissingOption = "error",
    separator: SeparatorOption = None,
    encoding: EncodingOption = "utf-8",
    missing_values: MissingValuesOption = None,
) -> None:
    """Test whether two variables are independent given others."""
    from . import independence
    from .catalogue import parse

    chosen = parse(test, "test")
    table = _read_data(data, kind, states, group, weights, missing, separator, encoding, missing_values)
    names = [name.strip() for name in given.split(",") if name.strip()]
    result = independence.test(x, y, names, table, chosen)
    if as_json:
        settings = {"data": data, "x": x, "y": y, "given": names, "test": repr(chosen), "rows": table.n}
        typer.echo(json.dumps({**settings, **asdict(result)}, indent=1))
        return
    condition = f" given {', '.join(names)}" if names else ""
    verdict = "independent" if result.independent else "dependent"
    numbers = f"statistic {result.statistic:.6g}, df {result.df:g}, p-value {result.p_value:.6g}"
    typer.echo(f"{x} and {y} are {verdict}{condition}: {numbers} ({chosen!r})")


@app.command()
def learn(
    data: DataArgument,
    algorithm: Annotated[
        str, typer.Option(help="Algorithm, such as 'tabu' or 'hill-climbing(restarts=10)'.", metavar="SPEC")
    ] = "tabu",
    score: Annotated[str | None, typer.Option(help="Score, such as 'bdeu(ess=1)'.", metavar="SPEC")] = None,
    prior: Annotated[str | None, typer.Option(help="Structure prior, such as 'fair'.", metavar="SPEC")] = None,
    max_indegree: Annotated[int | None, typer.Option(help="The most parents that a variable may have.")] = None,
    require: Annotated[
        list[str] | None, typer.Option(help="An arc that must be there; may be repeated.", metavar="A:B")
    ] = None,
    forbid: Annotated[
        list[str] | None, typer.Option(help="An arc that must not be there; may be repeated.", metavar="C:D")
    ] = None,
    tiers: Annotated[
        str | None,
        typer.Option(help="File of tiers, one a line, names separated by commas, first causes.", metavar="FILE"),
    ] = None,
    seed: Annotated[int, typer.Option(help="For what is random, such as restarts.")] = 0,
    jobs: Annotated[int, typer.Option(help="Number of threads.")] = 1,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Where the graph goes: .json or .dot; - is JSON to standard output.", metavar="FILE"
        ),
    ] = None,
    draw: Annotated[str | None, typer.Option(help="Where a drawing goes: .svg.", metavar="FILE")] = None,
    truth: Annotated[
        str | None, typer.Option(help="The true network, to say how far from it what was learned is.", metavar="GRAPH")
    ] = None,
    as_json: JsonOption = False,
    kind: KindOption = None,
    states: StatesOption = None,
    group: GroupOption = None,
    weights: WeightsOption = None,
    missing: MissingOption = "error",
    separator: SeparatorOption = None,
    encoding: EncodingOption = "utf-8",
    missing_values: MissingValuesOption = None,
) -> None:
    """Learn a network structure from a table.

    A summary goes to standard error. Ctrl-C stops the search, saves the best so far and exits with 130.
    """
    from dataclasses import replace

    from .catalogue import parse
    from .knowledge import Knowledge, parse_arc

    learner = parse(algorithm, "algorithm")
    chosen: dict[str, Any] = {}
    if score is not None:
        chosen["score"] = parse(score, "score")
    if prior is not None:
        chosen["prior"] = parse(prior, "prior")
    if max_indegree is not None:
        chosen["max_indegree"] = max_indegree
    learner = replace(learner, **chosen)
    known = Knowledge(
        required=[parse_arc(arc) for arc in require or []],
        forbidden=[parse_arc(arc) for arc in forbid or []],
        tiers=() if tiers is None else Knowledge.read_tiers(tiers).tiers,
    )
    for path in (output, draw):
        _check_graph_path(path, (".svg",) if path is draw else (".json", ".dot", ".gv"))
    true_dag = None if truth is None else _load_structure(truth)
    table = _read_data(data, kind, states, group, weights, missing, separator, encoding, missing_values)
    stopped = False
    try:
        result = learner.learn(table, knowledge=known, seed=seed, jobs=jobs, progress=_progress_line())
    except KeyboardInterrupt as stop:
        if not hasattr(stop, "result"):
            raise
        result, stopped = stop.result, True
    if sys.stderr.isatty():
        typer.echo("\r\x1b[K", err=True, nl=False)
    if output is not None:
        text = result.graph.to_dot() if output.endswith((".dot", ".gv")) else result.graph.to_json()
        typer.echo(text, nl=False) if output == "-" else Path(output).write_text(text, "utf-8")
    if draw is not None:
        result.graph.draw(draw, Path(data).name)
    _report_result(result, table, true_dag, as_json, quiet=output == "-")
    if stopped:
        raise typer.Exit(130)


def _check_graph_path(path: str | None, suffixes: tuple[str, ...]) -> None:
    if path not in (None, "-") and not str(path).endswith(suffixes):
        raise InputError(f"{path!r}: the name of the file must end in {' or '.join(suffixes)}")


def _progress_line() -> Callable[[int, float], None] | None:
    """Shows how far a search is, on a terminal."""
    if not sys.stderr.isatty():
        return None

    def show(steps: int, best: float) -> None:
        typer.echo(f"\r\x1b[K{steps} moves, best score {best:.2f} (Ctrl-C keeps it)", err=True, nl=False)

    return show


def _report_result(result: Result, data: Data, truth: DAG | None, as_json: bool, quiet: bool) -> None:
    from .metrics import shd

    distance = None if truth is None else shd(truth, result.graph)
    facts: dict[str, Any] = {
        "variables": len(data.names),
        "rows": data.n,
        "arcs": [list(arc) for arc in result.dag.arcs],
        "score": result.score,
        "seconds": round(result.seconds, 6),
        "steps": result.steps,
        "calls": result.calls,
        "distinct_calls": result.distinct_calls,
        "interrupted": result.interrupted,
        "seed": result.seed,
        "settings": result.settings,
        "shd": distance,
    }
    if as_json:
        typer.echo(json.dumps(facts, indent=1), err=quiet)
        return
    calls = f"{result.calls} calls of the criterion ({result.distinct_calls} different)"
    state = "stopped after" if result.interrupted else "learned in"
    lines = [
        f"{len(result.dag.arcs)} arcs among {len(data.names)} variables, {state} {result.seconds:.3f} s",
        f"score {result.score:.6f}, {result.steps} moves, {calls}",
        f"{result.settings}, seed {result.seed}",
    ]
    if truth is not None:
        lines.append(f"structural Hamming distance {distance} to the truth, which has {len(truth.arcs)} arcs")
    typer.echo("\n".join(lines), err=True)


@app.command()
def count(
    n: Annotated[int | None, typer.Argument(help="Number of variables.", metavar="[N]")] = None,
    max_indegree: Annotated[int | None, typer.Option(help="The most parents that a variable may have.")] = None,
    prior: Annotated[
        str | None, typer.Option(help="Show how many parents a variable has under this prior.", metavar="SPEC")
    ] = None,
    rows: Annotated[int | None, typer.Option(help="Number of rows, for the prior data-size.")] = None,
    figure: Annotated[
        bool, typer.Option("--figure", help="Draw the numbers of parents under all priors, n = 32 and 128.")
    ] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Where the figure goes: .svg or .png.", metavar="FILE")
    ] = "indegrees.svg",
) -> None:
    """Count directed acyclic graphs.

    With --prior, the distribution of a variable's number of parents; with --figure, figure 1 of Eggeling et al. (2019).
    """
    if figure:
        from .plots import indegree_figure

        indegree_figure(output)
        typer.echo(f"drawn to {output}", err=True)
        return
    if n is None:
        raise InputError("N, the number of variables, is missing: veridag count 8, or veridag count --figure")
    from .counting import count_dags, indegree_distribution

    if prior is None:
        sys.set_int_max_str_digits(
            0
        )  # the number of DAGs on 200 variables has more digits than Python prints by itself
        typer.echo(str(count_dags(n, max_indegree)))
        return
    from .catalogue import parse

    for parents, p in enumerate(indegree_distribution(parse(prior, "prior"), n, max_indegree, rows)):
        typer.echo(f"{parents:4d}  {p:.6g}")


@app.command()
def draw(
    network: GraphArgument,
    cpdag: Annotated[bool, typer.Option("--cpdag", help="Draw the class of equivalent networks instead.")] = False,
    output: Output = "-",
) -> None:
    """Draw a network in layers, as SVG."""
    dag = _load_structure(network)
    graph = dag.cpdag() if cpdag else dag
    title = f"{Path(network).name} (CPDAG)" if cpdag else Path(network).name
    if output == "-":
        typer.echo(graph.to_svg(title))
    else:
        graph.draw(output, title)
        typer.echo(f"{graph!r} drawn to {output}", err=True)


def _split(text: str, option: str, form: str) -> tuple[str, str]:
    name, found, value = text.rpartition("=")
    if not found or not name:
        raise InputError(f"--{option} takes {form}, not {text!r}")
    return name, value


def _read_data(
    path: str,
    kind: list[str] | None,
    states: str | None,
    group: str | None,
    weights: str | None,
    missing: Literal["error", "state", "drop"],
    separator: str | None,
    encoding: str,
    missing_values: str | None,
) -> Data:
    from .data import MISSING_VALUES, read

    kinds: dict[str, Any] = dict(_split(item, "kind", "NAME=KIND") for item in kind or [])
    source = sys.stdin.buffer if path == "-" else path
    declared = None if states is None else dict(_load_network(states).states)
    return read(
        source,
        kinds=kinds,
        states=declared,
        group=group,
        weights=weights,
        missing=missing,
        separator=separator,
        encoding=encoding,
        missing_values=MISSING_VALUES if missing_values is None else missing_values.split(","),
    )


def _load_network(name: str) -> Network:
    from . import networks
    from .formats import read_network

    if name == "-":
        return read_network(sys.stdin.buffer, format="bif")
    if name in networks.names():
        return networks.load(name)
    if Path(name).suffix or os.sep in name:
        return read_network(name)
    raise InputError(f"{name!r} is neither a reference network nor a file: {suggest(name, networks.names())}")


def _load_structure(name: str) -> DAG:
    from .graph import DAG, read_graph

    if name.startswith("["):
        return DAG.from_modelstring(name)
    if Path(name).suffix.lower() in (".dot", ".gv"):
        return DAG.from_dot(_text_of(name))
    if Path(name).suffix.lower() == ".json":
        graph = read_graph(_text_of(name))
        if not isinstance(graph, DAG):
            raise InputError(f"{name!r} holds a {type(graph).__name__}, but a DAG is needed here")
        return graph
    return _load_network(name).dag


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text, at byte {error.start}: save the file as UTF-8") from None


def _write_data(data: Data, output: str) -> None:
    if output == "-":
        data.write(sys.stdout.buffer)
        return
    data.write(output)
    typer.echo(f"{data.n} rows of {len(data.names)} variables written to {output}", err=True)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line: a user's mistake is one line on standard error and exit code 2."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"] or ["--help"]
    try:
        code = typer.main.get_command(app)(args=words, prog_name="veridag", standalone_mode=False)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader has gone, as `| head` does; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except Exception as error:
        if debug:
            raise
        _complain(error)
    sys.exit(code if isinstance(code, int) else 0)


def _complain(error: Exception) -> None:
    """One line and exit code 2 for what a user can mend; anything else is a defect of veridag and says so."""
    if hasattr(error, "format_message"):  # the words of the command line itself are wrong
        message = error.format_message()
    elif isinstance(error, OSError) and error.filename is not None:
        message = f"{error.filename}: {error.strerror}"
    elif isinstance(error, MemoryError):
        message = f"not enough memory: {error}" if str(error) else "not enough memory"
    elif isinstance(error, InputError | OSError):
        message = str(error)
    else:
        typer.echo(f"veridag: unexpected {type(error).__name__}: {error} (--debug shows where)", err=True)
        sys.exit(1)
    typer.echo(f"veridag: {' '.join(message.split())}", err=True)
    sys.exit(2)


if __name__ == "__main__":
    main()
