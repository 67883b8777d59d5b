"""SQLite: changes that are made whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All changes of the block, or none if it raises. The connection must not begin transactions by itself."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # the error of the block says more
            if connection.in_transaction:  # SQLite itself may have ended it
                connection.execute("ROLLBACK")
        raise
