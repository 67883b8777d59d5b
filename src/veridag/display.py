"""How values are shown: aligned text, tables for spreadsheets, and HTML for notebooks with names escaped."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from io import StringIO

#: How many rows of a table are shown, and of how many variables a graph is drawn.
ROWS = 30
DRAWN = 150


#: What a terminal obeys instead of showing it: control characters but for tab and line feed, separators of lines, and
#: those that turn the direction of text around, with which a name can pass for another.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

#: What makes a spreadsheet take a text for a formula if a cell begins with it.
FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")


def visible(text: str) -> str:
    """A text with control characters as Python writes them, such as \\x1b: a terminal shows them and does not obey."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def visible_line(text: str) -> str:
    """The same for what must stay on one line, such as a name."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def plain_cell(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula: text that begins as one gets an apostrophe before it.

    Numbers, and text that is a number such as -1.5, stay as they are.
    """
    if not isinstance(cell, str) or not cell.startswith(FORMULA_MARKS) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def spreadsheet(rows: Iterable[Iterable[object]]) -> str:
    """The rows as CSV that is meant for people and their spreadsheets; data to be read back is written elsewhere."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(plain_cell, row) for row in rows)
    return text.getvalue()


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """The rows as lines of text, their cells under each other."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return "\n".join("  ".join(f"{v:<{w}}" for v, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def clipped(text: str, most: int) -> str:
    """A text of so many characters at most; of a longer one the beginning and the end, where names often differ."""
    end = (most - 1) // 3
    return text if len(text) <= most else f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def paragraph(text: str) -> str:
    """A paragraph of HTML."""
    return f"<p>{escape(text)}</p>"


def table(head: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "") -> str:
    """A table of HTML with the first `ROWS` rows, and a line that says how many more there are."""
    lines = [_row(head, "th"), *(_row(map(str, row), "td") for row in rows[:ROWS])]
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}{''.join(lines)}</table>{more(len(rows))}"


def more(number: int) -> str:
    """A paragraph that says how many of so many rows are not shown."""
    return paragraph(f"... and {number - ROWS} more") if number > ROWS else ""


def folded(summary: str, content: str) -> str:
    """HTML that is shown when the summary is clicked on."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def drawing(svg: Callable[[], str], variables: int) -> str:
    """A drawing of a graph, unless it is too large to be looked at."""
    return svg() if variables <= DRAWN else paragraph(f"{variables} variables are too many to draw here.")


def _row(cells: Iterable[str], tag: str) -> str:
    return f"<tr>{''.join(_cell(cell, tag) for cell in cells)}</tr>"


def _cell(text: str, tag: str) -> str:
    """A cell with its text on the left: notebooks put all on the right, which suits numbers alone."""
    is_number = text.replace(".", "", 1).lstrip("-").isdigit()
    return f"<{tag}>{escape(text)}</{tag}>" if is_number else f'<{tag} style="text-align:left">{escape(text)}</{tag}>'
