"""Why each link has its chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridag.report.content import Report
from veridag.report.lines import Line, lines_of
from veridag.trust.assessment.evidence import SOURCES


@dataclass(frozen=True)
class View:
    """All links with what speaks for them; the sources that there was something of, and those without."""

    lines: Sequence[Line]
    sources: Sequence[str]
    missing: Sequence[str]


def view(report: Report) -> View:
    """The evidence for the links of the page."""
    there = [own is not None for own in report.assessment.evidence.shares]
    return View(
        lines_of(report),
        [source for source, is_there in zip(SOURCES, there, strict=True) if is_there],
        [source for source, is_there in zip(SOURCES, there, strict=True) if not is_there],
    )
