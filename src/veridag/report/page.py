"""The page: which sections there are, in their order. One more is a module, a template and a line, of the same name.

A module in `sections/` prepares the values, and the template of the same name in `templates/` has the words.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from .content import Report
from .rendering import environment
from .script_data import script_data
from .sections import (
    agreement,
    choice,
    curves,
    data,
    distances,
    downloads,
    evidence,
    group_evidence,
    groups,
    learners,
    links,
    making,
    network,
    next_steps,
    parameters,
    questions,
    what_if,
)

Prepare = Callable[[Report], object | None]

#: What prepares a section's values, or None if a report does not have it. Headings are in `page.html.j2`.
RESULTS: Mapping[str, Prepare] = {
    "network": network.view,
    "questions": questions.view,
    "next_steps": next_steps.view,
    "groups": groups.view,
    "links": links.view,
    "what_if": what_if.view,
}
#: The parts of the section on how it was done. Terms of statistics are in these and below them only.
METHOD: Mapping[str, Prepare] = {
    "choice": choice.view,
    "learners": learners.view,
    "evidence": evidence.view,
    "agreement": agreement.view,
    "curves": curves.view,
    "distances": distances.view,
    "group_evidence": group_evidence.view,
    "data": data.view,
    "making": making.view,
}
NUMBERS: Mapping[str, Prepare] = {"parameters": parameters.view, "downloads": downloads.view}
SECTIONS: Mapping[str, Prepare] = {**RESULTS, **METHOD, **NUMBERS}


@dataclass(frozen=True)
class Section:
    """A part of the page, by the name that links lead to, and the values that its template shows."""

    name: str
    view: object

    @property
    def template(self) -> str:
        """The file that has its words."""
        return f"{self.name}.html.j2"


#: The scripts of the page, in the order in which they run.
SCRIPTS = ("page.js", "what_if_engine.js", "what_if.js", "start.js")


def policy() -> str:
    """The page's Content-Security-Policy: it runs these scripts and no others, and loads nothing from anywhere."""
    allowed = [b64encode(sha256(environment().get_template(name).render().encode()).digest()) for name in SCRIPTS]
    scripts = " ".join(f"'sha256-{digest.decode()}'" for digest in allowed)
    # Drawings have styles of their own, and the script sets widths; neither can run anything.
    return f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def fragments(report: Report) -> dict[str, str]:
    """The results of the page, each section alone as HTML without its heading, for a page of another kind."""
    made = sections(report, RESULTS)
    return {section.name: environment().get_template(section.template).render(view=section.view) for section in made}


def page(report: Report) -> str:
    """The report as one HTML file that needs nothing else."""
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            title=report.title,
            rows=report.data.n,
            variables=len(report.data.names),
            groups=None if report.data.group is None else len(report.data.observed_groups),
            results=sections(report, RESULTS),
            method=sections(report, METHOD),
            numbers=sections(report, NUMBERS),
            network=script_data(report),
            version=report.versions["veridag"],
            scripts=SCRIPTS,
            policy=policy(),
            made=f"{report.made:%d %B %Y, %H:%M}",
        )
    )


def sections(report: Report, which: Mapping[str, Prepare] = SECTIONS) -> list[Section]:
    """The sections that a report has, of some or all."""
    views = {name: prepare(report) for name, prepare in which.items()}
    return [Section(name, view) for name, view in views.items() if view is not None]
