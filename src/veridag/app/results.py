"""What a finished run leaves: files that people can take away, and parts of pages that show it again at once.

Nothing is pickled: all is JSON, CSV, BIF, SVG or HTML, in the folder of the run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader

from veridag.data import Data
from veridag.errors import InputError
from veridag.files.writing import write_text
from veridag.graph import DAG, PDAG
from veridag.graph.drawing import svg
from veridag.graph.drawing.svg import DARK, LIGHT
from veridag.graph.files import read_graph
from veridag.network import Network
from veridag.network.formats import changed_names, network_text, read_network
from veridag.report import rendering
from veridag.report.compiling import compiled
from veridag.report.content import Report
from veridag.report.lines import MOST_WIDTH, lines_of
from veridag.report.page import fragments
from veridag.report.script_data import script_data
from veridag.report.sections import downloads, what_if
from veridag.trust.assessment.words import headline_of

from . import learned
from .comparison import Chance
from .learned import Learned

#: The parts of the page that a run may have.
PARTS = ("network", "questions", "next_steps", "groups", "links", "what_if")
_CHANCES = "chances.json"
_SURENESS = (
    ".veridag-graph .safe{stroke-width:2.8}.veridag-graph .doubtful{stroke-dasharray:7 4}"
    f".veridag-graph .head.unsure{{fill:none;stroke:{LIGHT.arc};stroke-width:1.2;stroke-dasharray:none}}"
    f".veridag-graph .head.assumed{{fill:{LIGHT.undetermined}}}"
    f"@media screen and (prefers-color-scheme:dark){{.veridag-graph .head.unsure{{stroke:{DARK.arc}}}"
    f".veridag-graph .head.assumed{{fill:{DARK.undetermined}}}}}"
)


@cache
def environment() -> Environment:
    """The templates of the app and of the report; every value is escaped."""
    return rendering.environment().overlay(
        loader=ChoiceLoader([PackageLoader("veridag.app"), PackageLoader("veridag.report")])
    )


def keep(folder: Path, found: Report | Learned) -> None:
    """Write all that a run found to its folder; what says that it is whole comes last."""
    if isinstance(found, Report):
        _keep_report(folder, found)
    else:
        _keep_learned(folder, found)


def _keep_report(folder: Path, report: Report) -> None:
    report.write(folder / "report.html")
    _keep_tables(folder, report.graph, report.network, downloads.link_rows(report.assessment))
    write_text(folder / "graph.svg", _picture(report))
    write_text(folder / _CHANCES, json.dumps(_chances(report), allow_nan=False))
    facts = {
        "headline": headline_of(report.assessment),
        "level": report.assessment.level,
        "learner": report.assessment.recommended,
        "cut_short": list(report.cut_short),
        "partial": report.assessment.interrupted,
    }
    _keep_page(folder, report.data, report.network, facts, script_data(report), fragments(report))


def _chances(report: Report) -> list[tuple[tuple[str, str], dict[str, Any]]]:
    """Pairs of variables with their chances, as `Chance` has them: those worth naming, and all links of the page."""
    lines = lines_of(report)
    shown = {frozenset(line.pair) for line in lines}
    said: list[tuple[tuple[str, str], dict[str, Any]]] = []
    for line in lines:
        direction = None if line.directions is None else line.directions[0]
        said.append((line.pair, {"joined": line.chance.joined, "direction": direction, "way": line.way}))
    others = [arc for arc in report.assessment.arcs if frozenset((arc.a, arc.b)) not in shown]
    return said + [((arc.a, arc.b), {"joined": arc.joined}) for arc in others]


def _keep_learned(folder: Path, found: Learned) -> None:
    _keep_tables(folder, found.graph, found.network, learned.link_rows(found))
    write_text(folder / "graph.svg", found.graph.to_svg(found.title))
    network = environment().get_template("learned.html.j2").render(found=found, drawing=learned.drawing_of(found))
    asked = what_if.view_of(found.network, found.data)
    parts = {"network": network, "what_if": environment().get_template("what_if.html.j2").render(view=asked)}
    facts: dict[str, Any] = {
        "headline": found.headline,
        "level": None,
        "learner": found.result.settings,
        "cut_short": [],
        "partial": found.result.interrupted,
    }
    _keep_page(folder, found.data, found.network, facts, learned.script_data(found), parts)


def _picture(report: Report) -> str:
    """The links of the network as a picture of its own: safe ones thick, and those with a chance below 50 % dashed.

    Heads are hollow where the direction is not safe, and grey where it is assumed.
    """
    at = {name: i for i, name in enumerate(report.data.names)}
    lines = {(at[line.first], at[line.second]): line for line in lines_of(report) if line.standing != "beyond"}
    arcs = [pair for pair, line in lines.items() if line.directed]
    edges = [pair for pair, line in lines.items() if not line.directed]
    classes = {pair: line.classes for pair, line in lines.items()}
    drawn = svg(report.data.names, arcs, edges, title=report.title, arc_classes=classes, most_width=MOST_WIDTH)
    return drawn.replace("</svg>", f"<style>{_SURENESS}</style></svg>")


def _keep_tables(folder: Path, graph: DAG | PDAG, network: Network | None, links: list[dict[str, Any]]) -> None:
    write_text(folder / "graph.json", graph.to_json())
    write_text(folder / "links.csv", downloads.as_csv(links))
    if network is None:
        return
    write_text(folder / "network.json", network_text(network, "json"))
    if network.kind == "discrete":
        write_text(folder / "network.bif", network_text(network, "bif"))


def _keep_page(
    folder: Path,
    data: Data,
    network: Network | None,
    facts: Mapping[str, Any],
    drawn: Mapping[str, Any],
    parts: Mapping[str, str],
) -> None:
    for name, text in parts.items():
        write_text(folder / f"{name}.html", text)
    write_text(folder / "drawn.json", json.dumps(drawn, allow_nan=False))
    note = None if network is None or network.kind != "discrete" else changed_names(network, "bif")
    known = {
        "rows": float(data.n),
        "states": {column.name: list(column.states) for column in data.columns},
        "note": note,
        "kind": None if network is None else network.kind,
        "asked": _who_answers(network),
    }
    write_text(folder / "facts.json", json.dumps({**facts, **known, "parts": list(parts)}, allow_nan=False))


def _who_answers(network: Network | None) -> str | None:
    """Who computes "what if": the page, or the server if the network is too large for it; None if nobody does."""
    if network is None or not network.names:
        return None
    if compiled(network).facts is not None:
        return "page"
    return None if network.kind == "mixed" else "server"


class Kept:
    """What a run left in its folder, read when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def facts(self) -> dict[str, Any]:
        """What the page says of it: the headline, the level of trust, the learner, the states of each variable."""
        return self._json("facts.json")

    @property
    def drawn(self) -> dict[str, Any]:
        """What the script of the drawing knows; see `veridag.report.script_data`."""
        return self._json("drawn.json")

    def part(self, name: str) -> str | None:
        """A part of the page as HTML, if the run has it."""
        return self._text(f"{name}.html") if name in PARTS and (self.folder / f"{name}.html").is_file() else None

    @property
    def chances(self) -> dict[frozenset[str], Chance]:
        """The chances of pairs of variables by the two; empty if none were estimated."""
        if not (self.folder / _CHANCES).is_file():
            return {}
        return {frozenset(pair): Chance(**said) for pair, said in json.loads(self._text(_CHANCES))}

    @property
    def graph(self) -> DAG | PDAG:
        """The graph that is shown."""
        found = read_graph(self.folder / "graph.json")
        assert isinstance(found, DAG | PDAG)
        return found

    @property
    def network(self) -> Network | None:
        """The fitted network, if there is one."""
        path = self.folder / "network.json"
        return read_network(path) if path.is_file() else None

    def _json(self, name: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self._text(name))
        return content

    def _text(self, name: str) -> str:
        try:
            return (self.folder / name).read_text("utf-8")
        except OSError:
            raise InputError("The files of this run are not there any more: run it again.") from None
