"""What is open: likely links that are not safe, and links whose direction is not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridag.report.content import Report
from veridag.report.lines import Line, lines_of

#: As many questions are asked before the rest is folded up.
MOST_QUESTIONS = 10


@dataclass(frozen=True)
class View:
    """Questions about links and about directions, the first of them apart from the rest; `found` if there are links."""

    links: Sequence[Line]
    more_links: Sequence[Line]
    directions: Sequence[Line]
    more_directions: Sequence[Line]
    found: bool


def view(report: Report) -> View:
    """What is open in the network shown."""
    lines = lines_of(report)
    links = [line for line in lines if line.standing != "safe"]
    directions = [line for line in lines if line.standing == "safe" and (line.is_open or not line.chance.is_directed)]
    half = MOST_QUESTIONS // 2
    room = max(half, MOST_QUESTIONS - len(directions)), max(half, MOST_QUESTIONS - len(links))
    return View(links[: room[0]], links[room[0] :], directions[: room[1]], directions[room[1] :], bool(lines))
