"""Normal distributions as NET writes them: ``normal ( 1.5 + 2 * Y - 0.5 * Z, 4 )``, the mean and the variance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import copysign, isfinite, sqrt

import numpy as np

from veridag.errors import InputError

from .blocks import QUOTED, File, Span, unquote
from .family import Family, Floats, is_number

_NUMBER = r"(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
_ONE = re.compile(rf'normal\s*+\(((?:[^(),"]++|{QUOTED})*+),((?:[^(),"]++|{QUOTED})*+)\)', re.DOTALL)
_WORD = rf"[^\W\d]\w*+|{QUOTED}"
_TERM = re.compile(
    rf"\s*+(?P<sign>[+-]?)\s*+(?:(?P<number>{_NUMBER})(?:\s*+\*\s*+(?P<after>{_WORD}))?"
    rf"|(?P<name>{_WORD})(?:\s*+\*\s*+(?P<factor>[+-]?{_NUMBER}))?)\s*+",
    re.DOTALL,
)


# ---- reading


def read_normals(file: File, data: Span, family: Family, continuous: Sequence[str]) -> Floats:
    """A row for each configuration of the discrete parents: intercept, a coefficient a parent, standard deviation."""
    found = list(_ONE.finditer(data.text))
    _check_nesting(file, data, family)
    if len(found) != family.q:
        need = f"its discrete parents have {family.q} configurations"
        raise file.error(data, f"{family.child!r} has {len(found)} distributions 'normal', but {need}")
    return np.array([_row(file, data, match, family, continuous) for match in found])


def _row(file: File, data: Span, match: re.Match[str], family: Family, continuous: Sequence[str]) -> list[float]:
    mean = _read_mean(file, data.part(match, 1), family, continuous)
    variance = data.part(match, 2)
    number = float(variance.text) if is_number(variance.text) else -1.0
    if not number >= 0 or not isfinite(number):
        raise file.error(
            variance, f"the variance of {family.child!r} must be a number, 0 or more: {variance.text[:30]!r}"
        )
    return [*mean, sqrt(number)]


def _read_mean(file: File, span: Span, family: Family, continuous: Sequence[str]) -> list[float]:
    """The intercept and the coefficients of a sum of numbers and of numbers times parents."""
    numbers: dict[str | None, float] = {}
    position = 0
    while position < len(span.text) or not numbers:
        term = _TERM.match(span.text, position)
        if term is None or (position and not term["sign"]):
            raise file.error(span, f"{span.text[:50]!r} is not a sum of numbers and of numbers times parents")
        word = term["after"] or term["name"]
        parent = None if word is None else unquote(word)
        if word is not None and parent not in continuous:
            raise file.error(
                span, f"the mean of {family.child!r} has {word[:30]!r}, which is not one of its continuous parents"
            )
        value = float(term["number"] or term["factor"] or 1) * (-1 if term["sign"] == "-" else 1)
        numbers[parent] = numbers[parent] + value if parent in numbers else value
        position = term.end()
    mean = [numbers.get(key, 0.0) for key in (None, *continuous)]
    if not all(map(isfinite, mean)):
        raise file.error(span, f"the mean of {family.child!r} has a number too large for a float")
    return mean


def _check_nesting(file: File, data: Span, family: Family) -> None:
    """The distributions stand in one list, or in lists nested as the discrete parents are."""
    shape = "".join(_ONE.sub("N", data.text).split())
    nested = "N"
    for size in reversed(family.shape[:-1]):
        nested = f"({nested * size})" if len(nested) * size <= len(shape) else ""
    if shape.strip("()N") or shape not in (nested, f"({'N' * shape.count('N')})"):
        wrong = (
            "is not a list of 'normal ( mean, variance )'" if shape.strip("()N") else "has parentheses that do not fit"
        )
        raise file.error(data, f"the data of {family.child!r} {wrong}, one for each configuration of discrete parents")


# ---- writing


def write_normal(row: Sequence[float], parents: Sequence[str], variable: str) -> str:
    """A regression as text; every number is read back as the same float."""
    intercept, *slopes, sd = row
    variance = sd * sd  # its square root is sd again, unless it is beyond all floats
    if not isfinite(variance) or sqrt(variance) != sd:
        raise InputError(
            f"NET stores variances, and that of {variable!r}, whose standard deviation is {sd!r}, is out of range: "
            "write the network as JSON, to a file whose name ends in .json"
        )
    terms = [f" {'-' if copysign(1, b) < 0 else '+'} {abs(b)!r} * {p}" for b, p in zip(slopes, parents, strict=True)]
    return f"normal ( {intercept!r}{''.join(terms)}, {variance!r} )"
