"""Parquet."""

from __future__ import annotations

import io

from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules
from veridag.errors import import_optional

from .apart import ReaderError, try_apart
from .content import Content, FileOptions, Format
from .panics import one_line


def _read(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    pl = import_optional("polars", "reading .parquet", "files")
    from veridag.data.reading.polars_columns import from_polars

    reader = "read_parquet"
    what = "a .parquet file", "save it again"
    with one_line(*what, pl.exceptions.PolarsError, OSError, ValueError, OverflowError, ReaderError):
        with content.on_disk() as path:
            try_apart(reader, str(path))
        frame = getattr(pl, reader)(io.BytesIO(content.data))
        return RawTable(from_polars(frame), frame.height)


PARQUET = Format("a Parquet file", (".parquet",), _read, lambda content: content.head.startswith(b"PAR1"))
