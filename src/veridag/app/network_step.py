"""The step "The network": what a run found, in the words and drawings of the report, and two runs side by side."""

from __future__ import annotations

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .comparison import chances_of, compare
from .pages import rendered
from .project import Project
from .results import Kept
from .run_step import run_of, view_of
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
    parts = {name: Markup(text) for name in kept.facts["parts"] if (text := kept.part(name)) is not None}
    return rendered("run.html.j2", run=view_of(run, project), parts=parts, drawn=kept.drawn)


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
    found = compare(before.graph, kept.graph, chances_of(before.drawn), chances_of(kept.drawn))
    return rendered("comparison.html.j2", found=found, run=run, other=other)


_RUN = "/project/{id}/runs/{number:int}"
routes = [Route(f"{_RUN}/network", show), Route(f"{_RUN}/compare", side_by_side)]
