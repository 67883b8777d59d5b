"""Dates and times as texts: what they look like, and what they are as numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from veridag.data.columns import frozen
from veridag.data.packed import look_up

from .raw import Levels, Numbers, Unusable, field_levels

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_OTHER_MONTHS = {"mrz": 3, "mär": 3, "mai": 5, "okt": 10, "dez": 12}
_MONTH = r"(?:jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-z]*\.?"
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:\s?[ap]\.?m\.?)?"
_DAY = rf"""(?:[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}|[0-9]{{4}}/[0-9]{{1,2}}/[0-9]{{1,2}}|[0-9]{{4}}-[0-9]{{2}}
    |[0-9]{{1,2}}[./-][0-9]{{1,2}}[./-](?:[0-9]{{4}}|[0-9]{{2}})
    |[0-9]{{1,2}}\.?[\s-]{_MONTH}[\s-](?:[0-9]{{4}}|[0-9]{{2}})|{_MONTH}\s[0-9]{{1,2}},?\s[0-9]{{4}}
    |{_MONTH}[\s-][0-9]{{4}})"""
_DATE = re.compile(
    rf"(?:(?P<day>{_DAY})(?:[T\s](?P<clock>{_CLOCK}))?(?:Z|\s?[+-][0-9]{{2}}:?[0-9]{{2}})?|(?P<time>{_CLOCK}))",
    re.I | re.X,
)
_COMPACT = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_SECONDS = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def are_dates(labels: Sequence[str]) -> bool:
    """Whether nearly all labels are dates or times of day, and the first of them is."""
    if not labels or not _DATE.fullmatch(labels[0].strip()):
        return False
    return sum(_DATE.fullmatch(label.strip()) is not None for label in labels) >= 0.95 * len(labels)


def are_compact_dates(labels: Sequence[str]) -> bool:
    """Whether all labels are of the form 20240131, and there are several."""
    return len(labels) > 1 and all(map(_COMPACT.fullmatch, labels))


def as_texts(column: Unusable) -> Levels | None:
    """A column of dates as their texts, if it has them."""
    if column.texts is None:
        return None
    texts = [re.sub(r"[ T]00:00(:00)?(\.0+)?$", "", text) for text in column.texts()]
    return field_levels(column.name, texts)


def as_days(levels: Levels) -> tuple[Numbers, str, list[str]]:
    """The days since the first date, or hours of times of day; what the numbers are, and texts that are no dates."""
    matches = {label: _DATE.fullmatch(label.strip()) for label in levels.labels if label is not None}
    order = _order([match["day"] for match in matches.values() if match is not None and match["day"]])
    moments = np.array([np.nan if label is None else _moment(label.strip(), order) for label in levels.labels])
    wrong = [
        label for label, moment in zip(levels.labels, moments, strict=True) if label is not None and moment != moment
    ]
    if all(match is None or match["time"] for match in matches.values()) and any(matches.values()):
        return _coded(levels, moments / 3600), "hours since midnight", wrong
    first = np.floor(np.nanmin(moments) / _SECONDS)
    start = (_EPOCH + timedelta(days=float(first))).date().isoformat()
    unit = f"days since {start}" + (f", from {order}" if order else "")
    return _coded(levels, moments / _SECONDS - first), unit, wrong


def _coded(levels: Levels, values: NDArray[np.float64]) -> Numbers:
    return Numbers(levels.name, frozen(look_up(values, levels.codes)), "date")


def _order(days: Sequence[str]) -> str:
    """How days and months of numbers follow each other, where the texts leave it open: the first that fits all."""
    numbers = [match for day in days if (match := re.fullmatch(r"([0-9]{1,2})([./-])([0-9]{1,2})[./-][0-9]+", day))]
    if not numbers:
        return ""
    may_be_month = all(int(match[1]) <= 12 for match in numbers)
    is_american = may_be_month and (numbers[0][2] == "/" or any(int(match[3]) > 12 for match in numbers))
    return "month, day, year" if is_american else "day, month, year"


def _moment(text: str, order: str) -> float:
    """Seconds since 1970, or since midnight if there is no day; `NaN` if it is no date."""
    try:
        match = _DATE.fullmatch(text)
        if match is None:
            compact = _COMPACT.fullmatch(text)
            return _since_epoch(int(text[:4]), int(text[4:6]), int(text[6:])) if compact else np.nan
        if match["time"]:
            return _seconds(match["time"])
        return _since_epoch(*_numbers(match["day"], order)) + (_seconds(match["clock"]) if match["clock"] else 0.0)
    except ValueError:
        return np.nan


def _since_epoch(year: int, month: int, day: int) -> float:
    return (datetime(year, month, day, tzinfo=UTC) - _EPOCH).total_seconds()


def _seconds(clock: str) -> float:
    hours, minutes, *rest = re.findall(r"[0-9]+(?:[.,][0-9]+)?", clock)
    late = re.search(r"p\.?m", clock, re.I) is not None
    hour = int(hours) % 12 + 12 * late if re.search(r"[ap]\.?m", clock, re.I) else int(hours)
    return 3600 * hour + 60 * int(minutes) + (float(rest[0].replace(",", ".")) if rest else 0.0)


def _numbers(day: str, order: str) -> tuple[int, int, int]:
    """Year, month and day; a month alone begins on its first day."""
    word = re.search(r"[^\W\d_]{3}", day)
    parts = [int(part) for part in re.findall(r"[0-9]+", day)]
    if word is not None:
        folded = word[0].casefold()
        month = _OTHER_MONTHS[folded] if folded in _OTHER_MONTHS else _MONTHS.index(folded) + 1
        return (_year(parts[-1]), month, parts[0]) if len(parts) == 2 else (parts[0], month, 1)
    if re.match(r"[0-9]{4}", day):
        return parts[0], parts[1], parts[2] if len(parts) > 2 else 1
    first, second, year = parts
    return (_year(year), first, second) if order.startswith("month") else (_year(year), second, first)


def _year(number: int) -> int:
    """A year of two digits is one from 1969 to 2068, as the C library has it."""
    return number if number > 99 else number + (1900 if number >= 69 else 2000)
