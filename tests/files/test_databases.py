"""Transactions of SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from veridag.files.databases import transaction


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(":memory:", isolation_level=None)
    opened.execute("CREATE TABLE numbers (n INTEGER)")
    yield opened
    opened.close()


def numbers(connection: sqlite3.Connection) -> list[int]:
    return [n for (n,) in connection.execute("SELECT n FROM numbers ORDER BY n")]


def add(connection: sqlite3.Connection, n: int) -> None:
    connection.execute("INSERT INTO numbers VALUES (?)", (n,))


def test_all_changes_of_a_block_are_kept(connection):
    with transaction(connection):
        add(connection, 1)
        add(connection, 2)
    assert numbers(connection) == [1, 2]
    assert not connection.in_transaction


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, sqlite3.OperationalError])
def test_no_change_of_a_block_that_raises_is_kept(connection, error):
    def fail() -> None:
        with transaction(connection):
            add(connection, 1)
            raise error("wrong")

    with pytest.raises(error, match="wrong"):
        fail()
    assert numbers(connection) == []
    assert not connection.in_transaction


@pytest.mark.parametrize("end", [lambda c: c.execute("ROLLBACK"), lambda c: c.close()])
def test_the_error_of_the_block_is_told_if_the_transaction_has_ended_already(connection, end):
    def fail() -> None:
        with transaction(connection):
            end(connection)
            raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        fail()
