"""The pages as HTML, and the files that they load; what is in a project comes from the steps as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from veridag._version import __version__
from veridag.data.reading.formats import FORMATS
from veridag.errors import InputError
from veridag.report import rendering

from .requests import project_of, projects_of
from .results import environment
from .runs import stop_all
from .security import MOST_BYTES

#: The steps of a project in their order: the names of their sections and templates, and their headings.
STEPS = {
    "table": "Your table",
    "knowledge": "What you know",
    "learn": "Learn and assess",
    "network": "The network",
    "what-if": "What if",
    "export": "Take it with you",
}
#: What the report is made of and this page loads as files.
SHARED = {"page.css": "text/css", "page.js": "text/javascript"}
SHARED |= dict.fromkeys(("what_if.js", "what_if_engine.js"), "text/javascript")
_STATIC = Path(__file__).with_name("static")


def rendered(template: str, **values: Any) -> HTMLResponse:
    """A page or a part of one."""
    return HTMLResponse(environment().get_template(template).render(**values))


def index(request: Request) -> Response:
    """All projects, and the place to drop a table."""
    suffixes = [suffix for format in FORMATS for suffix in format.suffixes]
    return rendered(
        "projects.html.j2",
        projects=list(projects_of(request)),
        suffixes=[*suffixes, ".gz", ".zip"],
        most_bytes=request.scope[MOST_BYTES],
        version=__version__,
    )


def show(request: Request) -> Response:
    """The page of a project, with all steps."""
    return rendered("project.html.j2", project=project_of(request), steps=STEPS, version=__version__)


async def create(request: Request) -> Response:
    """A new project from an uploaded table; what the file is called decides nothing but its format."""
    async with request.form(max_files=1, max_fields=1) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise InputError("There is no table in this request: send it as the field 'file'.")
        made = await run_in_threadpool(projects_of(request).create, file.filename or "", file.file)
    return JSONResponse({"id": made.id, "url": f"/project/{made.id}"}, 201)


def listed(request: Request) -> Response:
    """All projects, the newest first."""
    return JSONResponse([{"id": p.id, "name": p.name, "created": p.created} for p in projects_of(request)])


def remove(request: Request) -> Response:
    """Delete a project; what is at work for it ends."""
    stop_all(project_of(request).folder)
    projects_of(request).remove(request.path_params["id"])
    return JSONResponse({})


def shared(request: Request) -> Response:
    """A script or the style sheet of the report, as the report has it."""
    name = request.path_params["name"]
    if name not in SHARED:
        raise HTTPException(404)
    text = rendering.environment().get_template(name).render()
    return Response(text, media_type=SHARED[name], headers={"Cache-Control": "no-cache"})


class Static(StaticFiles):
    """Our own files, which the browser keeps but asks about, so that a new version counts at once."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        """The file, or that it has not changed."""
        answer = super().file_response(*arguments, **options)
        answer.headers["Cache-Control"] = "no-cache"
        return answer


routes: list[Route | Mount] = [
    Route("/", index),
    Route("/project/{id}", show),
    Route("/api/projects", listed, methods=["GET"]),
    Route("/api/projects", create, methods=["POST"]),
    Route("/api/projects/{id}", remove, methods=["DELETE"]),
    Route("/static/report/{name}", shared),
    Mount("/static", Static(directory=_STATIC)),
]
