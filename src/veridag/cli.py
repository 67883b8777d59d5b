"""The command line. Commands import what they need when they run, so that ``veridag --help`` answers at once."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

import typer

from .errors import InputError, suggest

if TYPE_CHECKING:
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


@app.command()
def describe(
    data: DataArgument,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="NAME=discrete or NAME=continuous, against the rule; may be repeated.", metavar="NAME=KIND"),
    ] = None,
    group: Annotated[str | None, typer.Option(help="Column that says which related data set a row belongs to.")] = None,
    weights: Annotated[str | None, typer.Option(help="Column that says how often a row counts.")] = None,
    missing: Annotated[
        Literal["error", "state", "drop"], typer.Option(help="What to do with missing values.")
    ] = "error",
    separator: Annotated[str | None, typer.Option(help="What separates fields; the file's ending decides.")] = None,
) -> None:
    """Summarise a table.

    Shows each column's kind and the rule that decided it, its states, and what was done about missing values.
    """
    from .data import read

    kinds = dict(_split(item, "kind", "NAME=KIND") for item in kind or [])
    table = read(_source(data), kinds=kinds or None, group=group, weights=weights, missing=missing, separator=separator)
    typer.echo(str(table.describe()))


@app.command()
def draw(
    network: Annotated[
        str,
        typer.Argument(
            help="A reference network, a network or graph file (.bif, .bif.gz, .dot), a modelstring such as '[A][B|A]',"
            " or - for BIF on standard input.",
            metavar="NET",
        ),
    ],
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


def _source(path: str) -> str | BinaryIO:
    return sys.stdin.buffer if path == "-" else path


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
    from .graph import DAG

    if name.startswith("["):
        return DAG.from_modelstring(name)
    if Path(name).suffix.lower() in (".dot", ".gv"):
        return DAG.from_dot(Path(name).read_text("utf-8"))
    return _load_network(name).dag


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
