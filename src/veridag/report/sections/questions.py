"""What is open: likely links that are not safe, links whose direction is not safe, and directions that are assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridag.report.content import Report
from veridag.report.lines import Line, lines_of

#: As many questions are asked before the rest is folded up.
MOST_QUESTIONS = 10


@dataclass(frozen=True)
class View:
    """Questions about links and about directions, the first of them apart from the rest; `found` if there are links.

    `assumed` are links with a direction that was not found in the data.
    """

    links: Sequence[Line]
    more_links: Sequence[Line]
    directions: Sequence[Line]
    more_directions: Sequence[Line]
    assumed: Sequence[Line]
    found: bool


def view(report: Report) -> View:
    """What is open in the network shown."""
    lines = lines_of(report)
    links = [line for line in lines if line.standing != "safe"]
    assumed = [line for line in lines if line.way == "assumed"]
    directions = [line for line in lines if line.standing == "safe" and line.way in ("likely", "open")]
    half = MOST_QUESTIONS // 2
    room = max(half, MOST_QUESTIONS - len(directions)), max(half, MOST_QUESTIONS - len(links))
    first, more = (links[: room[0]], directions[: room[1]]), (links[room[0] :], directions[room[1] :])
    return View(first[0], more[0], first[1], more[1], assumed, bool(lines))
