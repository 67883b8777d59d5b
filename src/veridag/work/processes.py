"""Running pieces of work in processes of this machine, for code that holds Python's lock. Dead ones are replaced."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from veridag.checks import JOBS, Checked, checked

from .job_process import child_environment, describe_exit
from .pieces import MOMENT, RETRIES, Answer, Lost, OpenExecutor, Stopped, Task, Team
from .sending import PROTOCOL, Package, Parcel, Piece, Reply, Sending


@dataclass(frozen=True)
class Processes(Checked):
    """An executor that runs pieces of work in parallel processes: ``jobs=vd.Processes(4)``.

    Threads start faster and do not copy the data. Use processes for code that holds Python's lock, such as a score
    written in Python, and for work that may crash its process.

    Args:
        jobs: The number of processes.

    See also:
        `Threads`, `Cluster`, docs/running.md
    """

    jobs: int = field(metadata=checked(JOBS))

    @property
    def local_threads(self) -> int:
        """As many as there are processes, which are idle meanwhile."""
        return self.jobs

    @contextmanager
    def open(self) -> Iterator[OpenExecutor]:
        """Processes that start when needed and end with the block. Only one call at a time can use them."""
        pool = OpenProcesses(self.jobs)
        try:
            yield pool
        finally:
            pool.end()


class _Child:
    """A process that does one piece at a time, and keeps what it was sent."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "veridag.work.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=child_environment(),
            process_group=0,  # Ctrl-C on a terminal is for the process that gives the work
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._process.stdin as pieces, self._process.stdout as answers:
            self._pieces = Connection(os.dup(pieces.fileno()), readable=False)
            self.answers = Connection(os.dup(answers.fileno()), writable=False)
        self._package: Package | None = None
        self._parcels: set[int] = set()

    def prepare(self, package: Package, parcels: Mapping[int, Parcel]) -> None:
        """Send the task of the next pieces, with the arrays that are new to it, unless it has the task."""
        if self._package is package:
            return
        for number in set(package.parcels) - self._parcels:
            self._send(parcels[number])
        self._send(package)
        self._package = package
        self._parcels.update(package.parcels)  # one that was forgotten comes again under another number

    def give(self, number: int, piece: object) -> None:
        self.number, self.piece = number, piece
        self._send(Piece(piece))

    def _send(self, message: Parcel | Package | Piece) -> None:
        with suppress(BrokenPipeError):  # it has died; its answers end too, and that is seen next
            self._pieces.send_bytes(pickle.dumps(message, protocol=PROTOCOL))

    def reply(self) -> Reply | None:
        """What it has to say; None if it died."""
        try:
            found: Reply = pickle.loads(self.answers.recv_bytes())
        except (EOFError, OSError):
            return None
        return found

    def end(self) -> str:
        """End it at once; how it ended if it had already."""
        self._process.kill()
        self._pieces.close()
        self.answers.close()
        return describe_exit(self._process.wait())


class OpenProcesses(OpenExecutor):
    """Processes that stay from one task to the next."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.idle: list[_Child] = []
        self.sending = Sending()
        self.shown: dict[Any, Any] = {}
        self._children: set[_Child] = set()

    @property
    def local_threads(self) -> int:
        """As many as there are jobs: the processes are idle meanwhile."""
        return self.jobs

    def width(self) -> int:
        """How many pieces are done at once."""
        return self.jobs

    @contextmanager
    def team(self, task: Task[Any]) -> Iterator[Team]:
        """A team for one task. At the end of the block none of its pieces is left running."""
        team = _Team(self, self.sending.packed(task))
        try:
            yield team
        finally:
            team.stop()

    def child(self) -> _Child:
        """One that is idle, or a new one."""
        if self.idle:
            return self.idle.pop()
        child = _Child()
        self._children.add(child)
        return child

    def bury(self, child: _Child) -> str:
        """End it at once; how it ended if it had already."""
        self._children.discard(child)
        return child.end()

    def end(self) -> None:
        """End all processes at once."""
        while self._children:
            self._children.pop().end()


class _Team:
    def __init__(self, pool: OpenProcesses, package: Package) -> None:
        self._pool, self._package = pool, package
        self._busy: list[_Child] = []
        self._ended: list[Answer] = []
        self._deaths: Counter[int] = Counter()

    def room(self) -> int:
        return self._pool.jobs - len(self._busy)

    def give(self, number: int, piece: object) -> None:
        child = self._pool.child()
        self._busy.append(child)
        child.prepare(self._package, self._pool.sending.parcels)
        child.give(number, piece)

    def answers(self) -> list[Answer]:
        found, self._ended = self._ended, []
        ready = wait([child.answers for child in self._busy], timeout=0 if found else MOMENT)
        for child in [child for child in self._busy if child.answers in ready]:
            self._busy.remove(child)
            reply = child.reply()
            if reply is not None:
                self._pool.idle.append(child)
                found.append(reply.answer(child.number, self._pool.shown))
                continue
            how = self._pool.bury(child)
            self._deaths[child.number] += 1
            if self._deaths[child.number] > RETRIES:
                found.append(Answer(child.number, error=Lost(f"its process died {RETRIES + 1} times, {how}")))
            else:
                self.give(child.number, child.piece)
        return found

    def stop(self) -> None:
        self._ended += [Answer(child.number, error=Stopped()) for child in self._busy]
        while self._busy:
            self._pool.bury(self._busy.pop())
