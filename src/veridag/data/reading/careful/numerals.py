"""Numbers as people write them: decimal commas, thousands, percent signs and currencies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_CURRENCY = r"(?:[$€£¥₹₩]|US\$|USD|EUR|GBP|CHF|JPY|CNY|INR)"
_WHOLE = r"(?:0|[1-9][0-9]*)"
_DRESSED = re.compile(rf"^([+-]?)\s*(?:{_CURRENCY})?\s*([+-]?[0-9][0-9.,' \u00a0\u202f]*?)\s*(?:%|{_CURRENCY})?$")


@dataclass(frozen=True)
class Style:
    """A way to write numbers: the decimal mark, and what stands between thousands, if anything, with its name."""

    decimal: str
    thousands: str
    name: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """A number without sign, currency and percent."""
        fraction = rf"(?:{re.escape(self.decimal)}[0-9]+)?"
        if not self.thousands:
            return re.compile(rf"{_WHOLE}{fraction}")
        mark = "[ \u00a0\u202f]" if self.thousands == " " else re.escape(self.thousands)
        return re.compile(rf"(?:{_WHOLE}|[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+){fraction}")

    def plain(self, digits: str) -> str:
        """The number as Python writes it."""
        for mark in (" ", "\u00a0", "\u202f") if self.thousands == " " else (self.thousands or "\0",):
            digits = digits.replace(mark, "")
        return digits.replace(self.decimal, ".")


_STYLES = (
    Style(".", "", ""),
    Style(".", ",", "commas"),
    Style(",", "", ""),
    Style(",", ".", "points"),
    Style(",", " ", "blanks"),
    Style(".", " ", "blanks"),
    Style(".", "'", "apostrophes"),
)


def undressed(labels: Sequence[str], decimal: str | None = None) -> tuple[list[str], str] | None:
    """The labels as plain numbers and how they were written, if all of them are numbers in one style.

    Where the comma of 1,234 may mean either, it separates thousands, unless the decimal mark is a comma.
    """
    parts = [_DRESSED.match(label) for label in labels]
    if not labels or not all(parts):
        return None
    signs = [m[1] or (m[2][0] if m[2][0] in "+-" else "") for m in parts if m]
    digits = [m[2].lstrip("+-").strip() for m in parts if m]
    for style in _STYLES:
        if decimal is not None and style.decimal != decimal:
            continue
        if all(map(style.pattern.fullmatch, digits)):
            plain = [f"{'-' if sign == '-' else ''}{style.plain(d)}" for sign, d in zip(signs, digits, strict=True)]
            return plain, ", ".join(_habits(labels, style))
    return None


def _habits(labels: Iterable[str], style: Style) -> Iterable[str]:
    texts = "".join(labels)
    if style.decimal == "," and "," in texts:
        yield "decimal commas"
    if style.thousands and any(
        mark in texts for mark in (" \u00a0\u202f" if style.thousands == " " else style.thousands)
    ):
        yield f"{style.name} between thousands"
    if any("%" in label for label in labels):
        yield "percent signs"
    if any(re.search(_CURRENCY, label) for label in labels):
        yield "currency signs"
    if any(label.lstrip().startswith("+") for label in labels):
        yield "plus signs"


def has_decimal_comma(labels: Sequence[str]) -> bool:
    """Whether these are numbers whose comma cannot separate thousands."""
    found = undressed(labels, ",")
    return found is not None and undressed(labels, ".") is None
