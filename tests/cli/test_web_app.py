"""`veridag app`: what it says, what it refuses, and that it really serves."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener, urlopen

import pytest

pytest.importorskip("uvicorn")


@pytest.fixture
def served(call, monkeypatch, tmp_path):
    """Runs the command up to the point where it would serve: code, complaints, and what the browser would open."""
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets: None)
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)

    def run(*words: object) -> tuple[int, str, list[str]]:
        code, _, said = call("app", *words)
        return code, said, opened

    return run


def test_a_file_becomes_a_project_that_the_browser_opens(served, asia_csv, tmp_path):
    code, said, [address] = served(asia_csv)
    assert code == 0
    assert address in said
    found = re.fullmatch(r"http://127\.0\.0\.1:\d+/project/([a-z0-9]{12})\?token=[\w-]{40,}", address)
    assert found
    assert (tmp_path / "veridag-projects" / found[1] / "table.csv").read_bytes() == Path(asia_csv).read_bytes()
    assert "warning" not in said


def test_the_token_is_another_one_each_time(served):
    served()
    _, _, [first, second] = served()
    assert first.split("=")[1] != second.split("=")[1]


def test_the_browser_can_be_left_alone(served):
    code, said, opened = served("--no-browser", "--folder", "elsewhere")
    assert code == 0
    assert opened == []
    assert "elsewhere" in said


def test_other_interfaces_come_with_a_warning(served):
    code, said, _ = served("--host", "0.0.0.0")
    assert code == 0
    assert "warning: other machines can reach 0.0.0.0" in said


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ["nothing.csv"],
            "'nothing.csv': no such file: give the path of a table, or leave it out and drop a table on the page",
        ),
        (["--host", "not a host"], "--host 'not a host': there is no such address on this machine"),
        (["--port", "70000"], "'--port'"),
        (["--max-upload", "0"], "'--max-upload'"),
    ],
)
def test_what_cannot_be_is_one_line(served, words, error):
    code, said, opened = served(*words)
    assert code == 2
    assert error in said
    assert len(said.splitlines()) == 1
    assert opened == []


def test_a_port_that_is_taken_is_named(served):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, said, _ = served("--port", port)
    assert code == 2
    assert re.search(
        rf"--port {port}: cannot be listened on at 127.0.0.1: .*; leave the port out for a free one$", said
    )


def test_a_file_of_no_known_format_is_refused(served, tmp_path):
    (tmp_path / "a.exe").write_text("x")
    code, said, _ = served("a.exe")
    assert code == 2
    assert "'a.exe' does not say what kind of table it is" in said


@pytest.mark.medium
def test_it_serves_until_it_is_interrupted_and_finds_everything_again(tmp_path, asia_csv):
    def start(*words: str) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "veridag.cli", "app", "--no-browser", "--folder", str(tmp_path / "p"), *words]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        return process, re.search(r"http://\S+", process.stderr.readline())[0]

    def end(process: subprocess.Popen[str]) -> None:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        assert process.returncode == 0
        assert said.endswith("Stopped. Your projects are saved.\n")

    process, address = start(asia_csv)
    try:
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        with browser.open(address) as page:
            assert "asia.csv" in page.read().decode()
        with pytest.raises(HTTPError, match="403"):
            urlopen(address.split("?")[0])
    finally:
        end(process)
    process, address = start()
    try:
        with build_opener(HTTPCookieProcessor(CookieJar())).open(address) as page:
            assert "asia.csv" in page.read().decode()
    finally:
        end(process)
