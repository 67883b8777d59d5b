"""A running app without a network: the requests of a browser that has opened the first address."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

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
def make(projects) -> Callable[..., Project]:
    """A project from the text of a table."""

    def made(text: str, name: str = "cases.csv") -> Project:
        return projects.create(name, io.BytesIO(text.encode()))

    return made


@pytest.fixture
def asia(projects, asia_csv) -> Project:
    with asia_csv.open("rb") as file:
        return projects.create(asia_csv.name, file)
