"""A store that is malformed, of a later version or altered is named as such, and never called safe."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

import veridag as vd
from veridag.study.plan import Cell
from veridag.study.store import Outcome, Store

CELL = Cell("0" * 32, "arithmetic", {"number": 1, "names": ("a", "b")})
DONE = Outcome(CELL, "done", tuple({"x": i, "calls": 3} for i in range(50)), None, 1.0, 0.5)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        store.write(DONE)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path


def _alter(path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            connection.execute(statement)


def _read(path) -> list[object]:
    with Store(path, read_only=True) as store:
        return [dict(row) for key in store.records() for _, rows in store.rows([key]) for row in rows]


def _refusal(path) -> str:
    with pytest.raises(vd.InputError) as error:
        _read(path)
    said = str(error.value)
    assert str(path) in said
    assert "safe" not in said
    assert "\n" not in said
    return said


def test_what_was_written_is_read(path):
    assert _read(path) == list(DONE.rows)


@pytest.mark.parametrize("read_only", [True, False])
def test_a_store_of_a_later_version_is_named(path, read_only):
    _alter(path, "PRAGMA user_version = 7")
    before = path.read_bytes()
    with pytest.raises(vd.InputError, match=r"written by a later version of veridag \(its format is 7.*update veridag"):
        Store(path, read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        'UPDATE rows SET content = \'{"x": 99, "calls": 3}\' WHERE line = 7',
        "DELETE FROM rows WHERE line = 49",
        "INSERT INTO rows SELECT key, 50, content FROM rows WHERE line = 0",
        "UPDATE cells SET seed = seed + 1",
        "UPDATE cells SET settings = '{}'",
        "UPDATE cells SET kind = 'other'",
        "UPDATE rows SET content = 'no JSON' WHERE line = 3",
        "UPDATE cells SET status = 'perfect'",
        "UPDATE cells SET error = 'none'",
        "UPDATE cells SET seconds = 'soon'",
        "UPDATE cells SET calls = 'many'",
        "DROP TABLE rows",
        "ALTER TABLE cells DROP COLUMN version",
        "CREATE TABLE more (x)",
        "CREATE TRIGGER t AFTER INSERT ON cells BEGIN DELETE FROM rows; END",
        "CREATE VIEW v AS SELECT * FROM cells",
    ],
)
def test_an_altered_store_is_named(path, statement):
    _alter(path, statement)
    assert "was changed by another program" in _refusal(path)


@pytest.mark.parametrize("content", ["'no JSON'", "'[1]'", "'{\"x\": [1]}'", "x'00ff'", "12"])
def test_rows_that_cannot_be_read_are_named_also_without_a_digest(path, content):
    _alter(path, "DELETE FROM digests", f"UPDATE rows SET content = {content} WHERE line = 3")
    assert "a row of the cell" in _refusal(path)


def test_a_malformed_store_is_named(path):
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:18], "big")
    found = set()
    for page in range(1, len(content) // size):
        damaged = bytearray(content)
        damaged[page * size : page * size + 200] = b"\xff" * 200
        path.write_bytes(damaged)
        found.add("damaged" in _refusal(path))
    path.write_bytes(content[: len(content) - size])
    found.add("damaged" in _refusal(path))
    assert found == {True}


def test_a_file_that_is_no_database_is_named(path):
    path.write_bytes(b"no database at all" * 100)
    assert "not an SQLite file" in _refusal(path)


def test_a_cell_that_failed_first_has_the_digest_of_its_result(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.write(Outcome(CELL, "failed", (), "ValueError: no", 1.0, 0.5))
        store.write(DONE)
        assert next(iter(store.rows([CELL.key])))[1] == list(DONE.rows)
