"""Signs that a column is no measurement: identifiers, free text, and codes among numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_NAMED_ID = re.compile(
    r"(?:^|[\W_])(?:id|ids|uuid|guid|key|index|idx|nr|no|number|rownames?|row|record|case|serial|barcode|ean|mrn)"
    r"(?:$|[\W_])",
    re.I,
)
_NAMED_CODE = re.compile(
    r"(?:^|[\W_]|(?<=[a-z])(?=[A-Z]))(?:zip|zips|zipcode|zip5|postcode|postal|postleitzahl|plz|phone|telephone|tel|telefon"
    r"|mobile|fax|iban|ssn|isbn|issn|barcode|ean|upc|gtin|fips|account[\W_]?(?:no|nr|number|id)|konto(?:nummer|nr))"
    r"(?:$|[\W_])|^(?:cp|cap|account)$",
    re.I,
)
_CODE = re.compile(r"[+(]?[0-9][0-9\s()/-]*")
_LONGEST_SCALE = 15  # numbers of a scale and codes beyond it
_LONG = 8  # digits of numbers that identify rather than measure, if all have as many
_NINES = re.compile(r"-?(?:7+|8+|9+)")


def is_prose(labels: Sequence[str]) -> bool:
    """Whether the labels read like sentences rather than names."""
    words = sum(len(label.split()) for label in labels) / len(labels)
    return words >= 4 or sum(map(len, labels)) / len(labels) > 40


def names_identifier(name: str) -> bool:
    """Whether a column is called an identifier, such as id, patient_id, PatientID or row."""
    return _NAMED_ID.search(name) is not None or re.search(r"(?:[a-z](?:ID|Id|Nr|No))$", name) is not None


def names_only_identifier(name: str) -> bool:
    """Whether the name is unambiguous, so that numbers can repeat, as those of patients do in visits."""
    return re.search(r"(?:[a-z](?:ID|Id))$", name) is not None or (
        re.search(r"(?:^|[\W_])(?:id|ids|uuid|guid|mrn)$", name, re.I) is not None
    )


def names_code(name: str) -> bool:
    """Whether a column is called something that is written in digits and measures nothing, such as a postcode."""
    return _NAMED_CODE.search(name) is not None


def are_codes(labels: Sequence[str]) -> bool:
    """Whether all labels are digits, as they are written in telephone numbers and postcodes."""
    return all(map(_CODE.fullmatch, labels))


def have_leading_zeros(labels: Sequence[str]) -> bool:
    """Whether all labels are digits, and some of them start with a zero that a number would not have."""
    return all(label.isdecimal() for label in labels) and any(len(label) > 1 and label[0] == "0" for label in labels)


def is_run(values: NDArray[np.float64]) -> bool:
    """Whether integers, all different, count the rows: hardly any number between them is left out."""
    return bool(values.max() - values.min() + 1 <= 1.2 * len(values))


def are_serial(values: NDArray[np.float64]) -> bool:
    """Whether integers, nearly all different, have the same number of digits, and many."""
    lengths = {len(str(int(value))) for value in (values.min(), values.max())}
    return len(lengths) == 1 and lengths.pop() >= _LONG and len(np.unique(values)) >= 0.95 * len(values)


def codes_among(values: NDArray[np.float64]) -> list[float]:
    """Numbers such as -99 or 999 that lie far outside the others, or are the only negative ones."""
    distinct = values[~np.isnan(values)]
    candidates = [c for c in distinct[(distinct <= -9) | (distinct >= 99)].tolist() if _is_repeated(c)]
    others = distinct[~np.isin(distinct, candidates)]
    if not candidates or len(np.unique(others)) < 2:
        return []
    low, high = others.min(), others.max()
    reach = 2 * (high - low)
    return [c for c in dict.fromkeys(candidates) if (c < 0 <= low) or c < low - reach or c > high + reach]


def _is_repeated(number: float) -> bool:
    """Whether a number is written with the digit 9 alone, or with 8 or 7 alone and below 0 or of three digits."""
    text = str(int(number)) if float(number).is_integer() else ""
    if not _NINES.fullmatch(text):
        return False
    return "9" in text or number < 0 or len(text) > 2


def possible_codes(distinct: NDArray[np.float64], counts: NDArray[np.int64]) -> list[float]:
    """Numbers that may mean missing: -1 without other negative numbers, 9 with 1 to 5, 99999.

    The numbers are all different and in order, with how often each occurs.
    """
    found = [c for c in (-1.0, -7.0, -8.0, -9.0) if c in distinct]
    others = distinct[~np.isin(distinct, found)]
    if len(others) < 2 or others.min() < 0:
        found = []
    found += _beyond_a_scale(distinct[~np.isin(distinct, found)])
    usual = np.median(counts)
    long = distinct >= 9999
    for number, count in zip(distinct[long].tolist(), counts[long].tolist(), strict=True):
        if _is_repeated(number) and count >= max(2, 2 * usual):
            found.append(number)
    return sorted({*found})


def _beyond_a_scale(distinct: NDArray[np.float64]) -> list[float]:
    """The 7, 8 and 9 (or 77, 88, 99) behind a gap after a scale such as 1 to 5."""
    if len(distinct) > _LONGEST_SCALE:
        return []
    for codes in ((7.0, 8.0, 9.0), (77.0, 88.0, 99.0), (97.0, 98.0, 99.0)):
        scale = distinct[distinct < codes[0]] if codes[0] > 9 else distinct[distinct <= 6]
        above = [number for number in distinct.tolist() if number > (scale.max() if len(scale) else 0)]
        is_scale = len(scale) >= 2 and scale[0] in (0, 1) and bool((np.diff(scale) == 1).all())
        if is_scale and above and set(above) <= {*codes} and above[-1] == codes[2] and above[0] >= scale.max() + 2:
            return above
    return []
