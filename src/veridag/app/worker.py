"""The process that does one run: ``python -m veridag.app.worker PROJECT NUMBER``.

It outlives the server that started it. It holds the lock of the run as long as it lives, writes into the list of runs
how far it is, and sees there whether it is asked to stop: the first time it ends as after Ctrl-C, with what there is,
and the second time at once.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from veridag.data import Data
from veridag.data.files import load
from veridag.data.settings import TableSettings
from veridag.display import visible_line
from veridag.errors import InputError, speaking_page
from veridag.progress import Interrupted
from veridag.report.content import Report, make_report

from .alive import holding
from .asked import Asked
from .learned import Learned, learn_only
from .repeating import command_of
from .results import keep
from .runs import Runs, Status, folder_of

#: Seconds between two looks at the list of runs.
MOMENT = 0.25
_LONGEST_LABEL = 200


def main(project: Path, number: int) -> None:
    """Do a run, unless another process does it already."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a server in the background may have ignored it for all
    with Runs(project) as runs, holding(runs.folder(number)) as mine:
        if not mine or not runs.claim(number):
            return
        asked = runs.get(number).asked
        status, error, kept = _done(runs, number, asked)
        runs.finish(number, status, error=error, kept=kept)


def _done(runs: Runs, number: int, asked: Asked) -> tuple[Status, str | None, bool]:
    """How the run ended, what went wrong, and whether there is a result."""
    folder, found, stopped = runs.folder(number), None, False
    try:
        with Telling(runs.project, number, asked) as telling:
            try:
                with speaking_page():
                    found = find(read_table(folder / asked.table), asked, telling)
            except Interrupted as stop:
                found, stopped = stop.result, True
            except KeyboardInterrupt:
                stopped = True
        if found is not None:
            with speaking_page():
                keep(folder, found)
    except InputError as error:
        said = str(error).removeprefix("data: ")  # there is one table here, and it is no argument
        return "failed", said[:1].upper() + said[1:], False
    except Exception as error:
        import traceback

        traceback.print_exc()  # into the log of the run
        return "failed", _unexpected(error), False
    return ("cancelled" if stopped else "done"), None, found is not None


def _unexpected(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "There is not enough memory for this table: leave out columns or rows, or close other programs."
    if isinstance(error, OSError):
        return f"{error.strerror or error}: free some space or make the folder of the project writable, and run again."
    return f"{type(error).__name__}: {error}. This is a defect of veridag; log.txt in the folder of the run says more."


def read_table(path: Path) -> Data:
    """A table, read with the settings stored next to it."""
    loaded = load(path, TableSettings(strict=False))
    if loaded.later is None:
        return loaded.data
    from veridag.trust.discretizing import discretize

    return discretize(loaded.data, loaded.later)


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def find(data: Data, asked: Asked, progress: Any) -> Report | Learned:
    """What a run is about: the report, or the network of the default learner."""
    jobs = cores()
    if asked.mode == "learn":
        return learn_only(data, asked.title, asked.knowledge, asked.seed, jobs, progress)
    return make_report(
        data,
        knowledge=asked.knowledge,
        seed=asked.seed,
        jobs=jobs,
        title=asked.title,
        command=command_of(asked),
        progress=progress,
        seconds=asked.seconds,
    )


class Telling:
    """The progress callback of a run, and a thread that writes the progress and interrupts the work on demand.

    At the end of the block no interrupt is on its way any more.
    """

    def __init__(self, project: Path, number: int, asked: Asked) -> None:
        self._place, self._asked = (project, number), asked
        self._folder = folder_of(project, number)
        self._told: tuple[str, int, int | None] = ("reading the table", 0, None)
        self._start = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __call__(self, what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
        """How far the work is; see `veridag.progress`."""
        del extra
        self._told = visible_line(what)[:_LONGEST_LABEL], done, total

    def __enter__(self) -> Telling:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        with suppress(KeyboardInterrupt):
            self._thread.join()
            time.sleep(0)  # an interrupt that was on its way arrives here
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _watch(self) -> None:
        interrupted = False
        while not self._ended.wait(MOMENT):
            stop = self._write()
            if stop > 1 or not self._folder.is_dir():  # nobody wants it any more, or the project was deleted
                self._give_up()
            if stop and not interrupted:
                interrupted = True
                _interrupt()

    def _write(self) -> int:
        """Write how far the work is; how often it was asked to stop."""
        label, done, total = self._told
        left = time_left(time.monotonic() - self._start, done, total, self._seconds_left())
        with suppress(InputError), Runs(self._place[0]) as runs:  # a list that is locked must not end the work
            return runs.tell(self._place[1], label, done, total, left)
        return 0

    def _seconds_left(self) -> float | None:
        limit = self._asked.seconds
        return None if limit is None else max(0.0, limit - (time.monotonic() - self._start))

    def _give_up(self) -> None:
        with suppress(InputError), Runs(self._place[0]) as runs:
            runs.finish(self._place[1], "cancelled")
        os._exit(0)


def _interrupt() -> None:
    """What Ctrl-C does to the main thread, also where that waits for something."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()


def time_left(elapsed: float, done: int, total: int | None, limit: float | None) -> float | None:
    """Seconds until the end by the speed so far, never more than what is left of a limit; None if unknown."""
    known = [elapsed * (total - done) / done] if total and 0 < done <= total else []
    return min([*known, *([] if limit is None else [limit])], default=None)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
