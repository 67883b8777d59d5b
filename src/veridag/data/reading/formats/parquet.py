"""Parquet."""

from __future__ import annotations

import io

from veridag.data.reading.frames import from_polars
from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules

from .content import Content, FileOptions, Format
from .panics import one_line


def _read(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    import polars as pl

    with one_line("a .parquet file", "write it again", pl.exceptions.PolarsError, OSError):
        frame = pl.read_parquet(io.BytesIO(content.data))
    return RawTable(from_polars(frame), frame.height)


PARQUET = Format("a Parquet file", (".parquet",), _read, lambda content: content.head.startswith(b"PAR1"))
