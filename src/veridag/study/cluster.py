"""A Dask cluster, given by the address of its scheduler: its workers do the cells, this process writes them down.

A Dask worker does a cell in a process of its own (`processes.Worker`), so that a time limit can end it and a crash is
no loss. When a Dask worker goes away, the scheduler gives its cells to others; what comes twice is written once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from veridag.errors import InputError, setting
from veridag.work.cluster import connect

from .kind import Kind
from .plan import Cell
from .processes import RETRIES, Worker, crashed, outcome, stopped
from .store import Outcome

if TYPE_CHECKING:
    from distributed import Client, Future

#: Cells given to the cluster for each of its threads: enough that none waits for the coordinator.
AHEAD = 3

_own = threading.local()


@dataclass(frozen=True)
class DaskExecutor:
    """Does cells on the cluster whose scheduler has this address, such as tcp://host:8786."""

    address: str
    shared_bytes: int = 1 << 28
    time_limit: float | None = None

    def width(self) -> int:
        """How many cells are done at a time: the threads of all workers."""
        with connect(self.address) as client:
            return int(sum(client.nthreads().values()))

    def run(self, cells: Sequence[Cell], kind: Kind) -> Generator[Outcome, None, None]:
        """What comes of the cells, as they are finished; closing the iterator gives the rest up."""
        with connect(self.address) as client:
            yield from self._run(client, cells, kind)

    def _run(self, client: Client, cells: Sequence[Cell], kind: Kind) -> Iterator[Outcome]:
        from distributed import as_completed

        waiting = iter(cells)
        running: dict[Future, Cell] = {}
        ready = as_completed(loop=client.loop)
        while True:
            threads = client.nthreads()
            room = AHEAD * max(1, sum(threads.values())) - len(running)
            for cell in islice(waiting, max(0, room)):
                future = self._submit(client, cell, kind, sorted(threads))
                running[future] = cell
                ready.add(future)
            if not running:
                return
            future = next(ready)
            cell = running.pop(future)
            yield _gathered(future, cell, self.address)
            future.release()

    def _submit(self, client: Client, cell: Cell, kind: Kind, homes: Sequence[str]) -> Future:
        """Cells that share work go to one worker, as long as it is there and not too busy."""
        what = kind.shares(cell.settings)
        home = None if what is None or not homes else [homes[_number(what) % len(homes)]]
        arguments = (cell, self.shared_bytes, self.time_limit)
        return client.submit(do_cell, *arguments, key=f"veridag-{cell.key}", workers=home, allow_other_workers=True)


def _number(what: object) -> int:
    """The same in every process, as `hash` is not."""
    from zlib import crc32

    return crc32(repr(what).encode())


def _gathered(future: Future, cell: Cell, address: str) -> Outcome:
    """What came of a cell; that it killed every worker it was given to is an outcome too, a lost cluster is not."""
    from distributed import KilledWorker

    if future.status == "finished":
        found: Outcome = future.result()
        return found
    problem = future.exception() if future.status == "error" else None
    if isinstance(problem, KilledWorker):
        return Outcome(cell, "failed", (), f"KilledWorker: {problem}", time.time(), 0.0)
    raise InputError(
        f"{setting('client', address)}: the cluster gave no result ({problem or future.status}): check the cluster "
        "and run again; finished cells are saved"
    )


def do_cell(cell: Cell, shared_bytes: int, time_limit: float | None) -> Outcome:
    """Do one cell in the process that belongs to this thread of a Dask worker."""
    worker = _worker(cell.kind, shared_bytes)
    for _ in range(RETRIES + 1):
        worker.do(cell)
        answer = worker.next_answer(time_limit)
        if answer is not None:
            worker.cell = None
            return outcome(cell, answer)
        if time_limit is not None and time.monotonic() - worker.since > time_limit:
            _forget()
            return stopped(cell, time_limit)
        seconds = time.monotonic() - worker.since
        how = worker.end()
        _forget()
        worker = _worker(cell.kind, shared_bytes)
    return crashed(cell, how, seconds)


def _worker(kind: str, shared_bytes: int) -> Worker:
    """The process of this thread, ready for a cell."""
    if getattr(_own, "kind", None) != kind:
        _forget()
        worker = Worker(kind, shared_bytes)
        first = worker.next_answer()
        if first is None or "ready" not in first:
            worker.end()
            raise RuntimeError(f"a worker process cannot start: {(first or {}).get('broken', 'it ended at once')}")
        _own.kind, _own.worker = kind, worker
    found: Worker = _own.worker
    return found


def _forget() -> None:
    if getattr(_own, "kind", None) is not None:
        _own.worker.end()
    _own.kind = None
