"""SPSS, compressed or not."""

from __future__ import annotations

from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules

from .content import Content, FileOptions, Format


def _read(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    from .labelled import read_labelled

    return read_labelled("an SPSS file", content, rules, options, "read_sav")


SPSS = Format(
    "an SPSS file",
    (".sav", ".zsav"),
    _read,
    lambda content: content.head.startswith((b"$FL2", b"$FL3")),
    takes=("encoding",),
)
