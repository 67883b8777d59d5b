"""Networks and graphs that words of the command line stand for: names, files, modelstrings and pipes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from veridag.errors import InputError, suggest

from .terminal import note

if TYPE_CHECKING:
    from veridag.graph import DAG, PDAG, PartialGraph
    from veridag.network import Network


def load_network(name: str) -> Network:
    """The network that a word stands for: a reference network, a file, or - for BIF from a pipe."""
    from veridag.network import reference as networks
    from veridag.network.formats import read_network

    if name == "-":
        return read_network(sys.stdin.buffer, format="bif")
    if name in networks.names():
        return networks.load(name)
    if Path(name).suffix or os.sep in name:
        return read_network(name)
    raise InputError(f"{name!r} is neither a reference network nor a file: {suggest(name, networks.names())}")


def load_structure(name: str) -> DAG:
    """The DAG that a word stands for: a reference network, a file or a modelstring; of a class the first by names."""
    from veridag.graph import DAG, PDAG

    graph = load_graph(name)
    if isinstance(graph, PDAG):
        problem = graph.why_invalid()
        if problem is not None:
            raise InputError(f"{name!r}: {problem}")
        if graph.edges:
            note(f"{name} leaves directions open: one of the DAGs that it stands for is taken")
        return graph.extension()
    if not isinstance(graph, DAG):
        raise InputError(f"{name!r} holds a {type(graph).__name__}, but a DAG is needed here")
    return graph


def load_truth(name: str) -> DAG | PDAG:
    """The network or class that counts as the truth."""
    from veridag.graph import PartialGraph

    graph = load_graph(name)
    if isinstance(graph, PartialGraph):
        raise InputError(f"--truth {name}: a partial graph is no truth, give a network or graph")
    return graph


def load_graph(name: str) -> DAG | PDAG | PartialGraph:
    """The graph that a word stands for, of any kind; of a network its structure."""
    from veridag.network import Network

    content = load_any(name, "bif" if name == "-" else None)
    return content.dag if isinstance(content, Network) else content


#: Formats of graphs without parameters, by ending; .json is of both kinds.
_GRAPH_SUFFIXES = {".dot": "dot", ".gv": "dot", ".txt": "modelstring"}


def format_of(path: str, given: str | None) -> str:
    """The format of a file, by what was said or by its ending."""
    from veridag.network.formats import SUFFIXES

    endings = {**SUFFIXES, **_GRAPH_SUFFIXES}
    known = sorted(set(endings.values()))
    if given is not None:
        if given.lower() not in known:
            raise InputError(f"there is no format {given!r}: {suggest(given.lower(), known)}")
        return given.lower()
    if path == "-":
        raise InputError(f"a pipe has no ending to tell its format: pass --from or --to, one of {', '.join(known)}")
    suffix = Path(path.removesuffix(".gz")).suffix.lower()
    if suffix not in endings:
        raise InputError(f"{path!r}: the name of the file must end in {', '.join(endings)}; or pass --from or --to")
    return endings[suffix]


def load_any(name: str, format: str | None) -> Network | DAG | PDAG | PartialGraph:
    """What a name, a file, a modelstring or a pipe holds: a network, or a graph without parameters."""
    from veridag.graph import DAG, PartialGraph, read_graph
    from veridag.network import reference as networks
    from veridag.network.formats import read_network

    if format is None and name.startswith("["):
        return DAG.from_modelstring(name)
    if format is None and name != "-" and (name in networks.names() or not (Path(name).suffix or os.sep in name)):
        return load_network(name)
    form = format_of(name, format)
    if form == "dot":
        return _plainest(PartialGraph.from_dot(text_of(name)))
    if form == "modelstring":
        return DAG.from_modelstring(text_of(name).strip())
    if form == "json" and not name.endswith(".gz"):
        from veridag.network.formats.json import is_network
        from veridag.network.formats.json import read as read_json

        text = text_of(name)
        return read_json(text, name) if is_network(text) else read_graph(text)
    return read_network(sys.stdin.buffer if name == "-" else name, form)


def _plainest(graph: PartialGraph) -> DAG | PDAG | PartialGraph:
    """As a DAG or PDAG, if it is one."""
    from veridag.graph import DAG, PDAG

    if graph.undetermined:
        return graph
    return PDAG(graph.names, graph.adjacency) if graph.edges else DAG(graph.names, graph.adjacency)


def text_of(path: str) -> str:
    """The text of a file, or of standard input, in UTF-8."""
    try:
        return sys.stdin.buffer.read().decode("utf-8") if path == "-" else Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text, at byte {error.start}: save the file as UTF-8") from None
