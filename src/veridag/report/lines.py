"""The links of the page: those of the network shown, and likely ones that it leaves out, the surest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from veridag.trust.assessment.assessment import ArcChance, direction_words, percent
from veridag.trust.defaults import asks_for_both_directions

from .content import Report
from .directions import HEADS, Directions, Head, Way, draws_one_way

#: The most links that the drawing begins with, and the most that it has.
MOST_AT_START, MOST_DRAWN = 60, 600

#: As wide as a drawing may be, in units of letters of 13, that its letters stay readable on most screens.
MOST_WIDTH = 1200.0

#: How a link is drawn: safe and likely ones of the network, those of it that are unlikely, and likely ones beyond it.
Standing = Literal["safe", "likely", "doubtful", "beyond"]


@dataclass(frozen=True)
class Line:
    """Two variables as they are drawn, from the first to the second if that is `directed`, and their chances.

    `way` says how far the direction can be relied on. `cause` is the measurement, if one of the two is a category and
    only arrows from that were possible.
    """

    first: str
    second: str
    directed: bool
    standing: Standing
    way: Way
    chance: ArcChance
    cause: str | None = None

    @property
    def pair(self) -> tuple[str, str]:
        """The two variables."""
        return self.first, self.second

    @property
    def effect(self) -> str | None:
        """The category, if there is a `cause`."""
        return None if self.cause is None else self.second if self.cause == self.first else self.first

    @property
    def head(self) -> Head | None:
        """How the head of the arrow is drawn, if there is one."""
        return HEADS[self.way] if self.directed else None

    @property
    def classes(self) -> str:
        """The classes of its line in a drawing: how it stands, and how its head is drawn unless that is filled."""
        return self.standing if self.head in (None, "filled") else f"{self.standing} {self.head}"

    @property
    def directions(self) -> tuple[float, float, float] | None:
        """If they are linked: the chances of the direction as drawn and of the other, and that either fits.

        None if the direction is known or assumed.
        """
        if self.way in ("known", "assumed") or self.cause is not None or not self.chance.joined:
            return None
        own = self.chance.forward, self.chance.backward
        ahead, back = own if self.chance.a == self.first else own[::-1]
        return ahead / self.chance.joined, back / self.chance.joined, self.chance.open / self.chance.joined

    @property
    def sentence(self) -> str:
        """All of it in words."""
        return f"{self.first} and {self.second} are linked: {percent(self.chance.joined)}; {self._direction}"

    @property
    def _direction(self) -> str:
        if self.way == "known":
            return f"if so, from {self.first} to {self.second}, which is known"
        if self.directions is None:
            return "the direction is assumed, and not found in the data"
        return f"if so, {direction_words(self.first, self.second, *self.directions)}"


def lines_of(report: Report) -> list[Line]:
    """All links of the page."""
    graph, assessment = report.graph, report.assessment
    directions = directions_of(report)
    inside = {frozenset(pair) for pair in (*graph.arcs, *graph.edges)}
    found = []
    for pairs, directed in ((graph.arcs, True), (graph.edges, False)):
        for a, b in pairs:
            chance = assessment.between(a, b)
            standing: Standing = "safe" if chance.is_safe else "likely" if chance.is_likely else "doubtful"
            first, second = (a, b) if directed else (chance.a, chance.b)
            found.append(_line(directions, first, second, directed, standing, chance))
    for chance in assessment.arcs:
        if chance.is_likely and frozenset((chance.a, chance.b)) not in inside:
            found.append(_line(directions, chance.a, chance.b, chance.is_directed, "beyond", chance))
    return sorted(found, key=lambda line: (-line.chance.joined, line.pair))


def directions_of(report: Report) -> Directions:
    """What is known or assumed of the directions on the page."""
    data, knowledge = report.data, report.validation.knowledge
    one_way = draws_one_way(report.assessment.learner.algorithm.criterion)
    one_way = one_way or not asks_for_both_directions(data, knowledge)  # as most of the evidence does then
    return Directions.on(data, knowledge, one_way, report.assessment.graph, report.graph)


def _line(
    directions: Directions, first: str, second: str, directed: bool, standing: Standing, chance: ArcChance
) -> Line:
    ahead = chance.forward if chance.a == first else chance.backward
    share = ahead / chance.joined if chance.joined else 0.0
    way = directions.way(first, second, share, directed=directed)
    asked = directions.possible_cause(first, second)
    return Line(first, second, directed, standing, way, chance, None if asked is None else asked[0])
