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
    table: Annotated[str | None, typer.Argument(help="A table to begin with.", metavar="FILE")] = None,
    folder: Annotated[str, typer.Option(help="Keep the projects in this folder.", metavar="DIR")] = "veridag-projects",
    port: Annotated[
        int, typer.Option(help="Listen on this port; 0 is any free one.", metavar="N", min=0, max=65535)
    ] = 0,
    host: Annotated[
        str, typer.Option(help="Listen on this address. Only the default keeps other machines out.", metavar="H")
    ] = "127.0.0.1",
    max_upload: Annotated[
        int, typer.Option(help="The largest table that can be uploaded, in MB.", metavar="N", min=1, max=2**20)
    ] = 512,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
) -> None:
    """Go from a table to answers in the browser.

    For people who do not program: drop a table, check what each column is taken for, say what is known, learn, look at
    the network and ask it. Everything stays on this machine, in a folder that holds the projects, and is there again
    next time. The page needs the address with the token that is printed; Ctrl-C ends the server.
    """
    for package in ("starlette", "uvicorn", "python_multipart"):
        require(package, "the app", "app")
    if table is not None and not Path(table).is_file():
        raise InputError(f"{table!r}: there is no such file: name a table, or drop it on the page")
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
    say("Stopped. The projects are kept.")
