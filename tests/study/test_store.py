"""The store: one transaction a cell, nothing twice, and clear words when it cannot write."""

from __future__ import annotations

import os
import shutil
import sqlite3
from dataclasses import replace

import pytest

from veridag.errors import InputError
from veridag.study import store as module
from veridag.study.plan import Cell
from veridag.study.store import Outcome, Store

CELL = Cell("0" * 32, "arithmetic", {"number": 1, "names": ("a", "b")})
DONE = Outcome(CELL, "done", ({"x": 1, "calls": 3}, {"x": None, "calls": 4}), None, 1.0, 0.5)
FAILED = Outcome(CELL, "failed", (), "ValueError: no", 1.0, 0.5)


def rows(store):
    return dict(store.rows([CELL.key]))[CELL.key]


@pytest.mark.medium
def test_what_is_written_comes_back(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.write(DONE)
    with Store(tmp_path / "s.sqlite", read_only=True) as store:
        assert rows(store) == list(DONE.rows)
        record = store.records()[CELL.key]
        assert (record.status, record.error, record.calls, record.seconds) == ("done", None, 7, 0.5)


def test_a_store_of_an_earlier_version_is_read_and_goes_on(tmp_path):
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as old:  # word by word what version 0.1.0 wrote
        old.executescript(
            """
            CREATE TABLE cells (
                key TEXT PRIMARY KEY, kind TEXT NOT NULL, settings TEXT NOT NULL, seed INTEGER NOT NULL,
                status TEXT NOT NULL, error TEXT, version TEXT NOT NULL, started REAL NOT NULL, seconds REAL NOT NULL,
                calls INTEGER
            ) WITHOUT ROWID;
            CREATE TABLE rows (
                key TEXT NOT NULL REFERENCES cells (key), line INTEGER NOT NULL, content TEXT NOT NULL,
                PRIMARY KEY (key, line)
            ) WITHOUT ROWID;
            PRAGMA application_id = 1986294644;
            INSERT INTO cells VALUES ('00000000000000000000000000000000', 'arithmetic',
                '{"names": ["a", "b"], "number": 1}', 0, 'done', NULL, '0.1.0', 1.0, 0.5, 7);
            INSERT INTO rows VALUES ('00000000000000000000000000000000', 0, '{"x": 1, "calls": 3}'),
                ('00000000000000000000000000000000', 1, '{"x": null, "calls": 4}');
            INSERT INTO cells VALUES ('11111111111111111111111111111111', 'arithmetic', '{}', 0, 'stopped',
                'stopped after the time limit of 2 s', '0.1.0', 1.0, 2.0, NULL);
            """
        )
    old.close()
    with Store(path, read_only=True) as store:
        assert rows(store) == list(DONE.rows)
        assert {key: found.status for key, found in store.records().items()} == {"0" * 32: "done", "1" * 32: "stopped"}
    with Store(path) as store:
        store.write(replace(DONE, rows=({"x": 2},)))
        store.write(replace(DONE, cell=replace(CELL, key="1" * 32)))
        assert rows(store) == list(DONE.rows)
        assert {found.status for found in store.records().values()} == {"done"}


def test_a_finished_cell_is_never_written_again(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.write(DONE)
        store.write(replace(DONE, rows=({"x": 2},), seconds=9.0))
        store.write(FAILED)
        assert rows(store) == list(DONE.rows)
        assert store.records()[CELL.key].seconds == 0.5


def test_a_failed_cell_gives_way_to_a_result(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.write(FAILED)
        assert store.records()[CELL.key].error == "ValueError: no"
        store.write(DONE)
        assert store.records()[CELL.key].status == "done"
        assert rows(store) == list(DONE.rows)


def test_a_cell_is_written_whole_or_not_at_all(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        with pytest.raises(TypeError):  # the second row is no JSON
            store.write(replace(DONE, rows=({"x": 1}, {"x": object()})))
        store._connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON rows BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
        )
        with pytest.raises(InputError, match="the disk is full: free some space"):
            store.write(DONE)
        assert store.records() == {}
        store._connection.execute("DROP TRIGGER full")
        store.write(DONE)
        assert rows(store) == list(DONE.rows)


class FullConnection(sqlite3.Connection):
    is_full = True

    def execute(self, sql, *values):
        if sql == "COMMIT" and self.is_full:
            raise sqlite3.OperationalError("database or disk is full")
        return super().execute(sql, *values)


def test_a_disk_that_is_full_at_the_commit_loses_that_cell_alone(tmp_path, monkeypatch):
    path = tmp_path / "s.sqlite"
    other = replace(DONE, cell=replace(CELL, key="1" * 32))
    with Store(path) as store:
        store.write(other)
    monkeypatch.setattr(
        module, "_connect", lambda path, read_only: sqlite3.connect(path, isolation_level=None, factory=FullConnection)
    )
    with Store(path) as store:
        with pytest.raises(InputError, match=r"disk is full.*finished cells are saved"):
            store.write(DONE)
        assert set(store.records()) == {other.cell.key}  # nothing of it is left in the store that goes on
        store._connection.is_full = False
        store.write(replace(DONE, cell=replace(CELL, key="2" * 32)))
    monkeypatch.undo()
    with Store(path) as store:
        assert set(store.records()) == {other.cell.key, "2" * 32}
        store.write(DONE)
        assert set(store.records()) == {other.cell.key, "2" * 32, CELL.key}


def test_a_read_only_store_is_told_before_any_work(tmp_path, monkeypatch):
    path = tmp_path / "s.sqlite"
    Store(path).__exit__(None, None, None)

    def read_only(path, _):
        return sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)

    monkeypatch.setattr(module, "_connect", read_only)  # permissions do not bind every user that runs tests
    with pytest.raises(InputError, match="the file is read-only: make it and its folder writable, or give --store"):
        Store(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_store_in_a_folder_that_cannot_be_written_to(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        store.write(DONE)
    tmp_path.chmod(0o500)
    path.chmod(0o400)
    try:
        with Store(path, read_only=True) as store:
            assert rows(store) == list(DONE.rows)
        with pytest.raises(InputError, match=r"read-only|cannot be opened"):
            Store(path)
    finally:
        tmp_path.chmod(0o700)


def test_changes_that_a_killed_process_had_not_finished_are_undone_by_whoever_reads_next(tmp_path):
    with sqlite3.connect(tmp_path / "begun.sqlite", isolation_level=None) as begun:
        begun.execute("CREATE TABLE x (y)")
        begun.execute("PRAGMA cache_size = 1")
        begun.execute("BEGIN")
        begun.execute("DROP TABLE x")
        begun.execute("CREATE TABLE cells (x)")
        begun.executemany("INSERT INTO cells VALUES (?)", [("x" * 4000,)] * 20)
        for ending in ("", "-journal"):  # as a process that is killed now leaves them
            shutil.copy(tmp_path / f"begun.sqlite{ending}", tmp_path / f"s.sqlite{ending}")
    begun.close()
    with pytest.raises(InputError, match="has no studies"):  # the table x, as before
        Store(tmp_path / "s.sqlite", read_only=True)


def test_paths_that_are_no_store(tmp_path):
    with pytest.raises(InputError, match="cannot be opened: its folder must exist"):
        Store(tmp_path / "nowhere" / "s.sqlite")
    with pytest.raises(InputError, match="there is no such file: run the study first"):
        Store(tmp_path / "s.sqlite", read_only=True)
    (tmp_path / "text.sqlite").write_text("just some text, long enough to be looked at" * 20)
    with pytest.raises(InputError, match="not an SQLite file"):
        Store(tmp_path / "text.sqlite")
    with sqlite3.connect(tmp_path / "other.sqlite") as other:
        other.execute("CREATE TABLE cells (x)")
    other.close()
    with pytest.raises(InputError, match="has no studies"):
        Store(tmp_path / "other.sqlite")
