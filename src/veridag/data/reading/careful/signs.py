"""Signs that a column is no variable: dates, identifiers, free text, and codes among numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_MONTH = r"(?:jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-z]*\.?"
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:\s?[ap]\.?m\.?)?"
_DAY = rf"""(?:[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}|[0-9]{{4}}/[0-9]{{1,2}}/[0-9]{{1,2}}|[0-9]{{4}}-[0-9]{{2}}
    |[0-9]{{1,2}}[./-][0-9]{{1,2}}[./-](?:[0-9]{{4}}|[0-9]{{2}})
    |[0-9]{{1,2}}[\s-]{_MONTH}[\s-](?:[0-9]{{4}}|[0-9]{{2}})|{_MONTH}\s[0-9]{{1,2}},?\s[0-9]{{4}}|{_MONTH}[\s-][0-9]{{4}})"""
_DATE = re.compile(rf"(?:{_DAY}(?:[T\s]{_CLOCK})?(?:Z|\s?[+-][0-9]{{2}}:?[0-9]{{2}})?|{_CLOCK})", re.I | re.X)
_COMPACT = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_NAMED_ID = re.compile(
    r"(?:^|[\W_])(?:id|ids|uuid|guid|key|index|idx|nr|no|number|rownames?|row|record|case)(?:$|[\W_])", re.I
)
_CODES = (-9, -88, -99, -888, -999, -9999, -99999, 99, 999, 9999, 99999, 999999)


def are_dates(labels: Sequence[str]) -> bool:
    """Whether nearly all labels are dates or times of day, and the first of them is."""
    if not labels or not _DATE.fullmatch(labels[0].strip()):
        return False
    return sum(_DATE.fullmatch(label.strip()) is not None for label in labels) >= 0.95 * len(labels)


def are_compact_dates(labels: Sequence[str]) -> bool:
    """Whether all labels are of the form 20240131, and there are several."""
    return len(labels) > 1 and all(map(_COMPACT.fullmatch, labels))


def is_prose(labels: Sequence[str]) -> bool:
    """Whether the labels read like sentences rather than names."""
    words = sum(len(label.split()) for label in labels) / len(labels)
    return words >= 4 or sum(map(len, labels)) / len(labels) > 40


def names_identifier(name: str) -> bool:
    """Whether a column is called an identifier, such as id, patient_id, PatientID or row."""
    return _NAMED_ID.search(name) is not None or re.search(r"(?:[a-z](?:ID|Id|Nr|No))$", name) is not None


def is_run(values: NDArray[np.float64]) -> bool:
    """Whether integers, all different, count the rows: there are hardly any gaps between them."""
    return bool(values.max() - values.min() + 1 <= 1.2 * len(values))


def codes_among(values: NDArray[np.float64]) -> list[float]:
    """Numbers such as -99 or 999 that lie far outside the others, or are the only negative ones."""
    present = values[~np.isnan(values)]
    candidates = [c for c in _CODES if (present == c).any()]
    others = present[~np.isin(present, candidates)]
    if not candidates or len(np.unique(others)) < 2:
        return []
    low, high = others.min(), others.max()
    reach = 2 * (high - low)
    return [c for c in candidates if (c < 0 <= low) or c < low - reach or c > high + reach]
