"""The step "Your table": the kind of each column, the problems found, and every choice as a click."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

from cachetools import LRUCache
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from veridag.data.inspection import Inspection, inspect
from veridag.data.reading import Finding, tables_of
from veridag.data.reading.formats import FORMATS
from veridag.data.remembering import Memory, remembering
from veridag.data.settings import TableSettings
from veridag.errors import InputError, Setting, speaking_page

from .choices import changed, remedy_of
from .project import Project
from .requests import body_of, project_of

_MOST_STATES = 60  # that the page lists of a column
_LEAST = 2  # variables that something can be learned about

# One table at a time: reading takes memory.
_reading = threading.Lock()
_views: LRUCache[tuple[str, bytes], dict[str, Any]] = LRUCache(16)
_looking = threading.Lock()  # for the views
# A choice about a column is answered at once, since all others are remembered: of the tables that were looked at last.
_memories: LRUCache[str, Memory] = LRUCache(2)
_LARGEST = 1 << 26  # bytes of a table that is remembered: it takes several times its file in memory


def look(project: Project, settings: TableSettings, *, pattern: bool = False) -> Inspection:
    """The table as it is read with these settings, with messages in the words of the page."""
    with _reading, speaking_page(), _memory_of(project):
        try:
            return inspect(project.table, settings, beside=False, pattern=pattern)
        except InputError as error:
            raise InputError(str(error).replace(str(project.table), f"“{project.name}”")) from None


def _memory_of(project: Project) -> AbstractContextManager[None]:
    """What is remembered of a table; see `veridag.data.remembering`."""
    if not project.table.is_file() or project.table.stat().st_size > _LARGEST:
        return nullcontext()
    return remembering(_memories.setdefault(project.id, Memory()))


def view_of(project: Project) -> dict[str, Any]:
    """What the page shows of the table, also if it cannot be read yet."""
    settings = project.settings()
    key = _key(project)
    with _looking:
        view = _views.get(key)
    if view is None:
        try:
            view = _described(look(project, settings))
        except InputError as error:
            view = {"rows": 0, "columns": [], "notes": [], "problems": [], "gaps": False, "ready": False}
            view["error"] = str(error)
        with _looking:
            _views[key] = view
    said = {"name": project.name, "version": project.version, "choices": _chosen(settings)}
    return {**said, "tables": _tables(project.table), "takes": _takes(project.table.name), **view}


def _takes(name: str) -> list[str]:
    """Which choices about the file mean something for its format; an archive can hold any."""
    plain = name.removesuffix(".gz")
    return next(
        (list(format.takes) for format in FORMATS if plain.endswith(format.suffixes)), ["separator", "encoding"]
    )


@lru_cache(64)
def _tables(path: Path) -> list[str]:
    """The sheets or tables to choose from; the file of a project never changes."""
    try:
        return tables_of(path)
    except InputError:
        return []


def change(project: Project, wanted: object) -> dict[str, Any]:
    """Keep a choice, if the table can be read with it."""
    with project.lock:
        settings = changed(project.settings(), wanted)
        view = _described(look(project, settings))
        project.keep_settings(settings)
        with _looking:
            _views[_key(project)] = view
    return view_of(project)


def _key(project: Project) -> tuple[str, bytes]:
    """What a view depends on."""
    file = project.settings_file
    return project.id, file.read_bytes() if file.is_file() else b""


def _chosen(settings: TableSettings) -> dict[str, Any]:
    """What has been chosen, by field."""
    fields = ("group", "weights", "targets", "missing", "separator", "decimal", "encoding", "sheet")
    single = {field: getattr(settings, field) for field in fields}
    single = {field: value if isinstance(value, str) else None for field, value in single.items()}
    lists = {
        field: [*value] if isinstance(value := getattr(settings, field), Sequence) else []
        for field in ("drop", "as_written")
    }
    return {**single, **lists, **_by_column(settings)}


def _by_column(settings: TableSettings) -> dict[str, Any]:
    fields = ("kinds", "states", "missing_values", "merge_states", "discretize", "transform", "merge_rare")
    return {field: value if isinstance(value := getattr(settings, field), Mapping) else {} for field in fields}


def _described(inspection: Inspection) -> dict[str, Any]:
    data = inspection.data
    described = {row["name"]: dict(row) for row in data.describe().rows}
    roles = {inspection.targets: "targets", inspection.group: "group", inspection.weights: "weights"}
    names = (*inspection.columns, *(name for name in data.names if name not in inspection.columns))
    columns = [_column(name, described.get(name), roles.get(name), inspection) for name in names]
    return {
        "rows": data.nrows,
        "columns": columns,
        "notes": list(inspection.other_notes),
        "problems": [_problem(finding) for finding in inspection.findings],
        "gaps": any(column.get("missing") for column in columns),
        "ready": len(data.names) >= _LEAST,
        "error": None if len(data.names) >= _LEAST else "There must be two variables at least: use more columns.",
    }


def _column(name: str, facts: dict[str, Any] | None, role: str | None, inspection: Inspection) -> dict[str, Any]:
    """A column as the page shows it; one without facts is no variable."""
    if facts is None:
        left_out = next(
            (f.problem for f in inspection.findings if f.column == name and f.done == "left out"), "your choice"
        )
        return {"name": name, "kind": None, "role": role, "rule": "" if role else left_out}
    shown = {key: value if not isinstance(value, float) or isfinite(value) else None for key, value in facts.items()}
    if facts["kind"] == "discrete":
        counts = inspection.counts(name)
        shown["counts"] = [[state, count] for state, count in list(counts.items())[:_MOST_STATES]]
    added = name not in inspection.columns
    rule = "your choice" if isinstance(facts["rule"], Setting) else str(facts["rule"])
    return {**shown, "name": name, "role": None, "added": added, "rule": rule}


def _problem(finding: Finding) -> dict[str, Any]:
    problem = "your choice" if isinstance(finding.problem, Setting) else finding.problem
    return {
        "column": finding.column,
        "problem": problem,
        "evidence": finding.evidence,
        "done": finding.done,
        "remedy": remedy_of(finding.change),
    }


def show(request: Request) -> Response:
    """What the page shows of the table."""
    return JSONResponse(view_of(project_of(request)))


def missing(request: Request) -> Response:
    """Where values are missing, in sentences: what goes with what is looked for only if somebody wants to know it."""
    project = project_of(request)
    found = look(project, project.settings(), pattern=True).missing
    lines = [] if found is None or not found.variables else found.brief().splitlines()
    return JSONResponse({"lines": [line.strip() for line in lines]})


async def choose(request: Request) -> Response:
    """A click: `{"change": {...}}`."""
    body = await body_of(request)
    return JSONResponse(await run_in_threadpool(change, project_of(request), body.get("change")))


routes = [
    Route("/api/projects/{id}/table", show, methods=["GET"]),
    Route("/api/projects/{id}/table", choose, methods=["POST"]),
    Route("/api/projects/{id}/missing", missing, methods=["GET"]),
]
