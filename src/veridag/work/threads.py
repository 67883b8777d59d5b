"""Running pieces of work in threads. The C++ core releases Python's lock, so threads are enough for all of its work."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

from veridag.checks import JOBS, Checked, checked

from .pieces import MOMENT, Answer, Stopped, Task, Team


@dataclass(frozen=True)
class Threads(Checked):
    """An executor that runs pieces of work in threads of this process. ``jobs=4`` is short for it.

    Args:
        jobs: The number of threads.

    See also:
        `Processes`, `Cluster`, docs/running.md
    """

    jobs: int = field(default=1, metadata=checked(JOBS))

    @property
    def local_threads(self) -> int:
        """The number of threads."""
        return self.jobs

    def open(self) -> AbstractContextManager[Threads]:
        """The executor itself: threads take no time to start."""
        return nullcontext(self)

    def width(self) -> int:
        """How many pieces run at once."""
        return self.jobs

    @contextmanager
    def team(self, task: Task[Any]) -> Iterator[Team]:
        """A team for one task. Its threads end with the block."""
        with ThreadPoolExecutor(self.jobs) as pool:
            team = _Team(task, pool, self.jobs)
            try:
                yield team
            finally:
                team.stop()


class _Team:
    def __init__(self, task: Task[Any], pool: ThreadPoolExecutor, jobs: int) -> None:
        self._task, self._pool, self._room = task, pool, jobs
        self._stopped = threading.Event()
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()

    def room(self) -> int:
        return self._room

    def give(self, number: int, piece: object) -> None:
        self._room -= 1
        self._pool.submit(copy_context().run, self._do, number, piece)

    def _do(self, number: int, piece: object) -> None:
        try:
            self._answers.put(Answer(number, self._task(piece, self._heartbeat)))
        except BaseException as error:
            self._answers.put(Answer(number, error=error))

    def _heartbeat(self, what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
        del what, done, total, extra
        if self._stopped.is_set():
            raise Stopped

    def answers(self) -> list[Answer]:
        try:
            found = [self._answers.get(timeout=MOMENT)]
        except queue.Empty:
            return []
        self._room += 1
        return found

    def stop(self) -> None:
        self._stopped.set()
