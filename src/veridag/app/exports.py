"""The step "Take it with you": what a run found as files, and what repeats it."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from veridag.data.settings import TableSettings, settings_path
from veridag.errors import InputError
from veridag.report.page import policy

from .asked import Asked
from .network_step import kept_of
from .repeating import file_of, script_of, settings_of, shell_of

#: What a run may have left in its folder, by name: its type, and what it is.
FILES: Mapping[str, tuple[str, str]] = {
    "report.html": ("text/html", "the report: one page that can be sent by mail and opened in any browser"),
    "network.bif": ("text/plain", "the network with its probabilities, for other programs"),
    "network.json": ("application/json", "the network with its probabilities or equations, for veridag"),
    "graph.json": ("application/json", "the graph alone: arrows, and lines without direction"),
    "links.csv": ("text/csv", "the links as a table for a spreadsheet"),
    "graph.svg": (
        "image/svg+xml",
        "the picture, to be magnified without limit; of a report, thick lines are safe and dashed ones have a chance "
        "below 50 %; heads are hollow where the direction is not safe, and grey where it is assumed",
    ),
}
#: What repeats a run, by name.
REPEATS: Mapping[str, str] = {
    "repeat.zip": "everything to repeat it: the table, how it is read, and the two files below",
    "command.sh": "the command alone",
    "repeat.py": "the same as a Python script",
}


def repeating(name: str, asked: Asked, folder: Path) -> bytes:
    """The content of one of the files of `REPEATS`."""
    if name == "repeat.zip":
        return packed(asked, folder)
    return (_script(asked, folder) if name == "repeat.py" else _shell(asked)).encode()


def _shell(asked: Asked) -> str:
    return f"#!/bin/sh\n{shell_of(asked)}\n"


def _script(asked: Asked, folder: Path) -> str:
    kept = TableSettings.beside(folder / asked.table)
    later = None if kept is None else kept[1].changes.postponed().later
    return script_of(asked, later if isinstance(later, Mapping) else None)


def packed(asked: Asked, folder: Path) -> bytes:
    """A .zip with the table, how it is read, the script, and the command unless a name keeps it from being written."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(folder / asked.table, file_of(asked))
        settings = settings_path(folder / asked.table)
        if settings.is_file():
            archive.write(settings, settings_of(asked))
        archive.writestr("repeat.py", _script(asked, folder))
        try:
            archive.writestr("command.sh", _shell(asked))
        except InputError as error:
            archive.writestr("command.txt", f"{error}\n")
    return content.getvalue()


def listed(request: Request) -> Response:
    """The files of a run with what they are, the command, and the script."""
    _, run, kept = kept_of(request)
    there = [{"name": name, "about": about} for name, (_, about) in FILES.items() if (kept.folder / name).is_file()]
    beside = f": put it in one folder with {file_of(run.asked)} and {settings_of(run.asked)}, which are in repeat.zip"
    repeats = [{"name": n, "about": about if n == "repeat.zip" else about + beside} for n, about in REPEATS.items()]
    try:
        command = shell_of(run.asked)
    except InputError as error:
        command = f"# {error}"
        repeats = [one for one in repeats if one["name"] != "command.sh"]
    facts = {"command": command, "script": _script(run.asked, kept.folder), "note": kept.facts["note"]}
    named = {"table": run.asked.title, "picture": name_of(run.asked, run.number, "graph.png")}
    return JSONResponse({"files": there, "repeats": repeats, **facts, **named})


def download(request: Request) -> Response:
    """A file, to be kept and not to be shown: the report is shown by `read`."""
    _, run, kept = kept_of(request)
    name = request.path_params["name"]
    if name in REPEATS:
        content = repeating(name, run.asked, kept.folder)
        kind = "application/zip" if name.endswith(".zip") else "text/plain"
    elif name in FILES and (kept.folder / name).is_file():
        content, kind = (kept.folder / name).read_bytes(), FILES[name][0]
    else:
        raise HTTPException(404, "This run has no such file.")
    return Response(content, media_type=kind, headers={"Content-Disposition": _attached(run.asked, run.number, name)})


def name_of(asked: Asked, number: int, name: str) -> str:
    """The name of a download: that of the table, the number of the run and what it is."""
    stem = re.sub(r"[^\w-]+", "-", asked.title.partition(".")[0]).strip("-")[:40] or "table"
    return f"{stem}-{number}-{name}"


def _attached(asked: Asked, number: int, name: str) -> str:
    """What a browser is told of that name, also in letters that all take."""
    full = name_of(asked, number, name)
    plain = re.sub(r"[^\w.-]", "_", full, flags=re.ASCII)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(full)}"


def read(request: Request) -> Response:
    """The report as a page, with the scripts that it holds and no way to reach ours."""
    _, _, kept = kept_of(request)
    path = kept.folder / "report.html"
    if not path.is_file():
        raise HTTPException(404, "A quick run makes no report: learn and assess to have one.")
    alone = f"{policy()}; sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
    return Response(path.read_bytes(), media_type="text/html", headers={"Content-Security-Policy": alone})


routes = [
    Route("/api/projects/{id}/runs/{number:int}/files", listed),
    Route("/project/{id}/runs/{number:int}/files/{name}", download),
    Route("/project/{id}/runs/{number:int}/report", read),
]
