"""The other end of a worker process: reads jobs, one a line, does them, and writes what came of each.

Started as ``python -m veridag.study.worker KIND BYTES``. Lines are JSON. When the process that started it is gone, its
standard input ends and it leaves at once, whatever it is doing.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from typing import IO, Any

from . import kinds
from .kind import Kind, Row, Settings
from .shared import Shared


def main() -> None:
    """Do jobs until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the coordinator hears an interrupt, and decides
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(jobs,), daemon=True).start()
    try:
        kind = kinds.load(sys.argv[1])
    except Exception as error:
        _answer(answers, {"broken": f"{type(error).__name__}: {error}"})
        return
    shared = Shared(int(sys.argv[2]))
    _answer(answers, {"ready": True})
    while True:
        _answer(answers, run_cell(kind, jobs.get(), shared))


def _listen(jobs: queue.SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        jobs.put(json.loads(line))
    os._exit(0)


def _answer(answers: IO[str], content: dict[str, Any]) -> None:
    answers.write(f"{json.dumps(content)}\n")
    answers.flush()


def run_cell(kind: Kind, job: dict[str, Any], shared: Shared) -> dict[str, Any]:
    """What came of one cell, whatever it raises."""
    settings: Settings = {k: tuple(v) if isinstance(v, list) else v for k, v in job["settings"].items()}
    started, clock = time.time(), time.perf_counter()
    rows: list[Row] = []
    error = None
    try:
        rows = [_plain(row, settings) for row in kind.run(settings, job["seed"], shared)]
    except Exception as problem:
        error = f"{type(problem).__name__}: {problem}"
    return {"rows": rows, "error": error, "started": started, "seconds": time.perf_counter() - clock}


def _plain(row: Row, settings: Settings) -> Row:
    """A row with numpy's numbers as Python's, and with no column twice."""
    plain: Row = {}
    for name, value in row.items():
        number: object = getattr(value, "item", lambda value=value: value)()
        if number is not None and not isinstance(number, str | int | float | bool):
            raise TypeError(f"column {name!r} is a {type(number).__name__}; a row has texts and numbers")
        if name in settings:
            raise TypeError(f"column {name!r} is a setting of the cell already; measure it under another name")
        plain[name] = number
    return plain


if __name__ == "__main__":
    main()
