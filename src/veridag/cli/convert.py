"""The command that converts files from one format to another."""

from __future__ import annotations

from typing import Annotated

import typer

from veridag.errors import InputError

from .app import command
from .completion import network_names
from .inputs import format_of, load_any
from .outputs import check_writable, write_graph, write_network
from .terminal import say


@command(
    "convert",
    "veridag convert net.bif net.xml",
    "veridag convert graph.json graph.dot",
    "veridag convert alarm - --to modelstring",
)
def convert(
    source: Annotated[
        str,
        typer.Argument(
            help="A reference network, a file (.bif, .xml, .net, .dsc, .json, also .gz; .dot, .txt), a modelstring "
            "such as '[A][B|A]', or - for standard input.",
            metavar="FROM",
            autocompletion=network_names,
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            help="The file to write, such as net.xml; the suffix decides the format. - is standard output.",
            metavar="TO",
        ),
    ],
    source_format: Annotated[
        str | None,
        typer.Option("--from", help="Format of FROM, such as bif. Default: from the suffix.", metavar="FORMAT"),
    ] = None,
    target_format: Annotated[
        str | None,
        typer.Option("--to", help="Format of TO, such as xmlbif. Default: from the suffix.", metavar="FORMAT"),
    ] = None,
) -> None:
    """Convert a network or a graph from one format to another.

    Networks: bif, xmlbif, net, dsc, json. Graphs without parameters: json, dot, modelstring.
    """
    from veridag.network import Network

    to = format_of(target, target_format)
    check_writable(target)
    content = load_any(source, source_format)
    if to in ("dot", "modelstring") or (to == "json" and not isinstance(content, Network)):
        write_graph(content.dag if isinstance(content, Network) else content, target, to)
    elif not isinstance(content, Network):
        raise InputError(
            f"{source!r} is a graph without parameters, and {to} needs parameters: convert it to json, dot or "
            "modelstring, or use `veridag fit` first"
        )
    else:
        write_network(content, target, to)
    if target != "-":
        say(f"{content!r} written to {target} as {to}")
