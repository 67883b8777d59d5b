"""Score tables in files: `read_table` and `write_table` choose the format by the file's ending."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Protocol, cast, overload

from veridag.network.formats.files import format_name, label, load_text, save_text

from .table import ScoreTable

#: The endings a file name may have, and the module that reads and writes such files.
TABLE_SUFFIXES = {
    ".jkl": "jkl",
    ".pss": "pss",
}


class TableFormat(Protocol):
    """What the module of a format of score tables offers."""

    def read(self, text: str, source: str) -> ScoreTable:
        """The score table described by `text`; `source` names the file in messages."""

    def write(self, table: ScoreTable) -> str:
        """The score table as text."""


def read_table(path: str | Path | BinaryIO, format: str | None = None, *, encoding: str = "utf-8") -> ScoreTable:
    """Read a score table from a file or a binary stream.

    The sets of each variable are returned best first, in any order in the file.

    Args:
        path: The file: ``.jkl`` or ``.pss``, also compressed as ``.gz``; or a stream.
        format: "jkl" or "pss"; determined by the suffix if None. A stream needs it.
        encoding: The encoding of the file.

    See also:
        `write_table`, `solve`, docs/score-tables.md
    """
    return _module(path, format).read(load_text(path, encoding), label(path))


@overload
def write_table(table: ScoreTable, path: str | Path, format: str | None = None) -> Path: ...
@overload
def write_table(table: ScoreTable, path: BinaryIO, format: str | None = None) -> None: ...
def write_table(table: ScoreTable, path: str | Path | BinaryIO, format: str | None = None) -> Path | None:
    """Write a score table to a file or a binary stream.

    The scores are read back exactly. The `settings` of the table are not stored.

    Args:
        table: The table.
        path: The file: ``.jkl`` or ``.pss``, also compressed as ``.gz``; or a stream.
        format: As in `read_table`.

    Returns:
        The path of the file; None for a stream.

    See also:
        `read_table`, docs/score-tables.md
    """
    return save_text(_module(path, format).write(table), path)


def _module(path: str | Path | BinaryIO, format: str | None) -> TableFormat:
    name = format_name(path, format, TABLE_SUFFIXES, "score tables")
    return cast(TableFormat, import_module(f".{name}", __package__))
