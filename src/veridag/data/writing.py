"""Writing data to a file. The suffix determines the format."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from veridag.errors import InputError, require
from veridag.files.writing import whole_file

from .columns import Column
from .export import beside, to_polars, with_group

if TYPE_CHECKING:
    from .data import Data

CHUNK = 50_000  # rows of text made at a time
WRITTEN = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".arrow")

_Texts = Callable[[slice], list[str]]  # the fields of some rows


def write_data(data: Data, target: str | Path | BinaryIO, weights: str, group: str, targets: str) -> None:
    """Write data in the format of the path's suffix, or as CSV into an open binary stream.

    Weights, group and targets, if any, are columns of these names.
    """
    if isinstance(target, io.TextIOBase):
        raise InputError("the stream is a text stream: open it in binary mode (sys.stdout.buffer for standard output)")
    if not isinstance(target, str | Path):
        if not callable(getattr(target, "write", None)):
            raise InputError(f"path={target!r} must be the name of a file, or a binary stream")
        _Table(data, weights, group, targets, ",").write(target)
        target.flush()  # so that a closed pipe is noticed here and not at the end of the program
        return
    path = Path(target)
    suffix = _suffix(path)
    if suffix in (".parquet", ".arrow"):
        require("polars", f"writing {suffix}", "files")
        frame, buffer = to_polars(data, weights, group, targets), io.BytesIO()
        frame.write_parquet(buffer) if suffix == ".parquet" else frame.write_ipc(buffer)
        with whole_file(path) as draft, draft.open("wb") as file:
            file.write(buffer.getbuffer())
        return
    table = _Table(data, weights, group, targets, "\t" if suffix.startswith(".tsv") else ",")
    with whole_file(path) as draft, draft.open("wb") as file:
        if suffix.endswith(".gz"):
            # Without a name and a time, so that the same data gives the same file.
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                table.write(packed)
        else:
            table.write(file)


def _suffix(path: Path) -> str:
    known = [s for s in WRITTEN if path.name.lower().endswith(s)]
    if not known:
        raise InputError(f"{path}: the suffix decides the format and must be one of {', '.join(WRITTEN)}")
    return known[0]


class _Table:
    """Data as text with separators: names of states, numbers in the shortest form, nothing for a missing value."""

    def __init__(self, data: Data, weights: str, group: str, targets: str, separator: str) -> None:
        self.separator, self.nrows = separator, data.nrows
        columns = with_group(data, weights, group, targets)
        extras = beside(data, weights, targets)
        self.names = [c.name for c in columns] + list(extras)
        # A line of one empty field would be blank, and blank lines at the end of a file are no rows.
        empty = '""' if len(self.names) == 1 else ""
        self.columns: list[_Texts] = [self._texts_of(c, empty) for c in columns]
        self.columns += [partial(self._plain, values) for values in extras.values()]

    def _texts_of(self, column: Column, empty: str) -> _Texts:
        if column.kind == "continuous":
            return partial(_numbers, column, empty)
        fields = np.array([*map(self._field, column.states), empty], dtype=object)
        return partial(_states, column, fields)

    def _plain(self, values: Sequence[Any], rows: slice) -> list[str]:
        return ["" if value is None else self._field(str(value)) for value in values[rows]]

    def _field(self, text: str) -> str:
        """A text as a field: in quotes if it would be read as something else without them."""
        if text and not text.startswith("\ufeff") and not any(mark in text for mark in (self.separator, *'"\r\n')):
            return text
        return '"{}"'.format(text.replace('"', '""'))

    def write(self, stream: BinaryIO | gzip.GzipFile) -> None:
        """Some rows at a time, which needs little memory."""
        stream.write((self.separator.join(map(self._field, self.names)) + "\n").encode())
        for start in range(0, self.nrows, CHUNK):
            rows = slice(start, start + CHUNK)
            fields = zip(*(texts(rows) for texts in self.columns), strict=True)
            stream.write(("\n".join(map(self.separator.join, fields)) + "\n").encode())


def _states(column: Column, fields: np.ndarray, rows: slice) -> list[str]:
    codes = column.values[rows]
    if column.observed is not None:
        codes = np.where(column.observed[rows], codes, len(column.states))
    texts: list[str] = fields[codes].tolist()
    return texts


def _numbers(column: Column, empty: str, rows: slice) -> list[str]:
    texts = list(map(repr, column.values[rows].tolist()))
    if column.observed is None:
        return texts
    return [text if there else empty for text, there in zip(texts, column.observed[rows].tolist(), strict=True)]
