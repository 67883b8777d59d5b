"""How far the direction of a link can be relied on: the one rule for the drawing, the tables and the words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from veridag.criteria.independence import Test
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.graph import PDAG
from veridag.graph.knowledge import Knowledge
from veridag.graph.matrices import Matrix
from veridag.trust.assessment.assessment import LIKELY, SAFE

#: - known: what is known leaves one direction;
#: - assumed: it is not from the data, but from what most learners can draw, or follows from such directions;
#: - safe, likely: its chance, if there is a link, is at least 90 % or 50 %;
#: - open: neither direction is likely, or the network has none.
Way = Literal["known", "assumed", "safe", "likely", "open"]

#: How the head of an arrow is drawn: filled, hollow or grey.
Head = Literal["filled", "unsure", "assumed"]
HEADS: dict[Way, Head] = {
    "known": "filled",
    "safe": "filled",
    "likely": "unsure",
    "open": "unsure",
    "assumed": "assumed",
}


@dataclass(frozen=True, eq=False)
class Directions:
    """Which directions are known or assumed, so that they have no chance.

    `known[i, j]` if what is known leaves one direction of a link between the variables i and j; `one_way` if learners
    draw no arc from a measurement to a category, and `following` are pairs whose direction follows from that.
    """

    at: Mapping[str, int]
    kinds: Mapping[str, str]
    known: Matrix
    one_way: bool
    following: frozenset[frozenset[str]]

    @classmethod
    def on(cls, data: Data, knowledge: Knowledge | None, one_way: bool, found: PDAG, drawn: PDAG) -> Directions:
        """Those on this data. Arcs that are `drawn`, where what was `found` leaves them open, follow from `one_way`."""
        bound = (knowledge or Knowledge()).bind(data.names)
        known = bound.required | bound.required.T | (bound.forbidden != bound.forbidden.T)
        following = frozenset(map(frozenset, drawn.arcs)) & frozenset(map(frozenset, found.edges))
        at = {name: i for i, name in enumerate(data.names)}
        return cls(at, data.kinds, known, one_way and data.kind == "mixed", following)

    def is_known(self, a: str, b: str) -> bool:
        """Whether what is known leaves one direction of a link between the two."""
        return bool(self.known[self.at[a], self.at[b]])

    def is_assumed(self, a: str, b: str) -> bool:
        """Whether a direction between the two is assumed: they are a category and a measurement, or it follows."""
        if not self.one_way or self.is_known(a, b):
            return False
        return self.kinds[a] != self.kinds[b] or frozenset((a, b)) in self.following

    def way(self, a: str, b: str, share: float, *, directed: bool = True) -> Way:
        """How far a -> b can be relied on, if its chance is this share of that of the link."""
        if self.is_known(a, b):
            return "known"
        if not directed:
            return "open"
        if self.is_assumed(a, b):
            return "assumed"
        return "safe" if share >= SAFE else "likely" if share >= LIKELY else "open"

    def possible_cause(self, a: str, b: str) -> tuple[str, str] | None:
        """The measurement and the category, if only the direction from the latter was allowed."""
        if not self.is_assumed(a, b) or self.kinds[a] == self.kinds[b]:
            return None
        return (a, b) if self.kinds[a] == "continuous" else (b, a)


def draws_one_way(criterion: Score | Test | None) -> bool:
    """Whether learners with this criterion draw no arc from a measurement to a category."""
    return criterion is not None and not criterion.both_directions
