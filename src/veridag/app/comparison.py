"""Two runs side by side: which links are new, gone or turned, and which chances differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

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
class Chance:
    """What a run says of two variables: the chance of a link, and if so that of its direction, where it has one.

    `way` is how far the direction can be relied on, see `veridag.report.directions`.
    """

    joined: float
    direction: float | None = None
    way: str = ""


Chances = Mapping[frozenset[str], Chance]


@dataclass(frozen=True)
class Changed:
    """A link of one run or of both: as it was before and as it is now, and its chances, where they are known."""

    kind: Change
    before: Link | None
    now: Link | None
    chance_before: Chance | None
    chance_now: Chance | None

    @property
    def word(self) -> str:
        """What happened to the link."""
        if self.kind == "same" or self.before is None or self.now is None:
            return self.kind
        if self.before.directed and self.now.directed:
            return self.kind
        return "now directed" if self.now.directed else "now open"

    @property
    def moved(self) -> int:
        """By how many percentage points the chance of the link is higher now; one that is not known counts as none."""
        was, own = (0.0 if chance is None else chance.joined for chance in (self.chance_before, self.chance_now))
        return round(100 * own) - round(100 * was)

    @property
    def turned(self) -> int:
        """By how many percentage points the chance of the direction is higher now, if both runs draw the same one."""
        was, own = self.chance_before, self.chance_now
        if was is None or own is None or was.direction is None or own.direction is None or self.before != self.now:
            return 0
        return round(100 * own.direction) - round(100 * was.direction)

    @property
    def size(self) -> int:
        """How large the change is, to sort by."""
        return max(abs(self.moved), abs(self.turned))


@dataclass(frozen=True)
class Comparison:
    """All links of two runs, the largest changes first, and variables that only one of them has.

    `assessed` says of each run whether it has chances: those of pairs that are not there are below 10 %.
    """

    links: Sequence[Changed]
    assessed: tuple[bool, bool]
    only_before: Sequence[str]
    only_now: Sequence[str]
    before: Markup
    now: Markup

    def of(self, kind: Change) -> list[Changed]:
        """The links of one kind."""
        return [link for link in self.links if link.kind == kind]


def compare(before: DAG | PDAG, now: DAG | PDAG, chances_before: Chances, chances_now: Chances) -> Comparison:
    """Hold two graphs and their chances against each other; the chances are empty if a run has none."""
    was, own = _links(before), _links(now)
    kinds: dict[frozenset[str], Change] = {
        key: "new" if key not in was else "gone" if key not in own else "same" if was[key] == own[key] else "turned"
        for key in (*own, *(key for key in was if key not in own))
    }
    assessed = bool(chances_before), bool(chances_now)
    found = [
        Changed(kind, was.get(key), own.get(key), chances_before.get(key), chances_now.get(key))
        for key, kind in kinds.items()
    ]
    return Comparison(
        sorted(
            found, key=lambda one: (-one.size if all(assessed) else 0, one.kind == "same", str(one.now or one.before))
        ),
        assessed,
        [name for name in before.names if name not in now.names],
        [name for name in now.names if name not in before.names],
        _drawing(before.names, was, kinds),
        _drawing(now.names, own, kinds),
    )


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
