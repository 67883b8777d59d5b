"""The fitted distribution of each variable given its parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from veridag.report.content import Report
from veridag.report.distributions import LEVEL, described, intervals_shown, most_configurations, shows_intervals

#: More variables than this are folded up together.
MOST_UNFOLDED = 60

#: Digits of probabilities after the point.
DIGITS = 3


@dataclass(frozen=True)
class Variable:
    """A variable, and its table or equation as `described` gives it; `intervals` if the page has room for them."""

    name: str
    facts: dict[str, Any]
    intervals: dict[str, Any] | None = None


@dataclass(frozen=True)
class View:
    """The variables of the fitted network, or why there is none if that is known; `has_open` if a direction is open.

    `intervals` says whether they are shown, or left out as too many; they cannot be had if there are `gaps`.
    """

    fitted: bool
    why_not: str | None
    kind: str
    has_groups: bool
    variables: Sequence[Variable]
    folded: bool
    gaps: bool = False
    has_open: bool = False
    intervals: bool = False
    level: float = LEVEL


def view(report: Report) -> View:
    """The parameters of the recommended network."""
    fitted, has_groups = report.network, report.data.group is not None
    if fitted is None:
        return View(False, report.missing.get("network"), "", has_groups, (), False)
    most = most_configurations(fitted)
    shown = shows_intervals(fitted, most)
    variables = [
        Variable(name, described(fitted, name, most, DIGITS), intervals_shown(fitted, name, most) if shown else None)
        for name in fitted.dag.names
    ]
    folded, gaps = len(variables) > MOST_UNFOLDED, fitted.fitted is not None
    return View(True, None, fitted.kind, has_groups, variables, folded, gaps, bool(report.graph.edges), shown)
