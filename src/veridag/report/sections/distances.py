"""How far the learners' graphs are apart, as a heat map: numbers on a ground that is the darker the farther."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridag.report.comparison import in_order, pairwise_distances
from veridag.report.content import Report

#: The share of the accent colour behind the largest distance, in percent.
HOTTEST = 70


@dataclass(frozen=True)
class Cell:
    """A distance, and how dark its ground is in percent."""

    distance: int
    heat: int


@dataclass(frozen=True)
class Row:
    """The distances of one learner to all, itself included."""

    label: str
    cells: Sequence[Cell]


@dataclass(frozen=True)
class View:
    """A row for each learner, the recommended first."""

    rows: Sequence[Row]


def view(report: Report) -> View:
    """How far the learners' graphs from all of the data are apart."""
    order, values = in_order(report.assessment), pairwise_distances(report.assessment)
    most = max(1, *(max(row) for row in values))
    return View(
        [
            Row(learner.label, [Cell(value, round(HOTTEST * value / most)) for value in row])
            for learner, row in zip(order, values, strict=True)
        ]
    )
