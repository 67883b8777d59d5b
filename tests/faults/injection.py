"""One fault in the work of this process, which `system_calls.cpp` was preloaded into."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

#: The numbers are those of system_calls.cpp.
CALLS = {"open": 1, "write": 2, "flush": 4, "truncate": 8, "rename": 16, "remove": 32, "SQLite's memory": 64}
ENDS = {"fails": 0, "fails from then on": 1, "kills": 2, "kills half way": 3}
_FILES = tuple(CALLS)[:6]


@dataclass(frozen=True)
class Fault:
    """What goes wrong, and in which way, at a step yet to be chosen.

    Steps are system calls, or the lines of Python code in some modules, where memory runs out.
    """

    calls: tuple[str, ...] = ()
    end: str = "fails"
    lines_of: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = "any change of a file" if self.calls == _FILES else " or ".join(self.calls or ("Python's memory",))
        return f"{what} {self.end}"

    def start(self, step: int) -> None:
        """Have it happen after so many steps."""
        if self.lines_of:
            _Lines.start(self.lines_of, step)
        else:
            _library().faults_start(sum(CALLS[call] for call in self.calls), ENDS[self.end], ctypes.c_long(step))

    def stop(self) -> bool:
        """Whether it happened; it does not from now on."""
        return _Lines.stop() if self.lines_of else _library().faults_end() > 0


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


class _Lines:
    """Raises MemoryError at a line of some modules."""

    left = -1

    @classmethod
    def start(cls, modules: tuple[str, ...], step: int) -> None:
        cls.left = step

        def each_call(frame: FrameType, event: str, value: object) -> Any:
            return each_line if frame.f_globals.get("__name__") in modules else None

        def each_line(frame: FrameType, event: str, value: object) -> Any:
            if event == "line":
                cls.left -= 1
                if cls.left == -1:
                    raise MemoryError
            return each_line

        sys.settrace(each_call)

    @classmethod
    def stop(cls) -> bool:
        sys.settrace(None)
        return cls.left < 0


NO_MEMORY = Fault(("SQLite's memory",), "fails")
FAILURES = (
    *(Fault((call,), end) for call in _FILES for end in ("fails", "fails from then on")),
    NO_MEMORY,
)
KILLS = (Fault(_FILES, "kills"), Fault(("write",), "kills half way"))


@dataclass(frozen=True)
class Ended:
    """How a process ended: whether the fault happened, what was told on the way, and an exception of the work."""

    reached: bool
    told: list[Any]
    error: str | None
    message: str


def run(work: Callable[[Callable[[Any], None]], None], fault: Fault | None = None, step: int = 0) -> Ended:
    """Do work in a process of its own, with a fault. The work is given a function that tells this process something."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as pipe:
            _work(work, fault, step, lambda what: print(json.dumps(what), file=pipe, flush=True))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = [json.loads(line) for line in pipe]
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL, f"{fault} at step {step}: signal {os.WTERMSIG(status)}"
        return Ended(True, told, None, "")
    assert os.WEXITSTATUS(status) == 0, f"{fault} at step {step}: exit code {os.WEXITSTATUS(status)}"
    reached, error, message = told.pop()
    return Ended(reached, told, error, message)


def _work(
    work: Callable[[Callable[[Any], None]], None], fault: Fault | None, step: int, tell: Callable[[Any], None]
) -> None:
    error, message, reached = None, "", False
    if fault is not None:
        fault.start(step)
    try:
        work(tell)
    except BaseException as problem:
        error, message = type(problem).__name__, str(problem)
    finally:
        if fault is not None:
            reached = fault.stop()
    tell([reached, error, message])
