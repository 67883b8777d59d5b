"""Text made of blocks ``keyword head { body }`` with quoted names and comments, as in BIF, NET and DSC."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from veridag.errors import InputError

from .family import located

# Quantifiers are possessive (++, *+) where they can be: no input makes the search go back and try again.
QUOTED = r'"(?:[^"\\]++|\\.)*+"'
_ONE_QUOTED = re.compile(QUOTED, re.DOTALL)
_STATEMENT = re.compile(rf'((?:[^;"]++|{QUOTED})*+)(;?)', re.DOTALL)


class Span(NamedTuple):
    """A piece of the file and where it starts."""

    text: str
    start: int

    def part(self, match: re.Match[str], group: int) -> Span:
        """A group of a match in this piece, without spaces around it."""
        return Span(match[group], self.start + match.start(group)).strip()

    def strip(self) -> Span:
        """The piece without spaces around it."""
        stripped = self.text.lstrip()
        return Span(stripped.rstrip(), self.start + len(self.text) - len(stripped))

    def find_all(self, pattern: re.Pattern[str]) -> list[Span]:
        """What the pattern matches, leaving out what is blank."""
        return [piece for m in pattern.finditer(self.text) if (piece := self.part(m, 0)).text]


class Block(NamedTuple):
    """``keyword head { body }``."""

    keyword: str
    head: Span
    body: Span


@dataclass(frozen=True)
class File:
    """The text of a file, comments blanked out, and its name for messages."""

    text: str
    source: str

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]

    def line(self, place: Span) -> int:
        """The line in which a piece starts."""
        return bisect_left(self._line_ends, place.start) + 1

    @property
    def last_line(self) -> int:
        """The line in which the file ends."""
        return len(self._line_ends) + 1

    def error(self, place: Span, message: str) -> InputError:
        """An error in the line of a piece."""
        return located(self.source, self.line(place), message)


def blank_comments(text: str, source: str, comment: str, open_comment: str | None = None) -> File:
    """The file with comments as spaces, so that positions and lines stay what they are.

    `comment` is a pattern, and `open_comment` one of what starts a comment that must have an end.
    """
    text = text.removeprefix("\ufeff")
    opened = f'"|{open_comment}' if open_comment else '"'
    pattern = re.compile(rf"{QUOTED}|(?P<comment>{comment})|(?P<open>{opened})", re.DOTALL)
    file = File(text, source)

    def blank(match: re.Match[str]) -> str:
        if match["open"]:
            what = "quote" if match["open"] == '"' else "comment"
            raise file.error(Span(match[0], match.start()), f"the {what} that starts here is not closed")
        return re.sub(r"[^\n]", " ", match[0]) if match["comment"] else match[0]

    return File(pattern.sub(blank, text), source)


def block_pattern(keywords: tuple[str, ...]) -> re.Pattern[str]:
    """A block with one of the keywords; its body may hold braces, one level deep."""
    return re.compile(
        rf"""\s*+ ({"|".join(keywords)})\b
             ( (?: [^{{}}"]++ | {QUOTED} )*+ )
             \{{ ( (?: [^{{}}"]++ | {QUOTED} | \{{ (?: [^{{}}"]++ | {QUOTED} )*+ \}} )*+ ) \}}""",
        re.DOTALL | re.VERBOSE,
    )


def blocks(file: File, pattern: re.Pattern[str], keywords: tuple[str, ...], start: int = 0) -> Iterator[Block]:
    """The blocks of a file from a position on; there must be nothing else."""
    whole = Span(file.text, 0)
    position, end = start, len(file.text.rstrip())
    while position < end:
        match = pattern.match(file.text, position)
        if match is None:
            raise _not_a_block(file, position, keywords)
        yield Block(match[1], whole.part(match, 2), Span(match[3], match.start(3)))
        position = match.end()


def _not_a_block(file: File, position: int, keywords: tuple[str, ...]) -> InputError:
    rest = Span(file.text[position:], position).strip()
    keyword = re.match(rf"(?:{'|'.join(keywords)})\b", rest.text)
    if keyword:
        return file.error(rest, f"the {keyword[0]!r} block that starts here has no end: a brace is missing")
    found = rest.text.split(None, 1)[0][:30]
    expected = ", ".join(map(repr, keywords[:-1])) + f" or {keywords[-1]!r}"
    return file.error(rest, f"expected {expected}, but found {found!r}")


def statements(file: File, block: Block) -> Iterator[Span]:
    """The parts of a block that end with a semicolon."""
    for match in _STATEMENT.finditer(block.body.text):
        statement = block.body.part(match, 1)
        if statement.text and not match[2]:
            raise file.error(statement, f"expected ';' after {statement.text[:30]!r}")
        if statement.text:
            yield statement


def unquote(text: str) -> str | None:
    r"""The name that the text stands for, if it is one: between quotes, ``\"`` is a quote and ``\\`` a backslash."""
    if '"' not in text:
        return text or None
    return re.sub(r'\\(["\\])', r"\1", text[1:-1]) if _ONE_QUOTED.fullmatch(text) else None


def quote(name: str) -> str:
    """The name between quotes."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read_name(file: File, span: Span) -> str:
    """The name that a piece stands for."""
    name = unquote(span.text)
    if name is None:
        raise file.error(span, f"expected a name, bare or between quotes, but found {span.text[:50]!r}")
    return name
