"""The server: the routes of all steps put together, and the process that listens on this machine."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from veridag.errors import InputError

from . import answers_step, exports, knowledge_step, network_step, pages, run_step, table_step
from .project import NoSuchProject, Projects
from .queue import Queue
from .security import Guard, said

#: The modules with routes.
STEPS = (pages, table_step, knowledge_step, run_step, network_step, answers_step, exports)
#: The most bytes of a table that is uploaded.
MOST_BYTES = 2**29


def create_app(folder: str | Path, *, token: str, hosts: Collection[str], most_bytes: int = MOST_BYTES) -> Starlette:
    """The app for the projects in a folder.

    `token` opens it, `hosts` are the values of Host that it answers to, with the port, and `most_bytes` bounds uploads.
    """
    app = Starlette(
        routes=[route for step in STEPS for route in step.routes],
        lifespan=_queueing,
        middleware=[Middleware(Guard, token=token, hosts=hosts, most_bytes=most_bytes)],
        exception_handlers={
            NoSuchProject: _answering(404),
            InputError: _answering(400),
            OSError: _answering(500),
            HTTPException: _refused,
        },
    )
    projects = app.state.projects = Projects(Path(folder))
    app.state.queue = Queue(lambda: [project.folder for project in projects])
    return app


@asynccontextmanager
async def _queueing(app: Starlette) -> AsyncIterator[None]:
    """Runs are done while the app is served."""
    with app.state.queue.running():
        yield


def _answering(status: int) -> Callable[[Request, Exception], Response]:
    """A handler that says what an error says."""

    def handle(request: Request, error: Exception) -> Response:
        text = (error.strerror or "A file cannot be used") if isinstance(error, OSError) else str(error)
        return said(request.scope, status, text)

    return handle


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "There is no such page.", 405: "This address does not take that."}
    return said(request.scope, error.status_code, words.get(error.status_code, error.detail))


def serve(
    folder: str | Path,
    *,
    table: str | Path | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    most_bytes: int = MOST_BYTES,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the projects in a folder until the process is interrupted; 0 is any free port.

    `table` becomes a new project, which is opened first. `say` is called with the address, which contains the token.
    """
    with _listening(host, port) as listener:
        port = listener.getsockname()[1]
        token = secrets.token_urlsafe(32)
        hosts = hosts_of(host, port)
        app = create_app(folder, token=token, hosts=hosts, most_bytes=most_bytes)
        path = "/"
        if table is not None:
            with Path(table).open("rb") as file:
                path = f"/project/{app.state.projects.create(Path(table).name, file).id}"
        address = f"http://{hosts[0]}{path}?token={token}"
        if not is_loopback(host):
            say(
                f"warning: other machines can reach {host}. Whoever has the address below can read the tables, and it "
                "travels without encryption"
            )
        say(f"veridag app runs at {address}")
        say(f"Projects are kept in {Path(folder).absolute()}. Ctrl-C ends it; a run at work goes on without it.")
        if browser:
            webbrowser.open(address)  # the connection waits until the server is ready
        settings = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, ws="none", timeout_graceful_shutdown=2
        )
        with suppress(KeyboardInterrupt):  # the usual end, which the server passes on when it has closed everything
            uvicorn.Server(settings).run(sockets=[listener])


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def hosts_of(host: str, port: int) -> tuple[str, ...]:
    """What browsers may call the server in Host, the name for the address first."""
    if is_loopback(host):
        names = [host, "localhost", "127.0.0.1", "::1"]
    elif host in ("0.0.0.0", "::"):
        names = [socket.gethostname(), "localhost", "127.0.0.1", *_own_addresses()]
    else:
        names = [host]
    shown = [f"[{name}]" if ":" in name else name for name in dict.fromkeys(names)]
    return (*(f"{name}:{port}" for name in shown), *(shown if port == 80 else ()))


def _own_addresses() -> list[str]:
    try:
        return [str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None)]
    except OSError:
        return []


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens already, so that the port is known and the browser can be opened."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InputError(f"host={host!r}: there is no such address on this machine: {error.strerror}") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InputError(
            f"port={port}: cannot be listened on at {host}: {error.strerror}; leave the port out for a free one"
        ) from None
    return listener
