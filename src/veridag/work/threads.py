"""Many independent pieces of work in threads: the core releases Python's lock, so threads do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from veridag.errors import InputError
from veridag.progress import Progress

T = TypeVar("T")


class OutOfTime(InputError):
    """The time is over before there is anything to show."""


class Stopped(Exception):
    """Raised by a heartbeat in a thread, which no interrupt reaches, when the whole work is to end."""


def run_pieces(
    piece: Callable[[int, Progress], T],
    count: int,
    jobs: int,
    done: dict[int, T],
    *,
    describe: Callable[[int], str],
    progress: Progress | None = None,
    deadline: float | None = None,
) -> bool:
    """Do the pieces 0, 1, ..., `jobs` at once, and put what each returns into `done`; whether all were done.

    A piece is called with its number and a heartbeat, to be passed on as the progress callback of whatever it runs. No
    piece is started after the `deadline` (of ``time.monotonic``), and those that run are then ended at their next
    heartbeat, which raises `Stopped`. Whatever else is raised, by a piece or by an interrupt, ends the others in the
    same way. What was done by then is in `done`. `progress` is called when a piece starts, with its description, and
    when one has ended.
    """
    stopped = threading.Event()

    def heartbeat(what: str, steps: int, total: int | None, extra: Mapping[str, float]) -> None:
        del what, steps, total, extra
        if stopped.is_set() or not _in_time(deadline):
            raise Stopped

    def tell(which: int) -> None:
        if progress is not None:
            progress(describe(which), len(done), count, {})

    running: dict[Future[T], int] = {}
    started = 0
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                while started < count and len(running) < jobs and _in_time(deadline):
                    running[pool.submit(piece, started, heartbeat)] = started
                    started += 1
                    tell(started - 1)
                if not running:
                    return len(done) == count
                # A wait that ends by itself now and then lets an interrupt through on every system.
                for future in wait(running, timeout=0.1, return_when=FIRST_COMPLETED).done:
                    which = running.pop(future)
                    _keep(future, which, done)
                    tell(which)
        except BaseException:
            stopped.set()
            raise


def deadline_after(seconds: float | None) -> float | None:
    """The deadline so many seconds from now, or None for none."""
    return None if seconds is None else time.monotonic() + seconds


def _in_time(deadline: float | None) -> bool:
    return deadline is None or time.monotonic() < deadline


def _keep(future: Future[T], piece: int, done: dict[int, T]) -> None:
    """What a piece returned; nothing if it ran out of time."""
    try:
        done[piece] = future.result()
    except Stopped:
        return
