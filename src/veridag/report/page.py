"""The page: which sections there are, in their order. One more is a module, a template and a line, of the same name.

A module in `sections/` prepares the values, and the template of the same name in `templates/` has the words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .content import Report
from .rendering import environment
from .script_data import script_data
from .sections import (
    agreement,
    curves,
    data,
    distances,
    downloads,
    groups,
    learners,
    making,
    network,
    parameters,
    recommendation,
)

#: What prepares a section's values, or None if a report does not have it. Headings are in `page.html.j2`.
SECTIONS: Mapping[str, Callable[[Report], object | None]] = {
    "recommendation": recommendation.view,
    "network": network.view,
    "groups": groups.view,
    "agreement": agreement.view,
    "curves": curves.view,
    "distances": distances.view,
    "learners": learners.view,
    "parameters": parameters.view,
    "data": data.view,
    "downloads": downloads.view,
    "making": making.view,
}


@dataclass(frozen=True)
class Section:
    """A part of the page, by the name that links lead to, and the values that its template shows."""

    name: str
    view: object

    @property
    def template(self) -> str:
        """The file that has its words."""
        return f"{self.name}.html.j2"


def page(report: Report) -> str:
    """The report as one HTML file that needs nothing else."""
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            title=report.title,
            rows=report.data.n,
            variables=len(report.data.names),
            kind=report.data.kind,
            groups=None if report.data.group is None else len(report.data.observed_groups),
            sections=sections(report),
            network=script_data(report),
            version=report.versions["veridag"],
            made=f"{report.made:%d %B %Y, %H:%M}",
        )
    )


def sections(report: Report) -> list[Section]:
    """The sections that a report has."""
    views = {name: prepare(report) for name, prepare in SECTIONS.items()}
    return [Section(name, view) for name, view in views.items() if view is not None]
