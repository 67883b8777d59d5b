"""Networks and graphs that words of the command line stand for: names, files, modelstrings and pipes."""

from __future__ import annotations

import os
import re
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from veridag.errors import InputError, suggest

from .terminal import note

if TYPE_CHECKING:
    from veridag.graph import DAG, PDAG, PartialGraph
    from veridag.network import Network


def load_network(name: str) -> Network:
    """The network that a word stands for: a reference network, a file, or - for a pipe."""
    from veridag.network import Network
    from veridag.network import reference as networks
    from veridag.network.formats import read_network

    if name == "-":
        content = load_any(name)
        if not isinstance(content, Network):
            raise InputError(
                "-: standard input holds a graph without parameters, but this command needs a network: `veridag fit "
                "DATA --graph -` estimates them"
            )
        return content
    if name in networks.names():
        return networks.load(name)
    if Path(name).suffix or os.sep in name:
        return read_network(name)
    raise InputError(f"{name!r} is neither a reference network nor a file: {suggest(name, networks.names())}")


def check_one_input(*names: str) -> None:
    """Refuse, before anything is read, two arguments that come from the one pipe there is."""
    if names.count("-") > 1:
        raise InputError("-: only one argument of a command can be - (standard input)")


def load_structure(name: str) -> DAG:
    """The DAG that a word stands for: a reference network, a file or a modelstring; of a class the first by names."""
    from veridag.graph import DAG, PDAG

    graph = load_graph(name)
    if isinstance(graph, PDAG):
        problem = graph.why_invalid()
        if problem is not None:
            raise InputError(f"{name!r}: {problem}")
        if graph.edges:
            note(f"{title_of(name)} has edges without direction: one DAG of its equivalence class is used")
        return graph.extension()
    if not isinstance(graph, DAG):
        raise InputError(f"{name!r} is a {type(graph).__name__}, but this command needs a DAG: give another graph")
    return graph


def load_truth(name: str) -> DAG | PDAG:
    """The network or class that counts as the truth."""
    from veridag.graph import PartialGraph

    graph = load_graph(name)
    if isinstance(graph, PartialGraph):
        raise InputError(f"--truth {name}: this is a partial graph: give a network, a DAG or a CPDAG")
    return graph


def load_graph(name: str) -> DAG | PDAG | PartialGraph:
    """The graph that a word stands for, of any kind; of a network its structure."""
    from veridag.network import Network

    content = load_any(name)
    return content.dag if isinstance(content, Network) else content


def format_of(path: str, given: str | None) -> str:
    """The format of a file, by what was said or by its ending."""
    from veridag.graph.files import SUFFIXES as GRAPHS
    from veridag.network.formats import SUFFIXES as NETWORKS

    endings = {**NETWORKS, **GRAPHS}  # .json is of both kinds
    known = sorted(set(endings.values()))
    if given is not None:
        if given.lower() not in known:
            raise InputError(f"there is no format {given!r}: {suggest(given.lower(), known)}")
        return given.lower()
    if path == "-":
        raise InputError(f"standard output has no suffix that decides the format: give --to, one of {', '.join(known)}")
    suffix = Path(path.removesuffix(".gz")).suffix.lower()
    if suffix not in endings:
        raise InputError(f"{path!r}: the name of the file must end in {', '.join(endings)}; or give --from or --to")
    return endings[suffix]


def load_any(name: str, format: str | None = None) -> Network | DAG | PDAG | PartialGraph:
    """What a name, a file, a modelstring or a pipe holds: a network, or a graph without parameters."""
    from veridag.graph import DAG
    from veridag.network import reference as networks
    from veridag.network.formats import read_network

    if name == "-":
        content = _pipe_content()
        return _parse(content, _format_of_content(content) if format is None else format_of(name, format), "<stdin>")
    if format is None and name.startswith("["):
        return DAG.from_modelstring(name)
    if format is None and (name in networks.names() or not (Path(name).suffix or os.sep in name)):
        return load_network(name)
    form = format_of(name, format)
    if form in ("dot", "modelstring") or (form == "json" and not name.endswith(".gz")):
        return _parse(Path(name).read_bytes(), form, name)
    return read_network(name, form)


def title_of(path: str) -> str:
    """What a page or a drawing calls a file."""
    return "standard input" if path == "-" else Path(path).name


def _pipe_content() -> bytes:
    """All of standard input, decompressed."""
    import gzip

    content = sys.stdin.buffer.read()
    if not content.strip():
        raise InputError("-: standard input is empty (only one argument of a command can be -)")
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content


#: How a text of each format begins, after blanks and comments.
_BEGINNINGS = {
    "json": r"\{",
    "xmlbif": r"<",
    "modelstring": r"\[",
    "dot": r"(strict\s+)?(di)?graph\b",
    "bif": r"network\b",
    "net": r"(net|class)\b",
    "dsc": r"belief\s+network\b",
}
_COMMENTS = re.compile(r"\ufeff?(\s+|//[^\n]*|%[^\n]*|#[^\n]*|/\*.*?\*/)*", re.DOTALL)


def _format_of_content(content: bytes) -> str:
    """The format of a network or graph, by how its text begins."""
    text = content[:100_000].decode("utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8", "replace")
    text = text[_COMMENTS.match(text).end() :]  # type: ignore[union-attr] # nothing is a match too
    for form, beginning in _BEGINNINGS.items():
        if re.match(beginning, text, re.IGNORECASE):
            return form
    raise InputError(f"-: standard input holds neither a network nor a graph: it starts with {text[:30]!r}")


def _parse(content: bytes, form: str, source: str) -> Network | DAG | PDAG | PartialGraph:
    """The network or graph of a text; `source` names it in messages."""
    from veridag.graph.files import SUFFIXES, parse_graph
    from veridag.network.formats import read_network
    from veridag.network.formats.json import is_network
    from veridag.network.formats.json import read as read_json

    if form in SUFFIXES.values():
        text = _decoded(content, source)
        return read_json(text, source) if form == "json" and is_network(text) else parse_graph(text, form)
    stream = BytesIO(content)
    stream.name = source  # what messages call it
    return read_network(stream, form)


def _decoded(content: bytes, source: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{source}: not UTF-8 text, at byte {error.start}: save the file as UTF-8") from None
