"""The links of the page: those of the network shown, and likely ones that it leaves out, the surest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from veridag.trust.assessment.assessment import LIKELY, ArcChance

from .content import Report

#: The most links that the drawing begins with, and the most that it has.
MOST_AT_START, MOST_DRAWN = 60, 600

#: As wide as a drawing may be, in units of letters of 13, that its letters stay readable on most screens.
MOST_WIDTH = 1200.0

#: How a link is drawn: safe and likely ones of the network, those of it that are unlikely, and likely ones beyond it.
Standing = Literal["safe", "likely", "doubtful", "beyond"]


@dataclass(frozen=True)
class Line:
    """Two variables as they are drawn, from the first to the second if that is `directed`, and their chances."""

    first: str
    second: str
    directed: bool
    standing: Standing
    chance: ArcChance

    @property
    def pair(self) -> tuple[str, str]:
        """The two variables."""
        return self.first, self.second

    @property
    def direction(self) -> float:
        """The chance of the direction from the first to the second, if they are linked."""
        if not self.chance.joined:
            return 0.0
        own = self.chance.forward if self.chance.a == self.first else self.chance.backward
        return own / self.chance.joined

    @property
    def is_open(self) -> bool:
        """Whether the direction is not to be relied on: none is drawn, or it is not likely."""
        return not self.directed or self.direction < LIKELY


def lines_of(report: Report) -> list[Line]:
    """All links of the page."""
    graph, assessment = report.graph, report.assessment
    pairs = [(pair, True) for pair in graph.arcs] + [(pair, False) for pair in graph.edges]
    inside = {frozenset(pair) for pair, _ in pairs}
    found = []
    for (a, b), directed in pairs:
        chance = assessment.between(a, b)
        standing: Standing = "safe" if chance.is_safe else "likely" if chance.is_likely else "doubtful"
        found.append(Line(a, b, directed, standing, chance))
    for chance in assessment.arcs:
        if chance.is_likely and frozenset((chance.a, chance.b)) not in inside:
            found.append(Line(chance.a, chance.b, False, "beyond", chance))
    return sorted(found, key=lambda line: (-line.chance.joined, line.pair))
