"""Reading and writing graphs of any kind. The suffix determines the format: JSON, DOT, or a modelstring."""

from __future__ import annotations

from pathlib import Path

from veridag.errors import InputError
from veridag.files.writing import write_text

from . import text as notation
from .base import Graph
from .dag import DAG
from .partial import PartialGraph
from .pdag import PDAG

#: The endings a file name may have, and the format of such files.
SUFFIXES = {".json": "json", ".dot": "dot", ".gv": "dot", ".txt": "modelstring"}


def read_graph(path: str | Path) -> DAG | PDAG | PartialGraph:
    """Read a graph from a file.

    A DOT file contains a DAG, unless it has undirected edges (PDAG) or dashed ones (partial graph).

    Args:
        path: The file: ``.json``, ``.dot`` or ``.gv``, or ``.txt`` with a modelstring such as ``[A][B|A]``.

    See also:
        `graph.Graph.write`, `read_network`, docs/formats.md
    """
    form = _format(path)
    try:
        text = Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"path: {str(path)!r} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"path: {str(path)!r} is not UTF-8 text, at byte {error.start}: save it as UTF-8") from None
    try:
        return parse_graph(text, form)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def write_graph(graph: Graph, path: str | Path) -> Path:
    """Write a graph to a file whose ending names the format, and give back its path; see `read_graph`."""
    form = _format(path)
    try:
        text = graph_text(graph, form)
    except InputError as error:
        raise InputError(f"path: {str(path)!r}: {error}") from None
    try:
        write_text(path, text)
    except OSError as error:
        raise InputError(f"path: {str(path)!r} cannot be written: {error.strerror or error}") from error
    return Path(path)


def parse_graph(text: str, form: str) -> DAG | PDAG | PartialGraph:
    """The graph of a text in one of the formats."""
    if form == "json":
        return graph_from_json(text)
    return DAG.from_modelstring(text.strip()) if form == "modelstring" else _plainest(PartialGraph.from_dot(text))


def graph_text(graph: Graph, form: str) -> str:
    """A graph as a text in one of the formats."""
    if form != "modelstring":
        return graph.to_json() if form == "json" else graph.to_dot()
    if not isinstance(graph, DAG):
        raise InputError(f"a modelstring can only hold a DAG, not a {type(graph).__name__}: write it as json or dot")
    return f"{graph.to_modelstring()}\n"


def graph_from_json(text: str) -> DAG | PDAG | PartialGraph:
    """A graph from the JSON that `Graph.to_json` writes."""
    kind, names, pairs = notation.read_json(text)
    if kind == "DAG" and not pairs["edges"] and not pairs["undetermined"]:
        return DAG.from_arcs(pairs["arcs"], names)
    if kind == "PDAG" and not pairs["undetermined"]:
        return PDAG.from_arcs(pairs["arcs"], pairs["edges"], names)
    if kind == "PartialGraph":
        return PartialGraph.from_arcs(pairs["arcs"], pairs["edges"], pairs["undetermined"], names)
    raise InputError(
        f"the JSON says {kind!r}, which is not a kind of graph, or has pairs that such a graph cannot have"
    )


def _format(path: str | Path) -> str:
    if not isinstance(path, str | Path):
        raise InputError(f"path={path!r} must be the name of a file")
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        known = ", ".join(SUFFIXES)
        raise InputError(f"path: the ending of {str(path)!r} is not a graph format: use one of {known}")
    return SUFFIXES[suffix]


def _plainest(graph: PartialGraph) -> DAG | PDAG | PartialGraph:
    """As a DAG or PDAG, if it is one."""
    if graph.undetermined:
        return graph
    return PDAG(graph.names, graph.adjacency) if graph.edges else DAG(graph.names, graph.adjacency)
