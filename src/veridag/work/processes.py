"""Pieces of work in processes of this machine, for what holds Python's lock; those that die are replaced."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from veridag.checks import JOBS, Checked, checked

from .job_process import child_environment, describe_exit
from .pieces import MOMENT, RETRIES, Answer, Lost, Stopped, Task, Team
from .sending import Reply, packed


@dataclass(frozen=True)
class Processes(Checked):
    """So many pieces of work at once, each in a process of its own: ``jobs=vd.Processes(4)``.

    Threads take less time to start and no memory for copies of the data. Processes are for what holds Python's lock,
    such as a score written in Python, and for work that may end its process.
    """

    jobs: int = field(metadata=checked(JOBS))

    @property
    def local_threads(self) -> int:
        """As many as there are jobs: the processes are idle meanwhile."""
        return self.jobs

    def width(self) -> int:
        """How many pieces are done at once."""
        return self.jobs

    @contextmanager
    def team(self, task: Task[Any]) -> Iterator[Team]:
        """A team for one task, whose processes end with the block."""
        team = _Team(packed(task), self.jobs)
        try:
            yield team
        finally:
            team.end()


class _Child:
    """A process that has the task, and does one piece at a time."""

    def __init__(self, task: bytes) -> None:
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
        self._send(task)

    def give(self, number: int, piece: object) -> None:
        self.number, self.piece = number, piece
        self._send(pickle.dumps(piece))

    def _send(self, content: bytes) -> None:
        with suppress(BrokenPipeError):  # it has died; its answers end too, and that is seen next
            self._pieces.send_bytes(content)

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


class _Team:
    def __init__(self, task: bytes, jobs: int) -> None:
        self._task, self._jobs = task, jobs
        self._idle: list[_Child] = []
        self._busy: list[_Child] = []
        self._ended: list[Answer] = []
        self._deaths: Counter[int] = Counter()
        self._shown: dict[Any, Any] = {}

    def room(self) -> int:
        return self._jobs - len(self._busy)

    def give(self, number: int, piece: object) -> None:
        child = self._idle.pop() if self._idle else _Child(self._task)
        self._busy.append(child)
        child.give(number, piece)

    def answers(self) -> list[Answer]:
        found, self._ended = self._ended, []
        ready = wait([child.answers for child in self._busy], timeout=0 if found else MOMENT)
        for child in [child for child in self._busy if child.answers in ready]:
            self._busy.remove(child)
            reply = child.reply()
            if reply is not None:
                self._idle.append(child)
                found.append(reply.answer(child.number, self._shown))
                continue
            how = child.end()
            self._deaths[child.number] += 1
            if self._deaths[child.number] > RETRIES:
                found.append(Answer(child.number, error=Lost(f"its process died {RETRIES + 1} times, {how}")))
            else:
                self.give(child.number, child.piece)
        return found

    def stop(self) -> None:
        self._ended += [Answer(child.number, error=Stopped()) for child in self._busy]
        while self._busy:
            self._busy.pop().end()

    def end(self) -> None:
        self.stop()
        while self._idle:
            self._idle.pop().end()
