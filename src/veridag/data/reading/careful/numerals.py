"""Numbers as people write them: decimal commas, thousands, percent signs, currencies, units and limits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from .units import is_known, same_unit

_CURRENCY = r"(?:[$€£¥₹₩]|US\$|USD|EUR|GBP|CHF|JPY|CNY|INR)"
_NAMES = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_WHOLE = r"(?:0|[1-9][0-9]*)"
_UNIT = r"(?:[°℃℉]|[^\W\d_])[^\d,;:()]{0,14}(?:[23]|\^[23]|/[^\W\d_][\w/²³^]*)?|/[^\W\d_]+"
_DRESSED = re.compile(
    rf"(?P<open>\()?(?P<sign>[+\-−]?)\s*(?P<money>{_CURRENCY})?\s*(?P<digits>[+\-−]?[0-9][0-9.,' \u00a0\u202f]*?)"
    rf"(?P<blank>\s*)(?P<behind>%|{_CURRENCY}|{_UNIT})?(?P<close>\))?"
)
_BEFORE = r"""[<>≤≥]=?|more\ than|over|above|greater\ than|at\ least|less\ than|fewer\ than|under|below|up\ to|at\ most
    |mehr\ als|über|mindestens|weniger\ als|unter|bis|höchstens|plus\ de|moins\ de|más\ de|menos\ de"""
_BEHIND = r"""\+|(?:or|and)\ (?:more|over|above|older|less|under|below|younger|fewer)
    |(?:und|oder)\ (?:mehr|älter|weniger)|et\ plus|y\ más|o\ più"""
_LIMIT = re.compile(rf"(?:{_BEFORE})\s*(?P<a>[^<>]+)|(?P<b>[^<>]+?)\s*(?:{_BEHIND})", re.I | re.X)
_FEW_UNITS = 4
_POINTED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")


@dataclass(frozen=True)
class Style:
    """A way to write numbers: the decimal mark, and what stands between thousands, if anything, with its name."""

    decimal: str
    thousands: str
    name: str

    @cached_property
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


@dataclass(frozen=True)
class Dressed:
    """A number as it is written: its sign, its digits, and what it is a number of."""

    label: str
    negative: bool
    digits: str
    unit: str
    written: str  # the unit as it is written

    @classmethod
    def of(cls, label: str) -> Dressed | None:
        """The parts of a label; None if it is no number."""
        match = _DRESSED.fullmatch(label)
        if match is None or bool(match["open"]) != bool(match["close"]) or (match["money"] and match["behind"]):
            return None
        sign = match["sign"] or (match["digits"][0] if match["digits"][0] in "+-−" else "")
        if match["open"] and sign:
            return None
        unit = match["money"] or (match["behind"] or "").strip()
        known = unit == "" or _is_sign(unit) or is_known(unit)
        if not known and not match["blank"]:
            return None  # 1st, 3D and 5a are no measurements
        negative = sign in ("-", "−") or bool(match["open"])
        return cls(label, negative, match["digits"].lstrip("+-−").strip(), same_unit(_NAMES.get(unit, unit)), unit)


@lru_cache(1000)
def _is_sign(unit: str) -> bool:
    return re.fullmatch(rf"%|{_CURRENCY}", unit) is not None or unit in {same_unit(name) for name in _NAMES.values()}


def undressed(labels: Sequence[str], decimal: str | None = None) -> tuple[list[str], str] | None:
    """The labels as plain numbers and how they were written, if all of them are numbers in one style and one unit.

    Where the comma of 1,234 may mean either, it separates thousands, unless the decimal mark is a comma.
    """
    known: list[Dressed] = []
    for label in labels:
        if (part := Dressed.of(label)) is None:
            return None
        known.append(part)
    if not known:
        return None
    for style in _STYLES:
        if decimal is not None and style.decimal != decimal:
            continue
        pattern = style.pattern
        if all(pattern.fullmatch(part.digits) for part in known):
            plain = [f"{'-' if part.negative else ''}{style.plain(part.digits)}" for part in known]
            if not _is_one_unit(known, plain):
                return None
            return plain, ", ".join(_habits(known, style))
    return None


def _is_one_unit(parts: Sequence[Dressed], plain: Sequence[str]) -> bool:
    """Whether all numbers have the same unit; numbers without a unit must be in the range of the others."""
    units = Counter(part.unit for part in parts)
    named = [unit for unit in units if unit]
    if len(named) > 1:
        return False
    if not named:
        return True
    if len(units) == 1:
        return (is_known(named[0]) and len(named[0]) > 1) or _is_sign(named[0]) or len({*plain}) >= 5
    values = [float(number) for part, number in zip(parts, plain, strict=True) if part.unit]
    bare = [float(number) for part, number in zip(parts, plain, strict=True) if not part.unit]
    return min(values) <= min(bare) and max(bare) <= max(values)


def different_units(labels: Sequence[str]) -> list[str]:
    """The units of numbers that have different ones; none if they are no such numbers."""
    parts = [Dressed.of(label) for label in labels]
    known = [part for part in parts if part is not None]
    units = {part.unit: part.written for part in known}
    fit = len(known) == len(parts) and 1 < len(units) <= _FEW_UNITS
    measured = all(unit == "" or is_known(unit) or _is_sign(unit) for unit in units)
    return [written or "none" for written in units.values()] if fit and measured else []


def limit_of(label: str) -> str | None:
    """The number of a limit such as <0.5, "more than 12" or 100+."""
    match = _LIMIT.fullmatch(label)
    rest = "" if match is None else match["a"] or match["b"]
    return rest if Dressed.of(rest) is not None else None


def _habits(parts: Sequence[Dressed], style: Style) -> Iterable[str]:
    digits = "".join(part.digits for part in parts)
    if style.decimal == "," and "," in digits:
        yield "decimal commas"
    if style.thousands and any(
        mark in digits for mark in (" \u00a0\u202f" if style.thousands == " " else style.thousands)
    ):
        yield f"{style.name} between thousands"
    unit = next((part.written for part in parts if part.unit), "")
    without = sum(not part.unit for part in parts)
    but = f" in all except {without} values" if unit and without else ""
    if unit == "%":
        yield f"percent signs{but}"
    elif re.fullmatch(_CURRENCY, unit):
        yield f"currency signs{but}"
    elif unit:
        yield f"the unit {unit}{but}"
    if any(part.label.startswith("(") for part in parts):
        yield "negative numbers in parentheses"
    if any("−" in part.label for part in parts):
        yield "long minus signs"
    if any(part.label.lstrip().startswith("+") for part in parts):
        yield "plus signs"


def have_thousands(labels: Sequence[str]) -> bool:
    """Whether the points in these numbers may separate thousands, and some have one."""
    pointed = [label for label in labels if "." in label]
    return bool(pointed) and all(map(_POINTED.fullmatch, pointed))


def has_decimal_comma(labels: Sequence[str]) -> bool:
    """Whether these are numbers whose comma cannot separate thousands."""
    if not any("," in label or label.count(".") > 1 for label in labels):
        return False
    found = undressed(labels, ",")
    return found is not None and undressed(labels, ".") is None
