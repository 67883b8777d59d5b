"""A Dask cluster of real processes on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tasks import until

HERE = Path(__file__).parent

NEEDS_DASK = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("distributed") is None, reason="Dask is not installed: pip install 'veridag[cluster]'"
    ),
]


class LocalCluster:
    """A scheduler at an `address`, and workers, the processes of which are in `workers`."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._file = folder, folder / "scheduler.json"
        self._started: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self._start("dask_scheduler", "--port", "0", "--no-show")
        until(lambda: self._file.exists() and self._file.stat().st_size)
        self.address: str = json.loads(self._file.read_text())["address"]

    def add_worker(self, *options: str) -> None:
        """One more worker with one thread; if it dies, it is not started again."""
        self.workers.append(self._start("dask_worker", "--nthreads", "1", *(options or ("--no-nanny",))))

    def _start(self, module: str, *options: str) -> subprocess.Popen[bytes]:
        shared = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(self._file))
        path = os.pathsep.join([str(HERE), str(HERE / "study"), os.environ.get("PYTHONPATH", "")])
        with (self._folder / f"{module}-{len(self._started)}.log").open("w") as log:
            self._started.append(
                subprocess.Popen(
                    [sys.executable, "-m", f"distributed.cli.{module}", *options, *shared],
                    cwd=self._folder,
                    env=os.environ | {"PYTHONPATH": path},
                    stdout=log,
                    stderr=log,
                )
            )
        return self._started[-1]

    def end(self) -> None:
        for process in reversed(self._started):
            process.kill()  # a worker whose nanny is killed ends by itself
            process.wait()


@contextmanager
def local_cluster(folder: Path, workers: int = 2, *options: str) -> Iterator[LocalCluster]:
    """A cluster that ends with the block."""
    from distributed import Client

    cluster = LocalCluster(folder)
    try:
        for _ in range(workers):
            cluster.add_worker(*options)
        with Client(cluster.address, set_as_default=False) as client:
            client.wait_for_workers(workers)
        yield cluster
    finally:
        cluster.end()
