"""The step "Learn and assess": starting runs, how far they are, cancelling them and doing them again."""

from __future__ import annotations

import os
import shutil
import time
from itertools import zip_longest
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from veridag.errors import InputError

from . import knowledge_step, table_step
from .asked import Asked
from .changes import changes_since
from .project import Project
from .queue import Queue
from .requests import body_of, project_of
from .runs import Run, Runs


def queue_of(request: Request) -> Queue:
    """The queue of this server."""
    queue: Queue = request.app.state.queue
    return queue


def run_of(request: Request) -> tuple[Project, Run]:
    """The run that an address names, and its project; an error that becomes 404 if there is none."""
    project = project_of(request)
    with Runs(project.folder) as runs:
        try:
            return project, runs.get(int(request.path_params["number"]))
        except (InputError, ValueError):
            raise HTTPException(404, "There is no such run: it may have been deleted.") from None


def listing(project: Project) -> list[dict[str, Any]]:
    """All runs of a project for the page, the newest first, each with what differs from the run before it."""
    with Runs(project.folder) as runs:
        found = runs.all()
    return [view_of(run, project, before) for run, before in zip_longest(found, found[1:])]


def view_of(run: Run, project: Project, before: Run | None) -> dict[str, Any]:
    """A run for the page. `changed` if the table is read otherwise now, or other things are known.

    `changes` are those since the run `before`, None if there is none.
    """
    asked, known = run.asked, run.asked.knowledge
    end = time.time() if run.ended is None else run.ended
    return {
        "number": run.number,
        "status": run.status,
        "mode": asked.mode,
        "minutes": asked.minutes,
        "seed": asked.seed,
        "made": run.made,
        "elapsed": None if run.started is None else max(0.0, end - run.started),
        "label": run.label,
        "done": run.done,
        "total": run.total,
        "time_left": run.time_left,
        "stopping": run.stop > 0,
        "error": run.error,
        "kept": run.kept,
        "known": None if known is None else known.describe(),
        "changed": run.version != project.version,
        "before": None if before is None else before.number,
        "changes": None if before is None else changes_since(before, run, project.folder),
    }


def _view(project: Project, number: int) -> dict[str, Any]:
    """One of the runs for the page."""
    return next(run for run in listing(project) if run["number"] == number)


def add(project: Project, given: dict[str, Any]) -> Run:
    """Queue a run of the table as it is read now, with what is known now; later changes do not reach it."""
    if unknown := {*given} - {"mode", "minutes", "seed"}:
        raise InputError(f"There is no setting {min(unknown)!r} of a run.")
    if not table_step.view_of(project)["ready"]:
        raise HTTPException(409, "The table cannot be read yet: see to its problems in the first step.")
    with project.lock:
        asked = Asked(project.name, project.table.name, **given).knowing(knowledge_step.usable(project))
        version = project.version

        def fill(folder: Path) -> None:
            _link(project.table, folder / project.table.name)
            if project.settings_file.is_file():
                shutil.copyfile(project.settings_file, folder / project.settings_file.name)

        with Runs(project.folder) as runs:
            return runs.add(asked, version, fill)


def _link(table: Path, copy: Path) -> None:
    """The same file under another name, where the file system has that; else a copy."""
    try:
        os.link(table, copy)
    except OSError:
        shutil.copyfile(table, copy)


def listed(request: Request) -> Response:
    """All runs of a project, the newest first."""
    return JSONResponse({"runs": listing(project_of(request))})


async def start(request: Request) -> Response:
    """Queue a run."""
    project, body = project_of(request), await body_of(request)
    run = await run_in_threadpool(add, project, body)
    queue_of(request).wake()
    return JSONResponse(_view(project, run.number), 201)


def cancel(request: Request) -> Response:
    """Stop a run; what there is is kept. The second time it stops at once."""
    project, run = run_of(request)
    with Runs(project.folder) as runs:
        runs.ask_to_stop(run.number)
    return JSONResponse(_view(project, run.number))


def again(request: Request) -> Response:
    """Do a run again that failed, or was cancelled or interrupted."""
    project, run = run_of(request)
    with Runs(project.folder) as runs:
        if run.status == "running" or not runs.queue_again(run.number):
            raise HTTPException(409, f"Run {run.number} is {run.status}: only one that has no result is done again.")
    queue_of(request).wake()
    return JSONResponse(_view(project, run.number))


def remove(request: Request) -> Response:
    """Delete a run with its files."""
    project, run = run_of(request)
    with Runs(project.folder) as runs:
        try:
            runs.remove(run.number)
        except InputError as error:
            raise HTTPException(409, str(error)) from None
    return JSONResponse({})


_RUNS = "/api/projects/{id}/runs"
routes = [
    Route(_RUNS, listed, methods=["GET"]),
    Route(_RUNS, start, methods=["POST"]),
    Route(f"{_RUNS}/{{number:int}}/cancel", cancel, methods=["POST"]),
    Route(f"{_RUNS}/{{number:int}}/again", again, methods=["POST"]),
    Route(f"{_RUNS}/{{number:int}}", remove, methods=["DELETE"]),
]
