"""Python processes that do one job at a time. Jobs and answers are lines of JSON on their standard input and output.

`JobProcess` is the end that sends jobs, and `serve` the end that does them.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from typing import IO, Any

#: One thread a process: the processes are as many as there are jobs.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")

Message = dict[str, Any]


def child_environment() -> dict[str, str]:
    """The environment of a Python process that imports what this one does, and adds no threads to its own."""
    environment = {**dict.fromkeys(_THREADS, "1"), **os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    return environment


class JobProcess:
    """A process that runs ``python -m MODULE ARGUMENTS``, whose main function calls `serve`."""

    def __init__(self, module: str, *arguments: str) -> None:
        self._arguments = [sys.executable, "-P", "-m", module, *arguments]
        self._start()

    def _start(self) -> None:
        environment = child_environment()
        environment["PYTHONWARNINGS"] = "ignore"  # small samples have constant columns, job after job
        self._process = subprocess.Popen(
            self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._jobs: IO[bytes] = self._process.stdin
        self.answers: IO[bytes] = self._process.stdout
        self._rest = b""
        #: when the process, or its present job, was started, by ``time.monotonic``
        self.since = time.monotonic()

    def give(self, job: Mapping[str, object]) -> None:
        """Have it do a job; it must be ready and idle."""
        self.since = time.monotonic()
        with suppress(BrokenPipeError):  # it has died; its answers end too, and that is seen next
            self._jobs.write(f"{json.dumps(job)}\n".encode("ascii"))

    def listen(self) -> list[Message] | None:
        """Its answers since, as far as lines are complete; None when it has died. Waits if there is nothing."""
        piece = os.read(self.answers.fileno(), 1 << 20)
        if not piece:
            return None
        *lines, self._rest = (self._rest + piece).split(b"\n")
        return [json.loads(line) for line in lines]

    def next_answer(self, seconds: float | None = None) -> Message | None:
        """Its next answer; None if it died, or if its job has taken so many seconds."""
        with DefaultSelector() as selector:
            selector.register(self.answers, EVENT_READ)
            while True:
                left = None if seconds is None else self.since + seconds - time.monotonic()
                if left is not None and left < 0:
                    return None
                if not selector.select(None if left is None else left + 0.001):
                    continue
                lines = self.listen()
                if lines is None:
                    return None
                if lines:
                    return lines[0]

    def restart(self) -> str:
        """End it and start another in its place; how the old one ended."""
        how = self.end()
        self._start()
        return how

    def end(self) -> str:
        """End it at once; how it ended if it had already."""
        code = self._process.poll()
        self._process.kill()
        final = self._process.wait()
        self._jobs.close()
        self.answers.close()
        return describe_exit(final if code is None else code)


def describe_exit(code: int) -> str:
    """How a process ended."""
    if code >= 0:
        return f"exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"{name}, as when memory runs out" if name == "SIGKILL" else name


def serve(prepare: Callable[[], Callable[[Message], Message]]) -> None:
    """Do jobs with the function that `prepare` returns, until there are no more.

    The first answer is ``{"ready": true}``, or ``{"broken": why}`` if `prepare` raises. When the process that started
    this one is gone, standard input ends and this one exits at once, whatever it is doing.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that gives the jobs gets the interrupt, and decides
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    jobs: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_read_jobs, args=(jobs,), daemon=True).start()
    try:
        do = prepare()
    except Exception as error:
        _answer(answers, {"broken": f"{type(error).__name__}: {error}"})
        return
    _answer(answers, {"ready": True})
    while True:
        _answer(answers, do(jobs.get()))


def _read_jobs(jobs: queue.SimpleQueue[Message]) -> None:
    for line in sys.stdin:
        jobs.put(json.loads(line))
    os._exit(0)


def _answer(answers: IO[str], content: Message) -> None:
    answers.write(f"{json.dumps(content)}\n")
    answers.flush()
