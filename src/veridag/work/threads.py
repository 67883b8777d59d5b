"""Work in independent parts, over threads: the core works without Python's lock, so threads do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from veridag.errors import InputError

T = TypeVar("T")

#: Called after each part with the number of parts done and the number of all.
Progress = Callable[[int, int], object]

#: What a learner calls now and then while it searches.
Heartbeat = Callable[[int, float], object]


class OutOfTime(InputError):
    """The time that was given is over before there is anything to show."""


class Stopped(Exception):
    """Raised by a heartbeat in a thread, to which no interrupt comes, when the whole work is to end."""


def run_parts(
    part: Callable[[int, Heartbeat], T],
    count: int,
    jobs: int,
    progress: Progress | None,
    done: dict[int, T],
    until: float | None = None,
) -> bool:
    """Do the parts 0, 1, ..., so many at once, and put what each gives into `done`; whether all were done.

    No part is begun after `until` (of ``time.monotonic``), and those under way are then ended at their next heartbeat,
    which raises `Stopped`. Whatever else is raised, by a part or by an interrupt, ends the others in the same way. What
    was done by then is in `done`.
    """
    stopped = threading.Event()

    def heartbeat(steps: int, best: float) -> None:
        del steps, best
        if stopped.is_set() or not _in_time(until):
            raise Stopped

    running: dict[Future[T], int] = {}
    begun = 0
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                while begun < count and len(running) < jobs and _in_time(until):
                    running[pool.submit(part, begun, heartbeat)] = begun
                    begun += 1
                if not running:
                    return len(done) == count
                # A wait that ends by itself now and then lets an interrupt through on every system.
                for future in wait(running, timeout=0.1, return_when=FIRST_COMPLETED).done:
                    _keep(future, running.pop(future), done)
                    if progress is not None:
                        progress(len(done), count)
        except BaseException:
            stopped.set()
            raise


def _in_time(until: float | None) -> bool:
    return until is None or time.monotonic() < until


def _keep(future: Future[T], part: int, done: dict[int, T]) -> None:
    """What a part gave; nothing if it ran out of time."""
    try:
        done[part] = future.result()
    except Stopped:
        return
