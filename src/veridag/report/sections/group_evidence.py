"""The evidence for each link in each group, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from veridag.report.content import Report
from veridag.trust.differences import Arc, GroupDifferences

from .groups import group_sizes, is_directed

#: The most groups that the table shows; the file to download has them all.
MOST_GROUPS = 20


@dataclass(frozen=True)
class Cell:
    """The evidence for a link in a group as text, what follows from it, and how strongly in percent."""

    evidence: str
    verdict: str
    heat: int


@dataclass(frozen=True)
class Row:
    """The evidence for a link in each group that is shown."""

    arc: Arc
    directed: bool
    cells: Sequence[Cell]


@dataclass(frozen=True)
class View:
    """The rows of the table; `shown` are the largest of so many `groups`."""

    threshold: float
    groups: int
    shown: Sequence[str]
    rows: Sequence[Row]


def view(report: Report) -> View | None:
    """The evidence, if there are groups and links that could differ between them."""
    found = report.differences
    if found is None or not found.arcs:
        return None
    sizes = group_sizes(report.data)
    largest = sorted(found.groups, key=lambda group: -sizes[group])[:MOST_GROUPS]
    shown = [group for group in found.groups if group in largest]
    return View(found.threshold, len(found.groups), shown, _rows(report, found, shown))


def _rows(report: Report, found: GroupDifferences, shown: Sequence[str]) -> list[Row]:
    columns = [found.groups.index(group) for group in shown]
    most = max([1.0, *np.abs(found.evidence).ravel().tolist()])

    def cell(arc: Arc, value: float, group: str) -> Cell:
        verdict = found.verdict(arc, group)
        heat = round(15 + 45 * min(1.0, abs(value) / most)) if verdict != "undecided" else 0
        return Cell(f"{value:+.1f}".replace("-", "−"), verdict, heat)

    return [
        Row(arc, is_directed(report, arc), [cell(arc, float(evidence[j]), found.groups[j]) for j in columns])
        for arc, evidence in zip(found.arcs, found.evidence, strict=True)
    ]
