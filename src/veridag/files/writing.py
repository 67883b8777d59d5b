"""Writing files atomically: completely or not at all.

Every writer of the package uses `whole_file`. A full disk, an interrupt or a crash leaves the previous file as it was,
and no part of a new one.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veridag.errors import InputError

#: Drafts that are being written; a writer that is given one writes to it directly.
_drafts: set[Path] = set()

_NAME = 50  # characters of the name that a draft keeps: its ending names the format, and file systems limit the length


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """A file to write instead, which replaces the file at `path` when the block ends without an error.

    The draft has the same ending, which names its format, and is in the same folder, so that the last step is a
    renaming, which is atomic. Before it, the content is flushed to the disk. A link stays and what it points to is
    replaced. A device, a pipe or a file in a folder that takes no other is written to directly. Errors name `path`.
    """
    if "\0" in str(path):
        raise InputError(f"path: {str(path)!r} has a null character, which file names cannot have: remove it")
    target = Path(path).resolve()
    if target in _drafts or (target.exists() and not (target.is_file() and os.access(target.parent, os.W_OK))):
        yield Path(path)
        return
    draft = target.with_name(f".{secrets.token_hex(4)}-{target.name[-_NAME:]}")
    _drafts.add(draft)
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield draft
        if target.exists():
            shutil.copymode(target, draft)
        _flush(draft)
        os.replace(draft, target)
    except InputError as error:
        raise InputError(str(error).replace(str(draft), str(path))) from error
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        draft.unlink(missing_ok=True)
        _drafts.discard(draft)


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    with whole_file(path) as draft:
        draft.write_bytes(content)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all, with line ends as they are in the text."""
    write_bytes(path, in_utf8(text))


def in_utf8(text: str) -> bytes:
    """The text in UTF-8; half of a surrogate pair, which has no place in it, is a mistake in a name."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        part = text[max(0, error.start - 10) : error.end]
        raise InputError(f"a name has a character that UTF-8 cannot encode: {part!r}; rename it") from None


def _flush(path: Path) -> None:
    """Wait until the content is on the disk, or a power cut could leave an empty file under the new name."""
    file = os.open(path, os.O_RDWR)  # Windows flushes only what may be written
    try:
        os.fsync(file)
    finally:
        os.close(file)
