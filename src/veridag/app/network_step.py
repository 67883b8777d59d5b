"""The step "The network": what a run found, in the words and drawings of the report, and two runs side by side."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from veridag.graph import DAG, InvalidGraph
from veridag.graph.knowledge import Knowledge

from . import knowledge_step
from .changes import changes_since
from .comparison import compare
from .pages import rendered
from .project import Project
from .requests import project_of
from .results import Kept
from .run_step import listing, run_of
from .runs import Run, Runs


def kept_of(request: Request) -> tuple[Project, Run, Kept]:
    """The run that an address names, with what it found."""
    project, run = run_of(request)
    if not run.kept:
        raise HTTPException(404, f"Run {run.number} has no result.")
    return project, run, _kept(project, run.number)


def _kept(project: Project, number: int) -> Kept:
    with Runs(project.folder) as runs:
        return Kept(runs.folder(number))


def show(request: Request) -> Response:
    """The network of a run, with what is open, what to do next, where groups differ, and all links."""
    project, run, kept = kept_of(request)
    facts = kept.facts
    parts = {name: Markup(text) for name in facts["parts"] if (text := kept.part(name)) is not None}
    listed = listing(project)
    shown = next(one for one in listed if one["number"] == run.number)
    complete = next((one["number"] for one in listed if one["status"] == "done" and one["kept"]), None)
    drawn, partial = kept.drawn, facts.get("partial", True)
    told = {"drawn": drawn, "asked": _asked(drawn), "parts": parts}
    return rendered("run.html.j2", run=shown, complete=complete, partial=partial, **told)


def _asked(drawn: dict[str, Any]) -> list[tuple[str, str]]:
    """The measurements and categories of links whose direction was assumed: may the former be a cause?"""
    names, found = drawn["names"], []
    for link in drawn["links"]:
        cause = link.get("cause")
        if cause is not None:
            found.append((names[cause], names[link["to"] if cause == link["from"] else link["from"]]))
    return found


def side_by_side(request: Request) -> Response:
    """What differs from another run of the project."""
    project, run, kept = kept_of(request)
    try:
        with Runs(project.folder) as runs:
            other = runs.get(int(request.query_params.get("with", "")))
    except ValueError:  # also of a run that is not there
        raise HTTPException(404, "There is no such run to compare with.") from None
    if not other.kept:
        raise HTTPException(404, f"Run {other.number} has no result to compare with.")
    before = _kept(project, other.number)
    found = compare(before.graph, kept.graph, before.chances, kept.chances)
    changes = changes_since(other, run, project.folder)
    return rendered("comparison.html.j2", found=found, run=run, other=other, changes=changes)


def decisions(request: Request) -> Response:
    """Why each decision about two variables cannot be made, or need not, by what is known now; null if it can."""
    project = project_of(request)
    a, b = (request.query_params.get(name, "") for name in ("from", "to"))
    known = knowledge_step.usable(project) or Knowledge()
    return JSONResponse(
        {"forward": _objection(known, a, b), "backward": _objection(known, b, a), "none": _none(known, a, b)}
    )


def _objection(known: Knowledge, a: str, b: str) -> str | None:
    """Why the arc a -> b cannot be required, or need not be."""
    if (a, b) in known.required:
        return "You have said so already."
    tiers = {name: k for k, tier in enumerate(known.tiers, 1) for name in tier}
    if a in tiers and b in tiers and tiers[a] > tiers[b]:
        return f"Your tiers put {b} before {a}."
    others = [arc for arc in known.required if {*arc} != {a, b}]
    try:
        DAG.from_arcs([*others, (a, b)])
    except InvalidGraph as error:
        return f"The links that must be there would go round in a circle: {' → '.join(error.witness)}."
    return None


def _none(known: Knowledge, a: str, b: str) -> str | None:
    """Why it need not be said that there is no link."""
    return "You have said so already." if {(a, b), (b, a)} <= {*known.forbidden} else None


_RUN = "/project/{id}/runs/{number:int}"
routes = [
    Route(f"{_RUN}/network", show),
    Route(f"{_RUN}/compare", side_by_side),
    Route("/api/projects/{id}/decisions", decisions, methods=["GET"]),
]
