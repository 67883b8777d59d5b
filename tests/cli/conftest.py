"""How the tests of commands run them."""

from __future__ import annotations

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
def asia_csv(tmp_path) -> str:
    """A table of discrete data."""
    path = tmp_path / "asia.csv"
    vd.networks.load("asia").sample(400, seed=1).write(path)
    return str(path)
