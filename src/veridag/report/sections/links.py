"""How sure each link is: all that are in the network, and likely ones that it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridag.report.content import Report
from veridag.report.directions import Way
from veridag.report.lines import Line, lines_of

#: More links than this are folded up.
MOST_UNFOLDED = 40


@dataclass(frozen=True)
class View:
    """All links, the surest first; `ways` are those that occur. `more` pairs are in links.csv alone."""

    lines: Sequence[Line]
    folded: bool
    ways: frozenset[Way]
    more: int


def view(report: Report) -> View:
    """The links of the page."""
    lines = lines_of(report)
    shown = {frozenset(line.pair) for line in lines}
    more = sum(frozenset((arc.a, arc.b)) not in shown for arc in report.assessment.arcs)
    return View(lines, len(lines) > MOST_UNFOLDED, frozenset(line.way for line in lines), more)
