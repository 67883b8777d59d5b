"""What every reader of a format works with: the content of a file or stream, and how it is to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from veridag.checks import Integer
from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules
from veridag.errors import InputError

_HEAD = 4096  # bytes that are enough to recognise every format


@dataclass(frozen=True)
class FileOptions:
    """How a file is to be read, where the file does not say: see `veridag.read`."""

    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    rows: int | tuple[int, int] | None = None
    blocks: bool | None = None

    @property
    def span(self) -> tuple[int, int | None]:
        """The first row that is used, and the first after it that is not."""
        start, stop = self.rows if isinstance(self.rows, tuple) else (0, self.rows)
        Integer(0)("rows", start)
        return start, None if stop is None else Integer(start + 1)("rows", stop)


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a file, or of a stream if there is no path; bytes are read when they are needed."""

    path: Path | None = None
    given: bytes = b""

    @cached_property
    def data(self) -> bytes:
        """All of it."""
        return self.given if self.path is None else self.path.read_bytes()

    @cached_property
    def head(self) -> bytes:
        """How it begins."""
        if self.path is None:
            return self.given[:_HEAD]
        with self.path.open("rb") as file:
            return file.read(_HEAD)

    @contextmanager
    def on_disk(self) -> Iterator[Path]:
        """A file that holds it, for readers that take no bytes."""
        import tempfile

        if self.path is not None:
            yield self.path
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table"
            path.write_bytes(self.data)
            yield path


@dataclass(frozen=True)
class Format:
    """A format: what it is called, the suffixes of its files, how they begin, and how they are read.

    ``tables`` names the tables in a file of a format that can hold several.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Content, Rules, FileOptions], RawTable]
    begins: Callable[[Content], bool] = lambda content: False
    takes: tuple[str, ...] = ()  # which of the options separator, encoding and sheet mean something
    is_text: bool = False
    tables: Callable[[Content], Sequence[str]] = lambda content: ()


def damaged(what: str, error: BaseException | str, remedy: str) -> InputError:
    """The error for a file that its reader cannot read, with the first line of what the reader says."""
    text = str(error).strip() or type(error).__name__
    return InputError(f"cannot be read as {what} ({text.splitlines()[0].rstrip('.:')}): {remedy}")
