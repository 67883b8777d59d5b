"""Where results go: files, which appear whole or not at all, or standard output for the path -."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from veridag.display import visible_line
from veridag.errors import InputError, require
from veridag.files.writing import whole_file

from .terminal import echo, is_terminal, say

if TYPE_CHECKING:
    from veridag.criteria.score_table import ScoreTable
    from veridag.data import Data
    from veridag.graph import DAG, PDAG, Graph
    from veridag.network import Network
    from veridag.network.fitting import RelatedNetworks

#: The endings of files with a graph without parameters, of tables, and of drawings and figures.
GRAPH_SUFFIXES = (".json", ".dot", ".gv")
TABLE_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".arrow")
FIGURE_SUFFIXES = (".svg", ".png")


def check_path(path: str | None, suffixes: tuple[str, ...]) -> None:
    """Refuse, before any work is done, a file whose name does not say its format, or that cannot be written."""
    if path is None or path == "-":
        return
    if not path.lower().endswith(suffixes):
        raise InputError(f"{path!r}: the name of the file must end in {' or '.join(suffixes)}")
    check_writable(path)


def check_figure(path: str | None) -> None:
    """Refuse, before any work is done, a figure that cannot be written, or drawn without matplotlib."""
    check_path(path, FIGURE_SUFFIXES)
    if path is not None:
        require("matplotlib", "a figure", "figures")


def check_writable(path: str | None) -> None:
    """Refuse, before any work is done, a file that has no folder to be in, is a folder itself or is protected."""
    if path is None or path == "-":
        return
    target = Path(path).absolute()
    if not target.parent.is_dir():
        raise InputError(f"{path!r}: there is no folder {str(Path(path).parent)!r}: create it first")
    if target.is_dir():
        raise InputError(f"{path!r} is a folder: give the name of a file, such as {str(Path(path) / 'result')!r}")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise InputError(
            f"{path!r} cannot be written: you have no permission to write to it or to its folder: give another path"
        )


def check_folder(path: str) -> None:
    """Refuse, before any work is done, a folder that is not there and cannot be made, or that takes no files."""
    target = Path(path).absolute()
    there = next(folder for folder in (target, *target.parents) if folder.exists())
    if not there.is_dir():
        raise InputError(f"{path!r}: {str(there)!r} is a file and not a folder: give another path")
    if not os.access(there, os.W_OK):
        raise InputError(f"{path!r}: you have no permission to write to the folder {str(there)!r}: give another path")


def network_suffixes() -> tuple[str, ...]:
    """The endings of files that hold a network with its parameters; .json holds a graph."""
    from veridag.network.formats import SUFFIXES

    own = [suffix for suffix in SUFFIXES if suffix not in GRAPH_SUFFIXES]
    return (*own, *(f"{suffix}.gz" for suffix in own))


def check_network_path(path: str, *, several: bool = False) -> None:
    """Refuse, before any work is done, a file that cannot hold a network, or the one pipe for `several` of them."""
    from veridag.network.formats import SUFFIXES

    if path == "-" and several:
        raise InputError("each group's network needs its own file: give a file name with -o net.bif")
    check_path(path, (*SUFFIXES, *(f"{suffix}.gz" for suffix in SUFFIXES)))


def names_network(path: str | None) -> bool:
    """Whether a file of this name is to hold parameters too."""
    return path is not None and path.lower().endswith(network_suffixes())


def check_one_pipe(**paths: str | None) -> None:
    """Refuse, before any work is done, two results for standard output; the names are those of their options."""
    piped = [f"--{name.replace('_', '-')}" for name, path in paths.items() if path == "-"]
    if len(piped) > 1:
        raise InputError(f"{' and '.join(piped)}: only one of them can be - (standard output)")


@contextmanager
def whole(path: str, ending: str = "") -> Iterator[Path]:
    """A file to write instead, which takes the place of the file of this path when nothing went wrong.

    For standard output, the path -, the file has this `ending`, and its content is written out when it is complete;
    see `whole_file` for the others.
    """
    if path == "-":
        with TemporaryDirectory() as folder:
            yield Path(folder, f"result{ending}")
            with _standard_output() as output:
                output.write(Path(folder, f"result{ending}").read_bytes())
        return
    with whole_file(path) as draft:
        yield draft


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    """Standard output for the content of a file: a pipe gets it as it is, a terminal with control characters shown."""
    if not is_terminal():
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    content = BytesIO()
    yield content
    echo(content.getvalue().decode("utf-8", "replace"), nl=False)


def write_text(text: str, path: str) -> None:
    """Write a text in UTF-8, compressed if the name of the file ends in .gz."""
    content = text.encode("utf-8")
    if path == "-":
        with _standard_output() as output:
            output.write(content)
        return
    if path.lower().endswith(".gz"):
        import gzip

        content = gzip.compress(content, mtime=0)  # without a time, the same text gives the same bytes
    with whole(path) as draft:
        draft.write_bytes(content)


def write_graph(graph: Graph, path: str, format: str | None = None) -> None:
    """Write a graph without parameters; without a format, as JSON unless the name of the file says dot."""
    from veridag.graph.files import graph_text

    write_text(graph_text(graph, format or ("dot" if path.endswith((".dot", ".gv")) else "json")), path)


#: The most arcs that are printed on a terminal: about a screen.
MOST_ARCS = 40


def arc_lines(graph: DAG | PDAG) -> list[str]:
    """Each arc as A -> B, then each edge without direction as A - B; each is one line, whatever its names hold."""
    lines = [*(f"{a} -> {b}" for a, b in graph.arcs), *(f"{a} - {b}" for a, b in graph.edges)]
    return list(map(visible_line, lines))


def print_arcs(graph: DAG | PDAG) -> None:
    """Each arc and edge on a line of standard output: A -> B, A - B. A terminal shows a screen of them, a pipe all."""
    lines = arc_lines(graph)
    shown = lines[:MOST_ARCS] if is_terminal() else lines
    for line in shown:
        echo(line)
    if len(shown) < len(lines):
        echo(f"... and {len(lines) - len(shown)} more: -o FILE, --json or a pipe gives all", err=True)


def write_drawing(graph: Graph, path: str, title: str) -> None:
    """Draw a graph in layers, as SVG."""
    if path == "-":
        write_text(f"{graph.to_svg(title)}\n", path)
        return
    with whole(path) as draft:
        graph.draw(draft, title)


def write_network(network: Network, path: str, format: str | None = None) -> None:
    """Write a network with its parameters; without a format, to standard output as BIF, or as JSON if not discrete."""
    from veridag.network import formats

    if path == "-":
        with _standard_output() as output:
            formats.write_network(network, output, format or ("bif" if network.kind == "discrete" else "json"))
        return
    with whole(path) as draft:
        formats.write_network(network, draft, format)


def write_networks(networks: RelatedNetworks, path: str) -> None:
    """Write the network of each group to a file of its own: net.bif becomes net-LABEL.bif."""
    check_network_path(path, several=True)
    ending = _ending(path)
    plain = [re.sub(r"[^\w.-]", "_", label) for label in networks]
    paths = [f"{path.removesuffix(ending)}-{label}{ending}" for label in plain]
    if len(set(paths)) < len(paths):
        raise InputError(
            f"groups {', '.join(map(repr, networks))}: two labels would give the same file name: rename the groups"
        )
    for own, network in zip(paths, networks.values(), strict=True):
        write_network(network, own)
    say(f"networks of {len(paths)} groups written to {', '.join(paths)}")


def _ending(path: str) -> str:
    """What names the format of a file, as it is written: .csv or .csv.gz."""
    plain = path[:-3] if path.lower().endswith(".gz") else path
    return path[len(plain) - len(Path(plain).suffix) :]


def write_data(
    data: Data, path: str, *, weights: str = "weight", group: str = "group", targets: str = "targets"
) -> None:
    """Write a table of data, weights, groups and targets in columns of these names; to standard output as CSV."""
    if path == "-":
        with _standard_output() as output:
            data.write(output, weights=weights, group=group, targets=targets)
        return
    with whole(path) as draft:
        data.write(draft, weights=weights, group=group, targets=targets)
    say(f"{data.nrows} rows of {len(data.names)} variables written to {path}")


def write_tables(tables: Sequence[Data], path: str, *, weights: str, group: str, targets: str) -> None:
    """Write several tables, all or none of them: cases.csv becomes cases-1.csv, cases-2.csv and so on."""
    ending = _ending(path)
    paths = [f"{path.removesuffix(ending)}-{number}{ending}" for number in range(1, len(tables) + 1)]
    with ExitStack() as drafts:
        for data, own in zip(tables, paths, strict=True):
            data.write(drafts.enter_context(whole(own)), weights=weights, group=group, targets=targets)
    say(f"{len(paths)} tables of {tables[0].nrows} rows written to {paths[0]} to {paths[-1]}")


def write_score_table(table: ScoreTable, path: str) -> None:
    """Write a score table; to standard output as .jkl."""
    from veridag.criteria.score_table import write_table

    if path == "-":
        with _standard_output() as output:
            write_table(table, output, format="jkl")
        return
    with whole(path) as draft:
        write_table(table, draft)
