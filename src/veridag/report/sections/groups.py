"""Where related data sets differ: which arcs hold in which groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from veridag.data import Data
from veridag.report.content import Report
from veridag.trust.differences import Arc, GroupDifferences

from .network import MOST_DRAWN

#: The most groups that the table shows; the file to download has them all.
MOST_GROUPS = 20

#: As many arcs are named as absent somewhere before the rest is folded up.
MOST_FLAGS = 12


@dataclass(frozen=True)
class Flag:
    """An arc that is absent in some groups."""

    arc: Arc
    absent: Sequence[str]
    present: Sequence[str]
    undecided: Sequence[str]


@dataclass(frozen=True)
class Cell:
    """The evidence for an arc in a group as text, what follows from it, and how strongly in percent."""

    evidence: str
    verdict: str
    heat: int


@dataclass(frozen=True)
class Row:
    """The evidence for an arc in each group that is shown."""

    arc: Arc
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Differences:
    """What was found: flags in words, the rows of the table, and a drawing unless there are too many arcs."""

    arcs: int
    common: int
    flags: Sequence[Flag]
    more_flags: Sequence[Flag]
    drawing: Markup | None
    threshold: float
    groups: int
    shown: Sequence[str]
    rows: Sequence[Row]


@dataclass(frozen=True)
class View:
    """The groups and their numbers of rows; where they differ, or why that is not known."""

    sizes: dict[str, int]
    differences: Differences | None
    why_not: str | None


def view(report: Report) -> View | None:
    """Which arcs of the recommended network hold in which groups."""
    if report.data.group is None:
        return None
    sizes, found = group_sizes(report.data), report.differences
    if found is None:
        return View(sizes, None, report.missing.get("groups"))
    return View(sizes, _differences(found, sizes, f"{report.validation.best.label}: arcs by group"), None)


def group_sizes(data: Data) -> dict[str, int]:
    """The number of rows of each group that has any."""
    assert data.group is not None
    weights = np.ones(data.nrows, np.int64) if data.weights is None else data.weights
    sizes = np.bincount(data.group, weights, len(data.groups)).astype(int).tolist()
    return {label: size for label, size in zip(data.groups, sizes, strict=True) if size}


def _differences(found: GroupDifferences, sizes: dict[str, int], title: str) -> Differences:
    flags = [_flag(found, arc) for arc in sorted(found.absent, key=lambda arc: -len(found.absent[arc]))]
    largest = sorted(found.groups, key=lambda group: -sizes[group])[:MOST_GROUPS]
    shown = [group for group in found.groups if group in largest]
    return Differences(
        arcs=len(found.arcs),
        common=len(found.common),
        flags=flags[:MOST_FLAGS],
        more_flags=flags[MOST_FLAGS:],
        drawing=Markup(found.to_svg(title)) if 0 < len(found.arcs) <= MOST_DRAWN else None,
        threshold=found.threshold,
        groups=len(found.groups),
        shown=shown,
        rows=_rows(found, shown),
    )


def _flag(found: GroupDifferences, arc: Arc) -> Flag:
    absent, present = found.absent[arc], found.present.get(arc, ())
    unsure = [group for group in found.groups if group not in absent and group not in present]
    return Flag(arc, absent, present, unsure)


def _rows(found: GroupDifferences, shown: Sequence[str]) -> list[Row]:
    columns = [found.groups.index(group) for group in shown]
    most = max([1.0, *np.abs(found.evidence).ravel().tolist()])

    def cell(arc: Arc, value: float, group: str) -> Cell:
        verdict = found.verdict(arc, group)
        heat = round(15 + 45 * min(1.0, abs(value) / most)) if verdict != "undecided" else 0
        return Cell(f"{value:+.1f}".replace("-", "−"), verdict, heat)

    return [
        Row(arc, [cell(arc, float(evidence[j]), found.groups[j]) for j in columns])
        for arc, evidence in zip(found.arcs, found.evidence, strict=True)
    ]
