"""Study files of sums, and a way to run them as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from veridag.study import plan

HERE = Path(__file__).parent


@pytest.fixture
def sums(tmp_path, monkeypatch):
    """Writes a study file of the kind `arithmetic`, with the keys of its grid given as text."""
    monkeypatch.syspath_prepend(str(HERE))

    def write(**grid):
        lines = "".join(f"{key} = {value}\n" for key, value in ({"repetitions": 2} | grid).items())
        path = tmp_path / "sums.toml"
        path.write_text(f'kind = "arithmetic:KIND"\ntitle = "Sums"\n[grid]\n{lines}', "utf-8")
        return path

    return write


@pytest.fixture
def command(tmp_path):
    """Starts `veridag study ...` in the folder of the test, as its own process."""

    def start(*words, **options):
        path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {"PYTHONPATH": path}
        return subprocess.Popen(
            [sys.executable, "-m", "veridag.cli", "study", *map(str, words)],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **options,
        )

    return start


@pytest.fixture
def planned(request, tmp_path):
    """What plans a study from its text, by default from the text `GRID` of the module of the test."""

    def load(text=request.module.GRID):
        path = tmp_path / "mine.toml"
        path.write_text(text, "utf-8")
        return plan.load(path)

    return load
