"""The runs of a project: an SQLite file that the server and the workers write to, and a folder for each run."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from veridag.errors import InputError
from veridag.files.databases import transaction

from .asked import Asked

Status = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]

#: A run in one of these goes on by itself.
ACTIVE: tuple[Status, ...] = ("queued", "running")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, status TEXT NOT NULL, asked TEXT NOT NULL, version TEXT NOT NULL,
    made REAL NOT NULL, started REAL, ended REAL, label TEXT NOT NULL DEFAULT '', done INTEGER NOT NULL DEFAULT 0,
    total INTEGER, time_left REAL, stop INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, error TEXT,
    kept INTEGER NOT NULL DEFAULT 0
);
"""
_FILE = "runs.sqlite"
#: How long to wait for another process that writes, in seconds.
_PATIENCE = 30
#: Marks the file as one of ours, so that another program's database is not written to.
_APPLICATION = 0x76647275


@dataclass(frozen=True)
class Run:
    """One run, as it was when it was read.

    Times are those of ``time.time``. `done` of `total` units of work are done, and `time_left` is an estimate in
    seconds; both may be unknown. `kept` if there is a result, also of a run that was stopped. `stop` is how often
    somebody asked it to stop.
    """

    number: int
    status: Status
    asked: Asked
    version: str
    made: float
    started: float | None
    ended: float | None
    label: str
    done: int
    total: int | None
    time_left: float | None
    stop: int
    attempts: int
    error: str | None
    kept: bool

    @property
    def is_active(self) -> bool:
        """Whether it waits or is at work."""
        return self.status in ACTIVE


class Runs:
    """The runs of one project, in its folder. Use it in a with statement, in one thread."""

    def __init__(self, project: str | Path) -> None:
        self.project = Path(project)
        with self._explained():
            self._connection = sqlite3.connect(self.project / _FILE, timeout=_PATIENCE, isolation_level=None)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        """Make the table, unless it is there. Several processes may do so at the same time."""
        with self._explained():
            if self._is_prepared():
                return
            self._log_ahead()
        with self._transaction():
            if not self._is_prepared():
                self._connection.execute(_SCHEMA)
                self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")

    def _is_prepared(self) -> bool:
        # One statement, so that nothing can change between the two.
        ask = "SELECT application_id, (SELECT count(*) FROM sqlite_master) FROM pragma_application_id"
        mark, tables = self._connection.execute(ask).fetchone()
        if mark != _APPLICATION and tables:
            raise InputError(f"{self.project / _FILE}: this database holds no runs: move it away, and try again")
        return bool(mark == _APPLICATION)

    def _log_ahead(self) -> None:
        """The write-ahead log survives a killed process, and readers do not wait for writers."""
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:  # for this alone, SQLite does not wait by itself
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
            time.sleep(0.01)

    def __enter__(self) -> Runs:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        self._connection.close()

    def folder(self, number: int) -> Path:
        """Where the files of a run are."""
        return folder_of(self.project, number)

    # ---- reading

    def all(self) -> list[Run]:
        """All runs, the newest first."""
        return self._found("SELECT * FROM runs ORDER BY number DESC")

    def get(self, number: int) -> Run:
        """One run."""
        found = self._found("SELECT * FROM runs WHERE number = ?", number)
        if not found:
            raise InputError(f"there is no run {number}: it may have been deleted")
        return found[0]

    def _found(self, query: str, *values: object) -> list[Run]:
        with self._explained():
            cursor = self._connection.execute(query, values)
            names = [column[0] for column in cursor.description]
            lines = [dict(zip(names, line, strict=True)) for line in cursor]
        return [Run(**{**one, "asked": Asked.from_json(one["asked"]), "kept": bool(one["kept"])}) for one in lines]

    # ---- what the server writes

    def add(self, asked: Asked, version: str, fill: Callable[[Path], None]) -> Run:
        """Queue a run; `fill` puts into its folder what the worker needs, before any worker sees it."""
        folder: Path | None = None
        try:
            with self._transaction():
                values = ("queued", asked.to_json(), version, time.time())
                added = self._connection.execute(
                    "INSERT INTO runs (status, asked, version, made) VALUES (?, ?, ?, ?)", values
                )
                assert added.lastrowid is not None
                folder = self.folder(added.lastrowid)
                shutil.rmtree(folder, ignore_errors=True)  # of a run that was begun when the machine stopped
                folder.mkdir(parents=True)
                fill(folder)
        except BaseException:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        return self.get(int(folder.name))

    def ask_to_stop(self, number: int) -> Run:
        """Cancel a run: at once if it waits; a worker sees it soon, and the second time gives up at once."""
        now = time.time()
        waits = self._change("status = 'cancelled', ended = ?", number, now, only="queued")
        if not waits:
            self._change("stop = stop + 1", number, only="running")
        return self.get(number)

    def queue_again(self, number: int, most_attempts: int | None = None) -> bool:
        """Have a run done again that does not go on by itself; not one that was tried so often already."""
        run = self.get(number)
        if run.status in ("queued", "done") or (most_attempts is not None and run.attempts >= most_attempts):
            return False
        fresh = "label = '', done = 0, total = NULL, time_left = NULL, stop = 0, error = NULL, kept = 0, ended = NULL"
        return self._change(f"status = 'queued', {fresh}", number, only=run.status)

    def remove(self, number: int) -> None:
        """Delete a run that is not at work, with its files."""
        if self.get(number).status == "running":
            raise InputError(f"run {number} is at work: cancel it first")
        with self._transaction():
            self._connection.execute("DELETE FROM runs WHERE number = ? AND status != 'running'", (number,))
        shutil.rmtree(self.folder(number), ignore_errors=True)

    # ---- what the worker writes

    def claim(self, number: int) -> bool:
        """Begin a run that waits; False if it does not wait any more."""
        said = "status = 'running', started = ?, attempts = attempts + 1"
        return self._change(said, number, time.time(), only="queued")

    def tell(self, number: int, label: str, done: int, total: int | None, time_left: float | None) -> int:
        """Write how far a run is; how often it was asked to stop by now."""
        self._change(
            "label = ?, done = ?, total = ?, time_left = ?", number, label, done, total, time_left, only="running"
        )
        return self.get(number).stop

    def finish(self, number: int, status: Status, *, error: str | None = None, kept: bool = False) -> bool:
        """Write how a run ended; False if it was not at work."""
        said = "status = ?, ended = ?, error = ?, kept = ?, time_left = NULL"
        return self._change(said, number, status, time.time(), error, kept, only="running")

    def fail_to_start(self, number: int, error: str) -> bool:
        """Write why no worker began a run; False if one did."""
        return self._change("status = 'failed', ended = ?, error = ?", number, time.time(), error, only="queued")

    # ---- SQLite

    def _change(self, said: str, number: int, *values: Any, only: Status) -> bool:
        """Change a run, if it is in this status."""
        with self._transaction():
            query = f"UPDATE runs SET {said} WHERE number = ? AND status = ?"
            return self._connection.execute(query, (*values, number, only)).rowcount == 1

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._explained(), transaction(self._connection):
            yield

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What SQLite complains about, with what to do about it."""
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(f"{self.project / _FILE}: {_remedy(str(error))}") from error


def folder_of(project: Path, number: int) -> Path:
    """Where the files of a run of a project are."""
    return project / "runs" / str(int(number))


def stop_all(project: Path) -> None:
    """End all runs of a project at once, before it is deleted; a list that cannot be read is deleted with it."""
    with suppress(InputError), Runs(project) as runs:
        for run in runs.all():
            if run.is_active:
                runs.ask_to_stop(run.number)
                runs.ask_to_stop(run.number)


def _remedy(message: str) -> str:
    if "full" in message or "disk I/O" in message:
        return "the disk is full or fails: free some space, and try again; finished runs are safe"
    if "locked" in message:
        return "another program keeps the file locked: close it, and try again"
    if "readonly" in message or "unable to open" in message:
        return "the file cannot be written: make it and its folder writable, and try again"
    return f"{message}: restore a copy of the file, or move it away to begin without runs"
