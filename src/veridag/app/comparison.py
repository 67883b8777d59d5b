"""Two runs side by side: which links are new, gone or turned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from markupsafe import Markup

from veridag.graph import DAG, PDAG
from veridag.graph.drawing import svg
from veridag.report.lines import MOST_DRAWN, MOST_WIDTH

Pair = tuple[str, str]
Change = Literal["new", "gone", "turned", "same"]


@dataclass(frozen=True)
class Link:
    """Two variables as a graph joins them, from the first to the second if that is directed."""

    first: str
    second: str
    directed: bool

    @property
    def key(self) -> frozenset[str]:
        """The two variables, whatever the direction."""
        return frozenset((self.first, self.second))

    def __str__(self) -> str:
        return f"{self.first} {'→' if self.directed else '—'} {self.second}"


@dataclass(frozen=True)
class Changed:
    """A link that differs: as it was before and as it is now, and its chances, where they are known."""

    kind: Change
    before: Link | None
    now: Link | None
    chance_before: str
    chance_now: str

    @property
    def word(self) -> str:
        """What happened to the link."""
        if self.before is None or self.now is None or (self.before.directed and self.now.directed):
            return self.kind
        return "now directed" if self.now.directed else "now open"


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs, how many links are the same, and variables that only one of them has."""

    changed: Sequence[Changed]
    same: int
    only_before: Sequence[str]
    only_now: Sequence[str]
    before: Markup
    now: Markup

    def of(self, kind: Change) -> list[Changed]:
        """The changes of one kind."""
        return [change for change in self.changed if change.kind == kind]


def compare(
    before: DAG | PDAG,
    now: DAG | PDAG,
    chances_before: Mapping[frozenset[str], str],
    chances_now: Mapping[frozenset[str], str],
) -> Comparison:
    """Hold two graphs against each other; links that are the same are counted only."""
    was, own = _links(before), _links(now)
    kinds: dict[frozenset[str], Change] = {
        key: "new" if key not in was else "gone" if key not in own else "same" if was[key] == own[key] else "turned"
        for key in (*own, *(key for key in was if key not in own))
    }
    changed = [
        Changed(kind, was.get(key), own.get(key), chances_before.get(key, ""), chances_now.get(key, ""))
        for key, kind in kinds.items()
        if kind != "same"
    ]
    return Comparison(
        changed,
        len(kinds) - len(changed),
        [name for name in before.names if name not in now.names],
        [name for name in now.names if name not in before.names],
        _drawing(before.names, was, kinds),
        _drawing(now.names, own, kinds),
    )


def chances_of(drawn: Mapping[str, Any]) -> dict[frozenset[str], str]:
    """The chances that the script of a drawing knows, by the two variables."""
    names = drawn["names"]
    return {frozenset((names[link["from"]], names[link["to"]])): link["chance"] for link in drawn["links"]}


def _links(graph: DAG | PDAG) -> dict[frozenset[str], Link]:
    edges: Sequence[Pair] = () if isinstance(graph, DAG) else [(min(edge), max(edge)) for edge in graph.edges]
    found = [*(Link(a, b, True) for a, b in graph.arcs), *(Link(a, b, False) for a, b in edges)]
    return {link.key: link for link in found}


def _drawing(names: Sequence[str], links: Mapping[frozenset[str], Link], kinds: Mapping[frozenset[str], str]) -> Markup:
    at = {name: i for i, name in enumerate(names)}
    shown = sorted(links.values(), key=lambda link: kinds[link.key] == "same")[:MOST_DRAWN]
    pairs = {(at[link.first], at[link.second]): link for link in shown}
    arcs = [pair for pair, link in pairs.items() if link.directed]
    edges = [pair for pair, link in pairs.items() if not link.directed]
    classes = {pair: kinds[link.key] for pair, link in pairs.items()}
    return Markup(svg(names, arcs, edges, arc_classes=classes, most_width=MOST_WIDTH))
