"""What a worker process of a study runs: ``python -m veridag.study.worker KIND BYTES``."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

from veridag.work.job_process import serve

from . import kinds
from .kind import Kind, Row, Settings
from .shared import Shared


def main() -> None:
    """Do cells until there are no more."""
    serve(_prepare)


def _prepare() -> Callable[[dict[str, Any]], dict[str, Any]]:
    kind, shared = kinds.load(sys.argv[1]), Shared(int(sys.argv[2]))
    gc.freeze()  # modules stay, and need not be looked through again and again
    return lambda job: run_cell(kind, job, shared)


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
            raise TypeError(f"column {name!r} is a {type(number).__name__}; a row can have only strings and numbers")
        if name in settings:
            raise TypeError(f"column {name!r} is already a setting of the cell: use another name for the measurement")
        plain[name] = number
    return plain


if __name__ == "__main__":
    main()
