"""Where related data sets differ: which links hold in which groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from veridag.data import Data
from veridag.graph.drawing import svg
from veridag.report.content import Report
from veridag.report.lines import MOST_AT_START, MOST_WIDTH, lines_of
from veridag.trust.differences import Arc, GroupDifferences

#: As many arcs are named as absent somewhere before the rest is folded up.
MOST_FLAGS = 12


@dataclass(frozen=True)
class Flag:
    """A link that is absent in some groups; `directed` as in the network shown."""

    arc: Arc
    directed: bool
    absent: Sequence[str]
    present: Sequence[str]
    undecided: Sequence[str]


@dataclass(frozen=True)
class Differences:
    """What was found: flags in words, and a drawing of the `drawn` surest links."""

    arcs: int
    common: int
    flags: Sequence[Flag]
    more_flags: Sequence[Flag]
    drawing: Markup | None
    drawn: int


@dataclass(frozen=True)
class View:
    """The groups and their numbers of rows; where they differ, or why that is not known."""

    sizes: dict[str, int]
    differences: Differences | None
    why_not: str | None


def view(report: Report) -> View | None:
    """Which links of the network hold in which groups."""
    if report.data.group is None:
        return None
    sizes, found = group_sizes(report.data), report.differences
    if found is None:
        return View(sizes, None, report.missing.get("groups"))
    return View(sizes, _differences(report, found), None)


def group_sizes(data: Data) -> dict[str, int]:
    """The number of rows of each group that has any."""
    assert data.group is not None
    weights = np.ones(data.nrows, np.int64) if data.weights is None else data.weights
    sizes = np.bincount(data.group, weights, len(data.groups)).astype(int).tolist()
    return {label: size for label, size in zip(data.groups, sizes, strict=True) if size}


def is_directed(report: Report, arc: Arc) -> bool:
    """Whether the network shown has this direction; groups are compared by one of the networks of its class."""
    return arc in set(report.graph.arcs)


def _differences(report: Report, found: GroupDifferences) -> Differences:
    flags = [_flag(report, found, arc) for arc in sorted(found.absent, key=lambda arc: -len(found.absent[arc]))]
    drawing, drawn = _drawing(report, found)
    return Differences(
        arcs=len(found.arcs),
        common=len(found.common),
        flags=flags[:MOST_FLAGS],
        more_flags=flags[MOST_FLAGS:],
        drawing=drawing,
        drawn=drawn,
    )


def _drawing(report: Report, found: GroupDifferences) -> tuple[Markup | None, int]:
    """The links that the first drawing begins with, in the same directions, and how many these are."""
    at = {name: i for i, name in enumerate(report.data.names)}
    lines = [line for line in lines_of(report)[:MOST_AT_START] if line.standing != "beyond"]
    if not lines:
        return None, 0
    absent = {frozenset(arc) for arc in found.absent}
    pairs = {(at[line.first], at[line.second]): line for line in lines}
    classes = {pair: "partial" if frozenset(line.pair) in absent else "common" for pair, line in pairs.items()}
    arcs = [pair for pair, line in pairs.items() if line.directed]
    edges = [pair for pair, line in pairs.items() if not line.directed]
    return Markup(svg(report.data.names, arcs, edges, arc_classes=classes, most_width=MOST_WIDTH)), len(lines)


def _flag(report: Report, found: GroupDifferences, arc: Arc) -> Flag:
    absent, present = found.absent[arc], found.present.get(arc, ())
    unsure = [group for group in found.groups if group not in absent and group not in present]
    return Flag(arc, is_directed(report, arc), absent, present, unsure)
