"""Files and binary streams: the suffix tells the format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO

import numpy as np

from veridag.data.remembering import Memory, memory_now
from veridag.errors import InputError, setting
from veridag.progress import Progress

from .blocks import read_blocks, wants_blocks
from .formats import Content, FileOptions, read_content, tables_in
from .raw import Raw, RawTable
from .rules import Rules

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/", re.IGNORECASE)  # two letters at least: one is a drive


@contextmanager
def naming(source: str | Path | BinaryIO) -> Iterator[None]:
    """Every message about what is read within names the file."""
    label = str(source if isinstance(source, str | Path) else getattr(source, "name", "stream"))
    try:
        yield
    except InputError as error:
        message = str(error)
        raise InputError(message if message.startswith(label) else f"{label}: {message}") from error.__cause__


def read_file(
    source: str | Path | BinaryIO, rules: Rules, options: FileOptions, progress: Progress | None = None
) -> RawTable:
    """A file or an open binary stream, or some of its rows; at once or block by block."""
    if (found := wants_blocks(source, options)) is not None:
        return read_blocks(found, rules, options, progress)
    memory = memory_now()
    if memory is not None and isinstance(source, str | Path) and Path(source).is_file():
        return _read_anew(Path(source), rules, options, memory)
    return _read_rows(source, rules, options)


def _read_anew(path: Path, rules: Rules, options: FileOptions, memory: Memory) -> RawTable:
    """The same, but columns that the rules have read as last time are those of last time."""
    facts = path.stat()
    last = memory.recall(
        _Last, (str(path), facts.st_mtime_ns, facts.st_size, repr(options), rules.strict, rules.tokens())
    )
    if last.table is None:
        table = _read_rows(path, rules, options)
    else:
        changed = {raw.name for raw in last.table.columns if last.read_by[raw.name] != rules.read_by(raw.name)}
        again = last.table.again or _whole_again(path, rules, options) if changed else None
        kept = [again(raw.name, rules) if again and raw.name in changed else raw for raw in last.table.columns]
        table = replace(last.table, columns=kept)
    last.table, last.read_by = table, {raw.name: rules.read_by(raw.name) for raw in table.columns}
    return table


class _Last:
    """What was last read of a file, and by what each column was."""

    def __init__(self, *facts: object) -> None:
        del facts
        self.table: RawTable | None = None
        self.read_by: dict[str, tuple[object, ...]] = {}


def _whole_again(path: Path, rules: Rules, options: FileOptions) -> Callable[[str, Rules], Raw]:
    """What `RawTable.again` does, for formats that do not have it."""
    columns = {raw.name: raw for raw in _read_rows(path, rules, options).columns}
    return lambda name, rules: columns[name]


def _read_rows(source: str | Path | BinaryIO, rules: Rules, options: FileOptions) -> RawTable:
    """The rows that are wanted, read at once."""
    start, stop = options.span
    table = _read_whole(source, rules, options)
    if start == 0 and (stop is None or stop >= table.nrows):
        return table
    which = np.arange(start, table.nrows if stop is None else min(stop, table.nrows))
    note = f"{len(which)} of {table.nrows} rows are used ({setting('rows')})"
    return RawTable([column.take(which) for column in table.columns], len(which), (*table.notes, note))


def _read_whole(source: str | Path | BinaryIO, rules: Rules, options: FileOptions) -> RawTable:
    if not isinstance(source, str | Path):
        return read_content("", Content(given=_stream_data(source)), rules, options)
    _refuse_address(str(source))
    path = Path(source)
    content = Content(path)
    try:
        content.head  # noqa: B018 # so that a file that cannot be opened is noticed here
        return read_content(path.name, content, rules, options)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file{_hint(path)}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def tables_of(path: Path) -> list[str]:
    """What ``sheet=`` can name in a file: sheets, tables of a database, files of an archive; of others nothing."""
    with naming(path):
        return tables_in(path.name, Content(path))


def _stream_data(source: BinaryIO) -> bytes:
    if not hasattr(source, "read"):
        raise InputError(f"path={source!r} must be a path as text or Path, or an open binary stream")
    data = source.read()
    if not isinstance(data, bytes):
        raise InputError("the stream is a text stream: open it in binary mode (sys.stdin.buffer for standard input)")
    return data


def _refuse_address(source: str) -> None:
    """Nothing is fetched: what a network gives may change between two runs, and Path makes one slash of two."""
    if match := _ADDRESS.match(source):
        if match[1] == "file":
            raise InputError(f"{source}: pass the path alone, without 'file://'")
        raise InputError(f"{source}: veridag reads files, not URLs: download the file first")


def _hint(path: Path) -> str:
    """The file with nearly that name; messages do not list the other files of the folder."""
    if not path.parent.is_dir():
        return f", because there is no folder {str(path.parent)!r}"
    try:
        near = get_close_matches(path.name, [p.name for p in path.parent.iterdir()], n=1)
    except OSError:
        near = []
    return f"; did you mean {near[0]!r}?" if near else f" in the folder {str(path.parent.absolute())!r}"
