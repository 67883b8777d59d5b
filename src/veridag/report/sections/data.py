"""The variables of the table, and what was done to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridag.report.content import Report

#: The most variables that the table lists.
MOST_VARIABLES = 200


@dataclass(frozen=True)
class View:
    """What was done to the table, and a row of texts for each variable, or the first of them."""

    notes: Sequence[str]
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    variables: int


def view(report: Report) -> View:
    """Each variable, and what was done to the table."""
    head, *variables = report.data.describe().cells()
    return View(report.data.notes, head, variables[:MOST_VARIABLES], len(variables))
