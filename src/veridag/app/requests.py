"""What requests say: the project that an address names, and a body of JSON."""

from __future__ import annotations

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from veridag.errors import InputError

from .project import Project, Projects


def projects_of(request: Request) -> Projects:
    """All projects of this server."""
    projects: Projects = request.app.state.projects
    return projects


def project_of(request: Request) -> Project:
    """The project that an address names; an error that becomes 404 if there is none."""
    return projects_of(request).open(request.path_params["id"])


async def body_of(request: Request) -> dict[str, Any]:
    """The body, an object of JSON; a form that another page sends has another type."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "Only JSON is taken here.")
    try:
        content = json.loads(await request.body())
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InputError("The request is no JSON object.")
    return content
