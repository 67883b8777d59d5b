"""Arrow files, which are also those of Feather since its second version."""

from __future__ import annotations

import io

from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules
from veridag.errors import InputError, import_optional

from .apart import ReaderError, try_apart
from .content import Content, FileOptions, Format
from .panics import one_line

_OLD = b"FEA1"
_STREAM = b"\xff\xff\xff\xff"  # the other form of Arrow, which is meant for sending


def _read(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    pl = import_optional("polars", "reading .arrow", "files")
    from veridag.data.reading.polars_columns import from_polars

    if content.head.startswith(_OLD):
        raise InputError(
            "it is a Feather file of the first version: save it again with a newer program, or as .parquet"
        )
    reader = "read_ipc_stream" if content.head.startswith(_STREAM) else "read_ipc"
    what = "a .arrow file", "save it again"
    with one_line(*what, pl.exceptions.PolarsError, OSError, ValueError, OverflowError, ReaderError):
        with content.on_disk() as path:
            try_apart(reader, str(path))
        frame = getattr(pl, reader)(io.BytesIO(content.data))
        return RawTable(from_polars(frame), frame.height)


ARROW = Format(
    "an Arrow file", (".arrow", ".feather"), _read, lambda content: content.head.startswith((b"ARROW1", _OLD, _STREAM))
)
