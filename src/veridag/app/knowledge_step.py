"""The step "What you know": tiers, and arcs that are required or forbidden, checked as one whole."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from veridag.errors import InputError
from veridag.graph.knowledge import Knowledge

from .project import Project
from .requests import body_of, project_of
from .table_step import view_of as table_view

_PARTS = ("tiers", "required", "forbidden")
_ARGUMENTS = re.compile(rf"^(?:{'|'.join(_PARTS)})(?:, (?:{'|'.join(_PARTS)}))*: ")

_WORDS = {
    r"the arc (.*) is in both: take it out of one of them": r"the link \1 both must and cannot be there: remove one",
    r"the required arc (.*) goes back": r"the link \1, which must be there, goes back",
    r"the arcs form a cycle, so no DAG has them all": "the links that must be there go round in a circle",
    r": drop (one|it)\b": r": remove \1",
}


def view_of(project: Project) -> dict[str, Any]:
    """What is known, and the variables that it can be about; `absent` are names that are no variables any more."""
    knowledge = project.knowledge() or Knowledge()
    kinds = _kinds(project)
    names = list(kinds)
    said = {part: [list(entry) for entry in getattr(knowledge, part)] for part in _PARTS}
    mentioned = dict.fromkeys(name for entries in said.values() for entry in entries for name in entry)
    absent = [name for name in mentioned if name not in {*names}]
    measurements = [name for name in names if kinds[name] == "continuous"]
    return {
        **said,
        "variables": names,
        "measurements": measurements if len(measurements) < len(names) else [],  # beside categories
        "absent": absent,
        "version": _version(project),
    }


def usable(project: Project) -> Knowledge | None:
    """What is known about the variables that there are now, which is what a run is given; None if that is nothing."""
    knowledge = project.knowledge()
    if knowledge is None:
        return None
    names = {*_kinds(project)}
    tiers = [[name for name in tier if name in names] for tier in knowledge.tiers]
    kept = Knowledge(
        required=[arc for arc in knowledge.required if names.issuperset(arc)],
        forbidden=[arc for arc in knowledge.forbidden if names.issuperset(arc)],
        tiers=[tier for tier in tiers if tier],
    )
    return None if kept == Knowledge() else kept


def _kinds(project: Project) -> dict[str, str]:
    """The variables, each with its kind: one that is cut into bins while learning is a category then."""
    view = table_view(project)
    cut = view["choices"]["discretize"]
    return {
        column["name"]: "discrete" if column["name"] in cut else column["kind"]
        for column in view["columns"]
        if column["kind"] is not None
    }


def change(project: Project, given: dict[str, Any]) -> dict[str, Any]:
    """Know something else, unless it contradicts itself or somebody else changed it in the meantime."""
    with project.lock:
        if given.get("version") != _version(project):
            raise HTTPException(409, "This was changed in another window: what is there now is shown.")
        try:
            knowledge = Knowledge(**{part: given.get(part) or () for part in _PARTS})
        except InputError as error:
            raise InputError(in_words(str(error))) from None
        project.keep_knowledge(knowledge)
    return view_of(project)


def _version(project: Project) -> str:
    return sha256(project.knowledge_text().encode()).hexdigest()[:16]


def in_words(message: str) -> str:
    """A message about knowledge in the words of the page: links, and no names of Python's arguments."""
    text = _ARGUMENTS.sub("", message).replace(" -> ", " → ")
    for said, instead in _WORDS.items():
        text = re.sub(said, instead, text)
    return text[:1].upper() + text[1:]


def show(request: Request) -> Response:
    """What is known."""
    return JSONResponse(view_of(project_of(request)))


async def choose(request: Request) -> Response:
    """All that is known, anew."""
    body = await body_of(request)
    return JSONResponse(await run_in_threadpool(change, project_of(request), body))


routes = [
    Route("/api/projects/{id}/knowledge", show, methods=["GET"]),
    Route("/api/projects/{id}/knowledge", choose, methods=["PUT"]),
]
