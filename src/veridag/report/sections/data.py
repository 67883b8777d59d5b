"""The variables of the table, what was done to it, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridag.data import Data
from veridag.data.missingness import cells, heading
from veridag.report.content import Report
from veridag.report.missing_chart import MissingChart, missing_chart

#: The most variables that the table lists.
MOST_VARIABLES = 200
#: The most rows of a table on what goes with missing values.
MOST_FINDINGS = 50

Table = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Gaps:
    """What is missing: how much, what follows from it, a picture, and tables with their headings."""

    heading: str
    verdict: Sequence[str]
    chart: MissingChart
    dependences: Table
    together: Table
    more: int


@dataclass(frozen=True)
class View:
    """What was done to the table, a row of texts for each variable, or the first of them, and what is missing."""

    notes: Sequence[str]
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    variables: int
    gaps: Gaps | None


def view(report: Report) -> View:
    """Each variable, what was done to the table, and what is missing."""
    return view_of(report.data)


def view_of(data: Data) -> View:
    """The same of data."""
    head, *variables = data.describe().cells()
    return View(data.notes, head, variables[:MOST_VARIABLES], len(variables), _gaps(data))


def _gaps(data: Data) -> Gaps | None:
    if not data.incomplete:
        return None
    pattern = data.missing_pattern()
    if not pattern.variables:
        return None
    _, _, (head, *found) = cells(pattern)
    pairs = [(p.first, p.second, str(p.n), f"{p.expected:.1f}", f"{p.p_value:.2g}") for p in pattern.together]
    return Gaps(
        heading=_sentence(heading(pattern)),
        verdict=pattern.verdict,
        chart=missing_chart(pattern),
        dependences=[head, *found[:MOST_FINDINGS]] if found else [],
        together=[("missing", "together with", "rows", "by chance", "p"), *pairs[:MOST_FINDINGS]] if pairs else [],
        more=max(0, len(found) - MOST_FINDINGS) + max(0, len(pairs) - MOST_FINDINGS),
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
