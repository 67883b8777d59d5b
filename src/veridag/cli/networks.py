"""Commands on networks."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from veridag.errors import InputError

from .answers import DoOption, evidence_of
from .app import command
from .inputs import load_graph, load_network, title_of
from .options import GraphArgument, NetworkArgument, Output
from .outputs import TABLE_SUFFIXES, check_path, write_data, write_drawing
from .terminal import echo, say


@command(
    "networks",
    "veridag networks",
    "veridag networks --json",
)
def list_networks(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the reference networks included in veridag.

    Prints the kind of each network, and its numbers of variables, arcs and free parameters. Commands that take a
    network accept these names.
    """
    from veridag.network import reference as networks

    rows = [networks.info(name) for name in networks.names()]
    if as_json:
        echo(json.dumps([r._asdict() for r in rows], indent=1))
        return
    width = max(len(r.name) for r in rows)
    echo(f"{'name':{width}}  {'kind':8}  {'nodes':>5}  {'arcs':>5}  {'parameters':>10}")
    for r in rows:
        echo(f"{r.name:{width}}  {r.kind:8}  {r.nodes:5}  {r.arcs:5}  {r.parameters:10}")


@command(
    "sample",
    "veridag sample alarm -n 1000 --seed 1 -o alarm.csv",
    "veridag sample net.bif -n 500 | veridag learn -",
    "veridag sample asia -n 500 --do smoke=no -o without.csv",
)
def sample(
    network: NetworkArgument,
    n: Annotated[int, typer.Option("-n", "--rows", help="Number of rows.", metavar="N")],
    seed: Annotated[
        int, typer.Option(help="Random seed. The same seed gives the same rows with any number of jobs.")
    ] = 0,
    do: DoOption = None,
    jobs: Annotated[int, typer.Option(help="Number of threads.")] = 1,
    output: Output = "-",
) -> None:
    """Sample rows from a network.

    With --do, sets variables by intervention: the rows come from the network without the arcs into them. Writes a
    table: .csv, .csv.gz, .parquet or .arrow; CSV on standard output.
    """
    check_path(output, TABLE_SUFFIXES)
    write_data(load_network(network).sample(n, seed, do=evidence_of(do, "do"), jobs=jobs), output)


@command(
    "draw",
    "veridag draw graph.json -o graph.svg",
    "veridag draw alarm --cpdag -o alarm.svg",
)
def draw(
    network: GraphArgument,
    cpdag: Annotated[
        bool, typer.Option("--cpdag", help="Draw the CPDAG: the equivalence class of the network.")
    ] = False,
    output: Output = "-",
) -> None:
    """Draw a network or a graph as SVG."""
    from veridag.graph import PartialGraph

    check_path(output, (".svg",))
    graph = load_graph(network)
    if cpdag:
        if isinstance(graph, PartialGraph):
            raise InputError(f"{network!r} is a PartialGraph, which has no CPDAG: leave out --cpdag")
        graph = graph.cpdag()
    write_drawing(graph, output, f"{title_of(network)} (CPDAG)" if cpdag else title_of(network))
    if output != "-":
        say(f"{graph!r} drawn to {output}")
