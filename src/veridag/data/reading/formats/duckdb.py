"""A table or view of a DuckDB database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules
from veridag.errors import InputError, import_optional, require

from .choosing import chosen_table
from .content import Content, FileOptions, Format
from .panics import one_line

if TYPE_CHECKING:
    import polars as pl

# A view of a stranger must not read other files or fetch anything.
_CLOSED = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
}
_TABLES = "SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL"


def _read(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    with _opened(content) as connection:
        places = _places(connection)
        name = chosen_table(list(places), options.sheet)
        return _table(connection, name, places[name])


def _tables(content: Content) -> list[str]:
    with _opened(content) as connection:
        return list(_places(connection))


def _places(connection: Any) -> dict[str, tuple[str, str]]:
    return {_name(*place): place for place in connection.execute(_TABLES).fetchall()}


@contextmanager
def _opened(content: Content) -> Iterator[Any]:
    duckdb = import_optional("duckdb", "a DuckDB database", "files")
    require("polars", "a DuckDB database", "files")
    remedy = "save it again with this version of DuckDB, or the table as .parquet"
    with (
        one_line("a DuckDB database", remedy, duckdb.Error),
        content.on_disk() as path,
        closing(duckdb.connect(str(path), read_only=True, config=_CLOSED)) as connection,
    ):
        yield connection


def _name(schema: str, table: str) -> str:
    return table if schema == "main" else f"{schema}.{table}"


def _table(connection: Any, name: str, place: tuple[str, str]) -> RawTable:
    import polars as pl

    from veridag.data.reading.polars_columns import from_polars

    table = ".".join(map(_quoted, place))
    frame = pl.DataFrame(connection.sql(f"SELECT * FROM {table}"))
    if not frame.height:
        raise InputError(f"the table {name!r} has no rows: it needs at least one")
    columns = []
    for series in frame:
        if series.dtype == pl.Categorical:  # the type of ENUM, without the values that do not occur
            query = f"SELECT enum_range({_quoted(series.name)}) FROM {table} LIMIT 1"
            [(states,)] = connection.execute(query).fetchall()
            columns.append(series.cast(pl.String).cast(pl.Enum(states)))
        else:
            columns.append(_integers(series))
    return RawTable(from_polars(pl.DataFrame(columns)), frame.height)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _integers(series: pl.Series) -> pl.Series:
    """Integers of 128 bits, such as sums, which polars gets as decimal numbers without decimals, if 64 are enough."""
    import polars as pl

    if not isinstance(series.dtype, pl.Decimal) or series.dtype.scale:
        return series
    whole = series.cast(pl.Int64, strict=False)
    return whole if whole.null_count() == series.null_count() else series


DUCKDB = Format(
    "a DuckDB database",
    (".duckdb",),
    _read,
    lambda content: content.head[8:12] == b"DUCK",
    takes=("sheet",),
    tables=_tables,
)
