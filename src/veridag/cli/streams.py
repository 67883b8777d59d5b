"""The standard streams as they may be: closed, full, or unable to show a character."""

from __future__ import annotations

import contextlib
import io
import os
import sys

from veridag.errors import InputError


class _Closed(io.TextIOBase):
    """Takes the place of standard output where that is closed: whatever is written is a mistake with a name."""

    def write(self, text: str, /) -> int:
        """Complain."""
        raise InputError("standard output is closed: write the result to a file with -o, or open standard output")

    @property
    def buffer(self) -> _Closed:
        """Bytes have no place to go either."""
        return self


def prepare_streams() -> None:
    """Make the standard streams usable: what is closed is named when it is needed, and every character can be shown."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _occupy_descriptors()
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO())
    if sys.stdout is None:
        sys.stdout = _Closed()  # all that is used of a stream
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 # open until the program ends
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def abandon_output() -> None:
    """Forget what is still to be written: its reader is gone, or there is no space for it."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _occupy_descriptors() -> None:
    """Open what is closed of 0, 1 and 2, or the next file would get its number, and messages would end in it."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
