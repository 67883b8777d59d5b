"""Processes whose system calls go wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def system_calls(tmp_path_factory):
    """The library that is preloaded; compiled in half a second."""
    if sys.platform != "linux":
        pytest.skip("system calls are replaced by the dynamic linker of Linux")
    library = tmp_path_factory.mktemp("faults") / "system_calls.so"
    compiler = os.environ.get("CXX", "c++")
    source = HERE / "system_calls.cpp"
    subprocess.run([compiler, "-std=c++20", "-O1", "-fPIC", "-shared", source, "-o", library, "-ldl"], check=True)
    return library


@pytest.fixture
def faults(system_calls, tmp_path):
    """Runs a module of this folder with words, in a folder of the test; the numbers of faults that it prints."""

    def run(module, *words):
        environment = os.environ | {"LD_PRELOAD": str(system_calls), "PYTHONPATH": str(HERE.parent)}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"  # such writes would be counted
        command = [sys.executable, "-m", f"faults.{module}", tmp_path, *map(str, words)]
        done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        print(done.stdout)
        return json.loads(done.stdout)

    return run
