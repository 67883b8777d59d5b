"""Files read in a separate process: damaged ones can crash pyreadstat, written in C, or make polars abort.

The process is started when it is first needed and serves until this one ends. It runs this file itself, by its path and
without veridag, so that it is there as soon as the reader is. Jobs and answers are pickles; each side trusts the other.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import threading
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

#: What is used of all that pyreadstat knows about a file.
_FIELDS = ("variable_value_labels", "original_variable_types", "missing_ranges", "variable_to_label", "value_labels")

#: Without the folder of this file on the path, where modules have the names of formats.
_COMMAND = [sys.executable, "-P", __file__]


class ReaderError(Exception):
    """What the reader said of a file, or that it crashed."""


_turn = threading.Lock()
_process: subprocess.Popen[bytes] | None = None
_owner = 0  # the process that started it, since a fork must not talk to the same one


def read_apart(reader: str, path: str, **options: Any) -> tuple[dict[str, Any], SimpleNamespace]:
    """The columns of a file by name, and what else is known of it, from the named function of pyreadstat.

    Raises `ReaderError` if the file cannot be read.
    """
    columns, fields = _content((reader, path, options))
    return columns, SimpleNamespace(**fields)


def try_apart(reader: str, path: str) -> None:
    """Read a file by the named function of polars and forget it; raises `ReaderError` if it cannot be read.

    A length in a damaged file can ask for more memory than any machine has, and then polars ends the whole process.
    """
    _content((f"polars.{reader}", path, {}))


def try_rows_apart(scanner: str, path: str, places: list[int], start: int, rows: int) -> None:
    """The same for some rows and columns of a file, by a function of polars that reads when it is asked for them."""
    _content((f"polars.{scanner}", path, {"places": places, "start": start, "rows": rows}))


def shape_apart(scanner: str, path: str) -> tuple[int, list[str]]:
    """How many rows a file says that it has, and the names of its columns."""
    rows, names = _content((f"polars.{scanner}", path, {}))
    return int(rows), names


def _content(job: tuple[str, str, dict[str, Any]]) -> Any:
    reader, path, options = job
    with _turn:
        try:
            kind, content = _ask((reader, os.path.abspath(path), options))  # the other may be in another folder
        except (EOFError, OSError, pickle.UnpicklingError):
            _end()
            raise ReaderError("its reader crashed: the file may be damaged") from None
        except BaseException:  # an interrupt: what is still to come answers nothing that is asked later
            _end()
            raise
    if kind == "table":
        return content
    raise (MemoryError if kind == "memory" else ReaderError)(content)


def _ask(job: tuple[str, str, dict[str, Any]]) -> tuple[str, Any]:
    global _process, _owner
    if _process is None or _owner != os.getpid():
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}
        _process = subprocess.Popen(
            _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        _owner = os.getpid()
    assert _process.stdin is not None
    assert _process.stdout is not None
    pickle.dump(job, _process.stdin)
    _process.stdin.flush()
    answer: tuple[str, Any] = pickle.load(_process.stdout)  # of our own process
    return answer


@atexit.register
def _end() -> None:
    """End the process, if there is one; the next job starts another."""
    global _process
    process, _process = _process, None
    if process is None or _owner != os.getpid():
        return
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):  # of what was to be written to a process that is gone
                stream.close()


def _serve() -> None:
    """Do jobs until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not come between the answers
    while True:
        try:
            job = pickle.load(sys.stdin.buffer)  # from the process that started this one
        except EOFError:
            return
        pickle.dump(_answer(*job), answers)
        answers.flush()


def _answer(reader: str, path: str, options: dict[str, Any]) -> tuple[str, Any]:
    try:
        if reader.startswith("polars."):
            import polars as pl

            table = getattr(pl, reader.removeprefix("polars."))(path)
            if isinstance(table, pl.DataFrame):
                return "table", None
            if options:
                table.select(pl.nth(options["places"])).slice(options["start"], options["rows"]).collect()
                return "table", None
            return "table", (table.select(pl.len()).collect().item(), table.collect_schema().names())
        import pyreadstat

        columns, meta = getattr(pyreadstat, reader)(path, output_format="dict", **options)
        return "table", (dict(columns), {field: getattr(meta, field) for field in _FIELDS})
    except MemoryError as error:
        return "memory", str(error)
    except BaseException as error:  # a panic of Rust is no Exception
        return "error", str(error) or type(error).__name__


if __name__ == "__main__":
    _serve()
