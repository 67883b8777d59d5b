"""The page: a head, and sections one after the other. One more section is one function and one line in SECTIONS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files

from .content import Report
from .downloads import downloads
from .groups import groups
from .heat import distances
from .markup import Markup, joined, safe, tag
from .payload import payload
from .picture import network, parameters
from .sections import agreement, curves, data_profile, learners, making
from .verdict import recommendation


def _always(report: Report) -> bool:
    del report
    return True


def _has_groups(report: Report) -> bool:
    return report.data.group is not None


@dataclass(frozen=True)
class Section:
    """A part of the page: where links lead to, its heading, what writes it, and which reports have it."""

    anchor: str
    heading: str
    write: Callable[[Report], Markup]
    belongs_to: Callable[[Report], bool] = _always


SECTIONS = (
    Section("recommendation", "Which learner to trust", recommendation),
    Section("network", "The network", network),
    Section("groups", "Where the groups differ", groups, _has_groups),
    Section("agreement", "Agreed and contested", agreement),
    Section("curves", "Learning curves", curves),
    Section("distances", "Distances", distances),
    Section("learners", "The learners", learners),
    Section("parameters", "Parameters", parameters),
    Section("data", "The data", data_profile),
    Section("downloads", "Downloads", downloads),
    Section("making", "How this page was made", making),
)


def page(report: Report) -> str:
    """The report as one HTML file that needs nothing else."""
    asset = files(__package__)
    style = Markup(asset.joinpath("page.css").read_text("utf-8"))
    sections = [section for section in SECTIONS if section.belongs_to(report)]
    links = joined(*(tag("a", section.heading, href=f"#{section.anchor}") for section in sections))
    head = joined(
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        tag("title", f"{report.title}: which structure learner to trust"),
        tag("style", style),
    )
    body = joined(
        _masthead(report),
        tag("nav", links, aria_label="Sections"),
        tag("main", *(_written(section, report) for section in sections)),
        tag("script", payload(report), type="application/json", id="network-data"),
        tag("script", Markup(asset.joinpath("page.js").read_text("utf-8"))),
        tag("footer", f"veridag {report.versions['veridag']}, {report.made:%d %B %Y, %H:%M} UTC"),
    )
    return f"<!doctype html>\n{tag('html', tag('head', head), tag('body', body), lang='en')}\n"


def _masthead(report: Report) -> Markup:
    data = report.data
    counts = f"{data.n:,} observations of {len(data.names)} {data.kind} variables".replace(",", "\u202f")
    if data.group is not None:
        counts += f" in {len(data.observed_groups)} groups"
    return tag("header", tag("h1", report.title), tag("p", counts))


def _written(section: Section, report: Report) -> Markup:
    heading = tag("h2", section.heading, id=f"{section.anchor}-heading")
    return tag(
        "section", heading, safe(section.write(report)), id=section.anchor, aria_labelledby=f"{section.anchor}-heading"
    )
