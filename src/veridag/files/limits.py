"""Limits on the resources that one file can use, so that a small file from a stranger cannot fill the memory.

They are checked before anything is allocated. Each message names its limit and how to raise it.
"""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields

from veridag.checks import Checked, Integer, checked
from veridag.errors import InputError, speaks_flags

_CHUNK = 2**24
_POSITIVE = Integer(1, 2**62)


@dataclass(frozen=True)
class Limits(Checked):
    """Limits on the resources that one file can use.

    Args:
        unpacked_bytes: Most bytes of an unpacked file.
        table_entries: Most numbers in all tables of a network together.

    See also:
        `limits`
    """

    unpacked_bytes: int = field(default=2**30, metadata=checked(_POSITIVE))
    table_entries: int = field(default=2**24, metadata=checked(_POSITIVE))


_current: ContextVar[Limits | None] = ContextVar("limits", default=None)


@contextmanager
def limits(unpacked_bytes: int | None = None, table_entries: int | None = None) -> Iterator[Limits]:
    """Set limits for reading files within a ``with`` block.

    Outside such a block, the environment variables VERIDAG_UNPACKED_BYTES and VERIDAG_TABLE_ENTRIES apply. The defaults
    are 2^30 bytes and 2^24 numbers, which use 128 MiB.

    Args:
        unpacked_bytes: Most bytes of an unpacked file; unchanged if None.
        table_entries: Most numbers in all tables of a network together; unchanged if None.

    See also:
        `read`, `read_network`, docs/formats.md
    """
    given = {"unpacked_bytes": unpacked_bytes, "table_entries": table_entries}
    now = current_limits()
    chosen = Limits(**{name: getattr(now, name) if value is None else value for name, value in given.items()})
    token = _current.set(chosen)
    try:
        yield chosen
    finally:
        _current.reset(token)


def current_limits() -> Limits:
    """The limits that apply here."""
    found = _current.get()
    if found is not None:
        return found
    defaults = Limits()
    return Limits(**{f.name: _from_environment(f.name, getattr(defaults, f.name)) for f in fields(Limits)})


def gunzipped(content: bytes, what: str) -> bytes:
    """The content of gzip data, unless it is larger than `unpacked_bytes`; `what` names the file in messages.

    Never more than that is unpacked. Damaged data raises OSError, EOFError or zlib.error.
    """
    most = current_limits().unpacked_bytes
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        parts, left = [], most + 1
        while left and (part := file.read(min(left, _CHUNK))):
            parts.append(part)
            left -= len(part)
    if not left:
        raise InputError(too_large(what))
    return b"".join(parts)


def too_large(what: str) -> str:
    """What to say of a packed file that is larger than `unpacked_bytes`."""
    most = current_limits().unpacked_bytes
    return f"{what} has more than {most} bytes when unpacked: {how_to_raise('unpacked_bytes', 4 * most)}"


def how_to_raise(name: str, needed: int) -> str:
    """The end of a message about the limit of this name."""
    remedy = f"set {_variable(name)}={needed}" if speaks_flags() else f"read it within vd.limits({name}={needed})"
    return f"the limit is {getattr(current_limits(), name)}; if you trust the file, {remedy}"


def _variable(name: str) -> str:
    return f"VERIDAG_{name.upper()}"


def _from_environment(name: str, default: int) -> int:
    text = os.environ.get(_variable(name), "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 19 and int(text) > 0):
        raise InputError(f"the environment variable {_variable(name)}={text[:30]!r} must be {_POSITIVE}")
    return int(text)
