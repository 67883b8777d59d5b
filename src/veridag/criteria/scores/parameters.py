"""Checks of the numbers that scores are made with."""

from __future__ import annotations

from math import inf
from numbers import Real
from typing import SupportsFloat

from veridag.errors import InputError


def number(argument: str, value: object) -> float:
    """The value as a float, if it is a finite number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not -inf < float(value) < inf:
        raise InputError(f"{argument}={value!r} must be a finite number, such as {argument}=1")
    return float(value)


def positive(argument: str, value: SupportsFloat) -> float:
    """The value as a float, if it is a finite number above zero."""
    if number(argument, value) <= 0:
        raise InputError(f"{argument}={value!r} must be above 0, such as {argument}=1")
    return float(value)


def not_negative(argument: str, value: SupportsFloat) -> float:
    """The value as a float, if it is a finite number of at least zero."""
    if number(argument, value) < 0:
        raise InputError(f"{argument}={value!r} must be at least 0, such as {argument}=0")
    return float(value)
