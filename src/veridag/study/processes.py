"""Cells done by worker processes of this machine, which a time limit stops and which are replaced when they die."""

from __future__ import annotations

import selectors
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from veridag.errors import InputError
from veridag.work.job_process import JobProcess

from .kind import Kind
from .plan import Cell
from .store import Outcome

#: How often a cell is tried again after its worker died under it.
RETRIES = 1

#: How many workers in a row may die before they have begun; more, and none ever will begin.
FALSE_STARTS = 3


class Worker(JobProcess):
    """A process that does one cell at a time; `kind` is as the study file names it."""

    def __init__(self, kind: str, shared_bytes: int) -> None:
        super().__init__("veridag.study.worker", kind, str(shared_bytes))

    def _start(self) -> None:
        super()._start()
        self.ready = False
        self.cell: Cell | None = None

    def do(self, cell: Cell) -> None:
        """Have it do a cell; it must be ready and idle."""
        self.cell = cell
        self.give({"settings": dict(cell.settings), "seed": cell.seed})


def outcome(cell: Cell, answer: dict[str, Any]) -> Outcome:
    """What a worker said came of a cell."""
    status = "done" if answer["error"] is None else "failed"
    rows = tuple(answer["rows"]) if status == "done" else ()
    return Outcome(cell, status, rows, answer["error"], answer["started"], answer["seconds"])  # type: ignore[arg-type]


def stopped(cell: Cell, limit: float) -> Outcome:
    """A cell that the time limit stopped."""
    return Outcome(cell, "stopped", (), f"stopped after the time limit of {limit:g} s", time.time() - limit, limit)


def crashed(cell: Cell, how: str, seconds: float) -> Outcome:
    """A cell that no worker survives."""
    text = f"the worker process died in this cell {RETRIES + 1} times ({how})"
    return Outcome(cell, "failed", (), text, time.time() - seconds, seconds)


class Queue:
    """The cells to do, in groups that share work: a worker stays with its group while there is something left of it."""

    def __init__(self, cells: Sequence[Cell], kind: Kind) -> None:
        groups: dict[object, deque[Cell]] = {}
        for cell in cells:
            what = kind.shares(cell.settings)
            groups.setdefault(cell.key if what is None else (what,), deque()).append(cell)
        self._waiting = deque(groups.values())
        self._taken: list[deque[Cell]] = []

    def next(self, group: deque[Cell]) -> tuple[Cell | None, deque[Cell]]:
        """The next cell for a worker with this group, and its group from now on."""
        if not group and self._waiting:
            group = self._waiting.popleft()
            self._taken = [taken for taken in self._taken if taken] + [group]
        if group:
            return group.popleft(), group
        longest = max(self._taken, key=len, default=group)
        return (longest.pop() if longest else None), group


@dataclass(frozen=True)
class ProcessExecutor:
    """Does cells in so many processes of this machine, each with so many bytes for what cells share."""

    jobs: int = 1
    shared_bytes: int = 1 << 28
    time_limit: float | None = None

    def width(self) -> int:
        """How many cells are done at a time."""
        return self.jobs

    def run(self, cells: Sequence[Cell], kind: Kind) -> Generator[Outcome, None, None]:
        """What comes of the cells, as they are finished; closing the iterator ends the processes."""
        if cells:
            yield from _Run(self, cells, kind).outcomes()


class _Run:
    def __init__(self, executor: ProcessExecutor, cells: Sequence[Cell], kind: Kind) -> None:
        self.limit = executor.time_limit
        self.queue = Queue(cells, kind)
        self.left = len(cells)
        self.deaths: dict[str, int] = {}
        self.false_starts = 0
        self.selector = selectors.DefaultSelector()
        self.again: deque[Cell] = deque()
        self.groups: dict[Worker, deque[Cell]] = {}
        for _ in range(min(executor.jobs, len(cells))):
            self.groups[Worker(cells[0].kind, executor.shared_bytes)] = deque()
        for worker in self.groups:
            self.selector.register(worker.answers, selectors.EVENT_READ, worker)

    def outcomes(self) -> Iterator[Outcome]:
        try:
            while self.left:
                for found in self._wait():
                    self.left -= 1
                    yield found
        finally:
            self.selector.close()
            for worker in self.groups:
                worker.end()

    def _wait(self) -> list[Outcome]:
        """What has come since; workers have their next cell before the last one's outcome is written."""
        found = []
        for key, _ in self.selector.select(self._patience()):
            found += self._hear(key.data)
        return found + self._stop_late()

    def _patience(self) -> float | None:
        busy = [worker.since for worker in self.groups if worker.cell is not None]
        if self.limit is None or not busy:
            return None
        return max(0.0, min(busy) + self.limit - time.monotonic()) + 0.001

    def _hear(self, worker: Worker) -> list[Outcome]:
        lines = worker.listen()
        if lines is None:
            return self._bury(worker)
        found = []
        for line in lines:
            if "broken" in line:
                raise InputError(f"a worker process cannot start: {line['broken']}")
            if "ready" in line:
                worker.ready = True
            else:
                assert worker.cell is not None
                found.append(outcome(worker.cell, line))
            self._feed(worker)
        return found

    def _feed(self, worker: Worker) -> None:
        worker.cell = None
        if self.again:
            cell: Cell | None = self.again.popleft()
        else:
            cell, self.groups[worker] = self.queue.next(self.groups[worker])
        if cell is not None:
            worker.do(cell)

    def _bury(self, worker: Worker) -> list[Outcome]:
        cell, seconds, was_ready = worker.cell, time.monotonic() - worker.since, worker.ready
        how = self._replace(worker)
        self.false_starts = 0 if was_ready else self.false_starts + 1
        if self.false_starts > FALSE_STARTS:
            raise InputError(f"worker processes end before their first cell ({how}): see what they printed above")
        if cell is None:
            return []
        self.deaths[cell.key] = self.deaths.get(cell.key, 0) + 1
        if self.deaths[cell.key] > RETRIES:
            return [crashed(cell, how, seconds)]
        self.again.append(cell)
        return []

    def _replace(self, worker: Worker) -> str:
        self.selector.unregister(worker.answers)
        how = worker.restart()
        self.selector.register(worker.answers, selectors.EVENT_READ, worker)
        return how

    def _stop_late(self) -> list[Outcome]:
        found: list[Outcome] = []
        if self.limit is None:
            return found
        for worker in self.groups:
            if worker.cell is not None and time.monotonic() - worker.since > self.limit:
                found.append(stopped(worker.cell, self.limit))
                self._replace(worker)
        return found
