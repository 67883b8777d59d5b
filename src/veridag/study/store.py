"""The store of results: an SQLite file, to which one transaction a cell is written, by the coordinator alone."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Literal, get_args

from veridag.errors import InputError
from veridag.files.databases import transaction

from .kind import Row, Value
from .plan import Cell

Status = Literal["done", "failed", "stopped"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS cells (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, settings TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL, error TEXT, version TEXT NOT NULL, started REAL NOT NULL, seconds REAL NOT NULL, calls INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rows (
    key TEXT NOT NULL REFERENCES cells (key), line INTEGER NOT NULL, content TEXT NOT NULL, PRIMARY KEY (key, line)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS digests (key TEXT PRIMARY KEY REFERENCES cells (key), digest TEXT NOT NULL) WITHOUT ROWID;
"""
#: The columns of each table; a store of an earlier version has no digests.
_LAYOUT = {
    "cells": ["key", "kind", "settings", "seed", "status", "error", "version", "started", "seconds", "calls"],
    "rows": ["key", "line", "content"],
    "digests": ["key", "digest"],
}
#: Raise it when a store can no longer be read by earlier versions; it is the user_version of the file.
_FORMAT = 1
_OTHER = "restore a copy of it, or give --store another path"
# A finished cell stays as it is, whoever brings it again; one that failed or was stopped gives way to another try.
_INSERT = """
INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET status = excluded.status,
    error = excluded.error, version = excluded.version, started = excluded.started, seconds = excluded.seconds,
    calls = excluded.calls
WHERE cells.status != 'done'
"""
#: Marks a file as a store of studies, so that another program's database is not written to.
_APPLICATION = 0x76647374


@dataclass(frozen=True)
class Outcome:
    """What came of a cell: rows if it is done, else the error, or that it was stopped by the time limit."""

    cell: Cell
    status: Status
    rows: tuple[Row, ...]
    error: str | None
    started: float
    seconds: float
    #: of veridag, if it was not this one that did the cell
    version: str | None = None

    def __post_init__(self) -> None:
        assert self.status in get_args(Status)

    @property
    def calls(self) -> int | None:
        """Calls of the criterion in all rows; None if no row has any."""
        found = [row["calls"] for row in self.rows if isinstance(row.get("calls"), int)]
        return sum(found) if found else None  # type: ignore[arg-type]


@dataclass(frozen=True)
class Record:
    """A cell as the store has it."""

    key: str
    status: Status
    error: str | None
    version: str
    started: float
    seconds: float
    calls: int | None

    @property
    def is_sound(self) -> bool:
        """Whether each value is of the type that is written; SQLite takes any."""
        return (
            all(isinstance(text, str) for text in (self.key, self.status, self.version))
            and self.status in get_args(Status)
            and isinstance(self.error, str | None)
            and (self.error is None) == (self.status == "done")
            and all(isinstance(number, int | float) for number in (self.started, self.seconds))
            and isinstance(self.calls, int | None)
        )


class Store:
    """Results by the key of their cell. Use it in a with statement."""

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        if read_only and not self.path.is_file():
            raise InputError(f"store {str(path)!r}: there is no such file: run the study first, or give --store")
        self._version = version("veridag")
        with self._explained():
            self._connection = _connect(self.path, read_only)
        try:
            self._prepare(read_only)
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self, read_only: bool) -> None:
        with self._explained():
            mark = self._connection.execute("PRAGMA application_id").fetchone()[0]
            tables = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if mark != _APPLICATION and tables:
            raise InputError(f"store {str(self.path)!r}: this database has no studies: give --store another name")
        if mark == _APPLICATION:
            self._check()
        if read_only:
            if mark != _APPLICATION:
                raise InputError(f"store {str(self.path)!r} is empty: run the study first, or give --store")
            return
        with self._explained():
            # The write-ahead log survives a killed process; only a power cut can lose the last cells.
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            # Try to write, so that a read-only store is told before the work.
            self._connection.executescript("BEGIN IMMEDIATE; PRAGMA user_version = 1; ROLLBACK;")
            marks = f"PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_FORMAT};"
            self._connection.executescript(f"BEGIN; {_SCHEMA} {marks} COMMIT;")
            self._has_digests = True

    def _check(self) -> None:
        """Refuse a store that is damaged, of a later version, or not as veridag makes them."""
        with self._explained():
            found = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if found > _FORMAT:
                raise InputError(
                    f"store {str(self.path)!r} was written by a later version of veridag (its format is {found}, and "
                    f"this version reads up to {_FORMAT}): update veridag, or give --store another path"
                )
            state = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if state != "ok":
                raise self._damaged(" ".join(str(state).split()))
            made = self._connection.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
            names = {name for (name,) in made}
            layout = {
                name: [column[1] for column in self._connection.execute(f"PRAGMA table_info({name})")]
                for name in _LAYOUT
                if name in names
            }
        expected = {name: columns for name, columns in _LAYOUT.items() if name in layout or name != "digests"}
        if names != {*expected} or layout != expected:
            raise self._altered("its tables are not those of a study store")
        self._has_digests = "digests" in layout

    def _damaged(self, reason: str) -> InputError:
        return InputError(f"store {str(self.path)!r} is damaged ({reason}), and its results may be too: {_OTHER}")

    def _altered(self, reason: str) -> InputError:
        return InputError(f"store {str(self.path)!r} was changed by another program: {reason}; {_OTHER}")

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        self._connection.close()

    def write(self, outcome: Outcome) -> None:
        """Write what came of a cell, all of it or nothing; a cell that is done already is left as it is."""
        cell = outcome.cell
        head = (
            *(cell.key, cell.kind, json.dumps(dict(cell.settings), sort_keys=True), cell.seed),
            *(outcome.status, outcome.error, outcome.version or self._version),
            *(outcome.started, outcome.seconds, outcome.calls),
        )
        lines = [(cell.key, line, json.dumps(row)) for line, row in enumerate(outcome.rows)]
        with self._explained(), transaction(self._connection):
            if self._connection.execute(_INSERT, head).rowcount == 1:
                self._connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", lines)
                digest = _digest(head[:6], [content for _, _, content in lines])
                self._connection.execute("INSERT OR REPLACE INTO digests VALUES (?, ?)", (cell.key, digest))

    def records(self) -> dict[str, Record]:
        """All cells by key, without their rows."""
        columns = "key, status, error, version, started, seconds, calls"
        with self._explained():
            found = [Record(*line) for line in self._connection.execute(f"SELECT {columns} FROM cells")]
        for record in found:
            if not record.is_sound:
                raise self._altered(f"the cell {str(record.key)[:40]!r} has values that veridag does not write")
        return {record.key: record for record in found}

    def rows(self, keys: Iterable[str]) -> Iterator[tuple[str, list[Row]]]:
        """The rows of finished cells, in the order of the keys."""
        query = "SELECT content FROM rows WHERE key = ? ORDER BY line"
        with self._explained():
            for key in keys:
                contents = [content for (content,) in self._connection.execute(query, (key,))]
                self._check_digest(key, contents)
                yield key, [self._row(key, content) for content in contents]

    def _row(self, key: str, content: object) -> Row:
        try:
            row = json.loads(content)  # type: ignore[arg-type] # what is no text is an error
        except (TypeError, ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or not all(isinstance(value, Value | None) for value in row.values()):
            raise self._altered(f"a row of the cell {key!r} cannot be read")
        return row

    def _check_digest(self, key: str, contents: list[str]) -> None:
        """Compare a cell with what was written; a cell of an earlier version has no digest."""
        if not self._has_digests:
            return
        stored = self._connection.execute("SELECT digest FROM digests WHERE key = ?", (key,)).fetchone()
        head = self._connection.execute(
            "SELECT key, kind, settings, seed, status, error FROM cells WHERE key = ?", (key,)
        ).fetchone()
        if stored is not None and (head is None or stored[0] != _digest(head, contents)):
            raise self._altered(f"the cell {key!r} is not as it was written")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What SQLite complains about, with what to do about it."""
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(f"store {str(self.path)!r}: {_remedy(error)}") from error


def _digest(head: Iterable[object], contents: list[str]) -> str:
    """A cell in 64 characters: what it is, its status and error, and its rows as they are in the file."""
    return hashlib.sha256(json.dumps([*head, *contents], default=repr).encode()).hexdigest()


def _connect(path: Path, read_only: bool) -> sqlite3.Connection:
    if not read_only:
        return sqlite3.connect(path, timeout=30, isolation_level=None)
    # SQLite reads a write-ahead log by writing beside it, unless it is told that nobody changes the file.
    still = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    # What a process left that was killed while it made the file is undone first.
    mode = "rw" if path.with_name(f"{path.name}-journal").exists() else "ro"
    address = f"{path.resolve().as_uri()}?mode={mode}{'&immutable=1' if still else ''}"
    return sqlite3.connect(address, uri=True, timeout=30, isolation_level=None)


def _remedy(error: sqlite3.Error) -> str:
    message = str(error)
    if "full" in message:
        return "the disk is full: free some space and run again; finished cells are saved"
    if "disk I/O" in message:
        return "the disk is full or failing: fix this and run again; finished cells are saved"
    if "readonly" in message:
        return "the file is read-only: make it and its folder writable, or give --store another path"
    if "unable to open" in message:
        return "the file cannot be opened: its folder must exist and be writable, or give --store another path"
    if "locked" in message:
        return "another program locks the file: wait until it ends, and run again"
    if "not a database" in message:
        return "this is not an SQLite file: give --store another path"
    if "malformed" in message or "no such" in message:
        return f"the file is damaged or was changed ({message}), and its results may be too: {_OTHER}"
    return f"{message}: fix this and run again, or give --store another path"
