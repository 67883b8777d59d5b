"""A table or view of a SQLite database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules
from veridag.errors import InputError

from .choosing import chosen_table
from .content import Content, FileOptions, Format, damaged
from .values import value_column

if TYPE_CHECKING:
    import sqlite3

_START = b"SQLite format 3\0"
_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


def _read(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    with _opened(content) as connection:
        return _table(connection, chosen_table(_names(connection), options.sheet), rules)


def _tables(content: Content) -> list[str]:
    with _opened(content) as connection:
        return _names(connection)


def _names(connection: sqlite3.Connection) -> list[str]:
    return [str(name) for (name,) in connection.execute(_TABLES)]


@contextmanager
def _opened(content: Content) -> Iterator[sqlite3.Connection]:
    import sqlite3  # here, since some builds of Python are without it

    if not content.head.startswith(_START):
        raise InputError("it is not an SQLite database: pass one, or rename the file with the right suffix")
    try:
        with content.on_disk() as path, closing(_connected(path)) as connection:
            yield connection
    except (sqlite3.Error, OverflowError) as error:
        raise damaged(
            "a SQLite database", error, "repair it with the sqlite3 program, or save the table as .csv"
        ) from None


def _connected(path: Path) -> sqlite3.Connection:
    """Read only, and without the functions by which the views of a stranger could do anything else than select."""
    import sqlite3

    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _table(connection: sqlite3.Connection, name: str, rules: Rules) -> RawTable:
    quoted = '"' + name.replace('"', '""') + '"'
    cursor = connection.execute(f"SELECT * FROM {quoted}")
    names = [str(description[0]) for description in cursor.description]
    rows = cursor.fetchall()
    if not rows:
        raise InputError(f"the table {name!r} has no rows: it needs at least one")
    columns = zip(*rows, strict=True)
    return RawTable([value_column(*pair, rules) for pair in zip(names, columns, strict=True)], len(rows))


SQLITE = Format(
    "a SQLite database",
    (".sqlite", ".sqlite3", ".db"),
    _read,
    lambda content: content.head.startswith(_START),
    takes=("sheet",),
    tables=_tables,
)
