"""The command that opens the local web app."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from veridag.errors import InputError, require

from .app import command
from .terminal import echo, say

_MEGABYTE = 2**20


@command(
    "app",
    "veridag app",
    "veridag app cases.csv",
    "veridag app --folder projects --no-browser",
)
def open_app(
    table: Annotated[str | None, typer.Argument(help="A table to open, such as cases.csv.", metavar="FILE")] = None,
    folder: Annotated[str, typer.Option(help="Folder for the projects.", metavar="DIR")] = "veridag-projects",
    port: Annotated[
        int, typer.Option(help="Port to listen on; 0 is any free port.", metavar="N", min=0, max=65535)
    ] = 0,
    host: Annotated[
        str, typer.Option(help="Address to listen on. Only the default keeps other machines out.", metavar="H")
    ] = "127.0.0.1",
    max_upload: Annotated[
        int, typer.Option(help="Largest table that can be uploaded, in MB.", metavar="N", min=1, max=2**20)
    ] = 512,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
) -> None:
    """Open the web app: from a table to answers in the browser.

    For people who do not program: drop a table, check the kind of each column, enter what you know, learn, look at the
    network and query it. Everything stays on this machine, in a folder of projects that you can open again. To open the
    page, use the printed address with its token. Ctrl-C stops the server.
    """
    for package in ("starlette", "uvicorn", "python_multipart"):
        require(package, "the app", "app")
    if table is not None and not Path(table).is_file():
        raise InputError(
            f"{table!r}: no such file: give the path of a table, or leave it out and drop a table on the page"
        )
    from veridag.app.server import serve

    serve(
        folder,
        table=table,
        host=host,
        port=port,
        most_bytes=max_upload * _MEGABYTE,
        browser=browser,
        say=lambda text: echo(text, err=True),
    )
    say("Stopped. Your projects are saved.")
