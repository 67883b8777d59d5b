"""What is printed: results, and on standard error as much as --quiet and --verbose ask for."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import TextIO

import typer

from veridag.display import visible

from .wording import in_flags


class Volume(IntEnum):
    """How much is printed in addition to results and errors."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


_volume = Volume.NORMAL


def set_volume(volume: Volume) -> None:
    """Set how much is printed from now on."""
    global _volume
    _volume = volume


def is_quiet() -> bool:
    """Whether only results and errors are wanted."""
    return _volume is Volume.QUIET


def is_verbose() -> bool:
    """Whether more is wanted than usual."""
    return _volume is Volume.VERBOSE


def is_terminal() -> bool:
    """Whether a person sees standard output as it is written."""
    return sys.stdout.isatty()


def echo(text: object, *, err: bool = False, nl: bool = True) -> None:
    """Print a text on standard output, or on standard error: all that a command prints for people goes through here.

    Names come from files of strangers. Control characters in them are shown, and not sent to the terminal.
    """
    typer.echo(visible(str(text)), err=err, nl=nl)


def say(text: str) -> None:
    """A summary, or what was done; not with --quiet."""
    if _volume >= Volume.NORMAL:
        echo(_fitting(text), err=True)


def detail(text: str) -> None:
    """What only --verbose shows."""
    if _volume >= Volume.VERBOSE:
        echo(_fitting(f"veridag: {text}"), err=True)


def complain(text: str) -> None:
    """A mistake, whatever else is shown."""
    echo(_fitting(f"veridag: {text}"), err=True)


#: A line that is longer is hard to read, however wide the terminal.
_WIDEST = 100
_KEPT = "\N{NO-BREAK SPACE}"


def _fitting(text: str) -> str:
    """The text with lines that fit a terminal, if there is one; a file or a pipe gets them as they are.

    What stands in double quotes, such as a spec, is not broken, so that it can be copied.
    """
    if not sys.stderr.isatty():
        return text
    text = visible(text)  # some controls would break lines
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    wrap = textwrap.TextWrapper(width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    lines = [re.sub(r'"[^"]*"', lambda quoted: quoted[0].replace(" ", _KEPT), line) for line in text.splitlines()]
    return "\n".join(wrap.fill(line) for line in lines).replace(_KEPT, " ")


def note(text: str) -> None:
    """What the user should know but need not act on, on one line; not with --quiet."""
    say(f"veridag: note: {' '.join(text.split())}")


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """A warning is a note, said once: where in the source it was raised does not help a user."""
    seen: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        del category, filename, lineno, file, line  # which Python hands over to any such function
        if str(message) not in seen:
            seen.add(str(message))
            note(in_flags(str(message)))

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
