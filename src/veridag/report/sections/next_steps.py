"""What to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridag.report.content import Report


@dataclass(frozen=True)
class View:
    """What would help, the most helpful first."""

    advice: Sequence[str]
    links: int


def view(report: Report) -> View:
    """What would help."""
    graph = report.graph
    return View(report.assessment.advice, len(graph.arcs) + len(graph.edges))
