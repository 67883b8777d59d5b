"""A running app without a network: the requests of a browser that has opened the first address."""

from __future__ import annotations

import csv
import io
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.testclient import TestClient

import veridag as vd
from veridag.app.project import Project, Projects
from veridag.app.server import create_app

TOKEN = "the-token"
HOST = "127.0.0.1:8000"
ADDRESS = f"http://{HOST}"


@pytest.fixture
def projects(tmp_path) -> Projects:
    return Projects(tmp_path / "projects")


@pytest.fixture
def stranger(projects) -> Iterator[TestClient]:
    """Somebody who knows where the server is, and nothing else."""
    app = create_app(projects.folder, token=TOKEN, hosts=[HOST, "localhost:8000"], most_bytes=2**20)
    with TestClient(app, base_url=ADDRESS, follow_redirects=False, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def client(stranger) -> TestClient:
    """The user's browser, on our own page."""
    assert stranger.get("/", params={"token": TOKEN}).status_code == 303
    stranger.headers["Origin"] = ADDRESS
    return stranger


@pytest.fixture
def asia_csv(tmp_path) -> Path:
    path = tmp_path / "asia.csv"
    vd.networks.load("asia").sample(300, seed=1).write(path)
    return path


@pytest.fixture
def clinic_rows(tmp_path) -> tuple[list[str], list[list[str]]]:
    """The head and 300 rows of categories and measurements; a tenth of the values is empty."""
    vd.networks.load("clinic").sample(300, seed=1).write(tmp_path / "all.csv")
    with (tmp_path / "all.csv").open() as file:
        head, *rows = csv.reader(file)
    rng = np.random.default_rng(1)
    return head, [[value if rng.random() > 0.1 else "" for value in row] for row in rows]


@pytest.fixture
def make(projects) -> Callable[..., Project]:
    """A project from the text of a table."""

    def made(text: str, name: str = "cases.csv") -> Project:
        return projects.create(name, io.BytesIO(text.encode()))

    return made


@pytest.fixture
def asia(projects, asia_csv) -> Project:
    with asia_csv.open("rb") as file:
        return projects.create(asia_csv.name, file)


@pytest.fixture
def address(tmp_path) -> Iterator[str]:
    """The first address of a server in a process of its own."""
    command = [sys.executable, "-m", "veridag.cli", "app", "--no-browser", "--folder", str(tmp_path / "projects")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield re.search(r"http://\S+", process.stderr.readline())[0]
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


@pytest.fixture
def complaints() -> list[str]:
    """What a browser complained of, other than refusals; a test that asks for it says what it expects."""
    return []


@pytest.fixture
def page(browser: Any, address: str, complaints: list[str]) -> Iterator[Any]:
    """The list of projects in a browser; at the end there may be no complaints."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    context.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.goto(address)
    yield opened
    context.close()
    assert [text for text in complaints if "the server responded with a status of 4" not in text] == []


@pytest.fixture
def dropped(page: Any) -> Callable[[Path], Any]:
    """Gives the browser a table and waits until its project is shown."""

    def drop(path: Path) -> Any:
        page.locator("#file").set_input_files(path)
        page.wait_for_url("**/project/*")
        page.locator("#table-view[aria-busy=false]").wait_for()
        page.locator("#knowledge-view[aria-busy=false]").wait_for()
        return page

    return drop
