"""The first screen: what kind of result this is, and the network as a picture to explore."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from veridag.graph.drawing import svg
from veridag.report.content import Report
from veridag.report.directions import Head
from veridag.report.lines import MOST_AT_START, MOST_DRAWN, MOST_WIDTH, Line, lines_of
from veridag.trust.assessment.chances import VARIABLES
from veridag.trust.assessment.levels import Level
from veridag.trust.assessment.words import expected_sentence, headline_of, level_sentence
from veridag.trust.subsampling import Learner

Pair = tuple[int, int]

#: As much of what would help is said above the drawing, if trust is low.
MOST_HELP = 3


@dataclass(frozen=True)
class View:
    """The words of the assessment, and the drawing.

    `trust` is the level with its hit rate, and empty where a level says nothing. `help` is what would help, if
    trust is low. `shown` lines are drawn at first, and `drawn` once a reader asks for them; `standings` are those that
    occur among them. `untested` is what no table of the tests had: missing values, groups or so many variables.
    `heads` are those of arrows that are drawn, None for a line without. `failed` are all learners that found no
    network, `learners` those to choose from.
    """

    headline: str
    level: Level
    trust: str
    expected: str
    untested: Sequence[str]
    tested_variables: tuple[int, int]
    help: Sequence[str]
    learners: int
    rows: int
    names: Sequence[str]
    drawing: Markup
    shown: int
    drawn: int
    links: int
    standings: frozenset[str]
    heads: frozenset[Head | None]
    failed: Sequence[Learner]


def view(report: Report) -> View:
    """What was found, how good a choice it is, and the drawing."""
    assessment, lines = report.assessment, lines_of(report)
    return View(
        headline=headline_of(assessment),
        level=assessment.level,
        trust=level_sentence(assessment),
        expected=expected_sentence(assessment),
        untested=_untested(report),
        tested_variables=VARIABLES,
        help=assessment.advice[:MOST_HELP] if assessment.level == "low" else (),
        learners=len(assessment.validation.ranked),
        rows=report.data.n,
        names=report.data.names,
        drawing=_drawing(report, lines),
        shown=min(MOST_AT_START, len(lines)),
        drawn=min(MOST_DRAWN, len(lines)),
        links=len(lines),
        standings=frozenset(line.standing for line in lines),
        heads=frozenset(line.head for line in lines),
        failed=[learner for learner in assessment.validation.learners if learner.result is None],
    )


def _untested(report: Report) -> list[str]:
    """What no table had that chances and levels were tested on; few rows have a sentence of their own."""
    data = report.data
    found = {
        "gaps": data.incomplete,
        "groups": data.group is not None,
        "few variables": len(data.names) < VARIABLES[0],
        "many variables": len(data.names) > VARIABLES[1],
    }
    return [name for name, is_so in found.items() if is_so]


def _drawing(report: Report, lines: Sequence[Line]) -> Markup:
    """The picture, laid out for the links that are shown at first; the others are straight lines, hidden until then."""
    at = {name: i for i, name in enumerate(report.data.names)}
    arcs: list[Pair] = []
    edges: list[Pair] = []
    others: list[Pair] = []
    classes: dict[Pair, str] = {}
    for k, line in enumerate(lines[:MOST_DRAWN]):
        pair = at[line.first], at[line.second]
        if k >= MOST_AT_START:
            others.append(pair)
            classes[pair] = f"{line.standing} later"
        else:
            (arcs if line.directed else edges).append(pair)
            classes[pair] = line.classes
    return Markup(svg(report.data.names, arcs, edges, others, arc_classes=classes, most_width=MOST_WIDTH))
