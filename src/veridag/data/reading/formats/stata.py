"""Stata, all versions."""

from __future__ import annotations

from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules

from .content import Content, FileOptions, Format


def _read(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    from .labelled import read_labelled

    return read_labelled("a Stata file", content, rules, options, "read_dta")


def _begins(content: Content) -> bool:
    """New files say what they are; old ones start with a version, a byte order and 1."""
    head = content.head
    old = len(head) > 3 and 104 <= head[0] <= 115 and head[1] in (1, 2) and head[2] == 1
    return head.startswith(b"<stata_dta>") or old


STATA = Format("a Stata file", (".dta",), _read, _begins, takes=("encoding",))
