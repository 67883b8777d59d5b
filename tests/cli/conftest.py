"""How the tests of commands run them."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable

import pytest

import veridag as vd
from veridag import cli


@pytest.fixture
def call(capsys) -> Callable[..., tuple[int, str, str]]:
    """Runs a command within this process, where coverage sees it: exit code, output, complaints."""

    def run(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            cli.main(list(map(str, words)))
        streams = capsys.readouterr()
        return int(stop.value.code or 0), streams.out, streams.err

    return run


@pytest.fixture
def pipeline(capfdbinary, monkeypatch) -> Callable[[str], tuple[int, bytes, str]]:
    """Runs commands joined by pipes, as a shell would, within this process: what the last one printed.

    A command that fails ends the line; its exit code and complaints are those of the whole.
    """

    def run(line: str) -> tuple[int, bytes, str]:
        content, complaints = b"", ""
        words = shlex.split(line, comments=True)
        while words:
            end = words.index("|") if "|" in words else len(words)
            own, words = words[:end], words[end + 1 :]
            assert own[0] == "veridag"
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
            with pytest.raises(SystemExit) as stop:
                cli.main(own[1:])
            sys.stdout.flush()
            streams = capfdbinary.readouterr()
            content, complaints = streams.out, streams.err.decode()
            if stop.value.code:
                return int(stop.value.code), content, complaints
        return 0, content, complaints

    return run


@pytest.fixture
def asia_csv(tmp_path) -> str:
    """A table of discrete data."""
    path = tmp_path / "asia.csv"
    vd.networks.load("asia").sample(400, seed=1).write(path)
    return str(path)
