"""What the words of the command line stand for: networks, structures and files."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from veridag.errors import InputError, suggest

if TYPE_CHECKING:
    from veridag.data import Data
    from veridag.graph import DAG, PDAG, PartialGraph
    from veridag.network import Network


def load_network(name: str) -> Network:
    """The network that a word stands for: a reference network, a file, or - for BIF from a pipe."""
    from veridag import networks
    from veridag.formats import read_network

    if name == "-":
        return read_network(sys.stdin.buffer, format="bif")
    if name in networks.names():
        return networks.load(name)
    if Path(name).suffix or os.sep in name:
        return read_network(name)
    raise InputError(f"{name!r} is neither a reference network nor a file: {suggest(name, networks.names())}")


def load_structure(name: str) -> DAG:
    """The DAG that a word stands for: a reference network, a file or a modelstring."""
    from veridag.graph import DAG

    graph = load_graph(name)
    if not isinstance(graph, DAG):
        raise InputError(f"{name!r} holds a {type(graph).__name__}, but a DAG is needed here")
    return graph


def load_graph(name: str) -> DAG | PDAG | PartialGraph:
    """The graph that a word stands for, of any kind."""
    from veridag.graph import DAG, PartialGraph, read_graph

    if name.startswith("["):
        return DAG.from_modelstring(name)
    if Path(name).suffix.lower() in (".dot", ".gv"):
        return _plainest(PartialGraph.from_dot(text_of(name)))
    if Path(name).suffix.lower() == ".json":
        return read_graph(text_of(name))
    return load_network(name).dag


def _plainest(graph: PartialGraph) -> DAG | PDAG | PartialGraph:
    """As a DAG or PDAG, if it is one."""
    from veridag.graph import DAG, PDAG

    if graph.undetermined:
        return graph
    return PDAG(graph.names, graph.adjacency) if graph.edges else DAG(graph.names, graph.adjacency)


def text_of(path: str) -> str:
    """The text of a file in UTF-8."""
    try:
        return Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text, at byte {error.start}: save the file as UTF-8") from None


def write_data(data: Data, output: str) -> None:
    """Write a table to a file, or as CSV to standard output."""
    if output == "-":
        data.write(sys.stdout.buffer)
        return
    data.write(output)
    typer.echo(f"{data.n} rows of {len(data.names)} variables written to {output}", err=True)
