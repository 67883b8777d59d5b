"""A study on a Dask cluster of real processes, one of which is killed while it works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from veridag.errors import InputError
from veridag.study import cluster, plan, runner
from veridag.study.processes import ProcessExecutor
from veridag.study.store import Store
from veridag.study.tables import TIMING, results

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("distributed") is None, reason="Dask is not installed: pip install 'veridag[cluster]'"
    ),
]
HERE = Path(__file__).parent


@pytest.fixture
def dask(tmp_path):
    """The address of a scheduler with two workers, and the processes of these."""
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path}
    started = []

    def start(module, *words):
        command = [sys.executable, "-m", f"distributed.cli.{module}", *words]
        with (tmp_path / f"{module}-{len(started)}.log").open("w") as log:
            started.append(subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log))
        return started[-1]

    address = tmp_path / "scheduler.json"
    start(
        "dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--no-show",
        "--scheduler-file",
        str(address),
    )
    options = (
        "--host",
        "127.0.0.1",
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
        "--scheduler-file",
        str(address),
    )
    workers = [start("dask_worker", *options) for _ in range(2)]
    until = time.monotonic() + 600
    try:
        while not (address.exists() and address.stat().st_size) and time.monotonic() < until:
            time.sleep(0.1)
        yield json.loads(address.read_text())["address"], workers
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def table(planned, path):
    with Store(path, read_only=True) as store:
        found = results(planned, store)
    return found.drop([c for c in found.columns if c.startswith("seconds_") or c in TIMING])


def test_a_cluster_gives_the_same_table_though_a_worker_is_killed(sums, tmp_path, command, dask):
    address, workers = dask
    log = tmp_path / "log"
    path = sums(numbers="[1, 2, 3, 4, 5, 6]", repetitions=4, seconds=0.1, bad="[3]", log=f'"{log}"')
    process = command("run", path, "--trust-kinds", "--dask", address, "--store", "dask.sqlite")
    until = time.monotonic() + 600
    while (not log.exists() or len(log.read_text().splitlines()) < 10) and time.monotonic() < until:
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.02)
    workers[0].kill()
    said = process.communicate()[0]
    assert process.returncode == 1, said
    assert "24 cells, 20 done, 4 failed, 0 stopped, 0 to do" in said
    planned = plan.load(path, trust_kinds=True)
    with Store(tmp_path / "here.sqlite") as store:
        runner.run(planned, store, ProcessExecutor(2))
    assert table(planned, tmp_path / "dask.sqlite").equals(table(planned, tmp_path / "here.sqlite"))


def test_a_cell_in_a_thread_of_a_dask_worker(sums, monkeypatch):
    """What a Dask worker calls, without Dask: results, errors, the time limit, and a process that dies."""
    planned = plan.load(sums(numbers="[1, 2, 3]", repetitions=1, bad="[2]", deadly="[3]"), trust_kinds=True)
    found = [cluster.do_cell(cell, 1 << 20, 600.0) for cell in planned.cells]
    assert Counter(outcome.status for outcome in found) == {"done": 1, "failed": 2}
    assert found[0].rows[0]["line"] == 0
    assert found[1].error == "ValueError: 2 is a bad number"
    assert "died in this cell 2 times" in found[2].error
    slow = plan.load(sums(numbers="[1]", repetitions=1, seconds=60), trust_kinds=True).cells[0]
    assert cluster.do_cell(slow, 1 << 20, 0.2).status == "stopped"
    assert cluster.do_cell(planned.cells[0], 1 << 20, None).status == "done"
    cluster._forget()


def test_an_address_without_a_scheduler_is_told(sums, tmp_path, monkeypatch):
    planned = plan.load(sums(numbers="[1]"), trust_kinds=True)
    monkeypatch.setattr("veridag.work.cluster.PATIENCE", 0.5)
    with Store(tmp_path / "s.sqlite") as store, pytest.raises(InputError, match="no scheduler answers there"):
        runner.run(planned, store, cluster.DaskExecutor("tcp://127.0.0.1:9"))
